/**
 * Reads broken documents with saxes and htmlparser2.
 *
 * Each line of the input is JSON with `body` in base64; each line of the output has the addresses that
 * each reader finds. Both collect what users of such parsers do: the `loc` of a `url` or `sitemap`, the
 * `link` or else the `guid` of an `item`, the alternate `link` of an `entry`, all as direct children.
 *
 * @module
 */

import { Parser } from "htmlparser2";
import { SaxesParser } from "saxes";

type Attributes = Readonly<Record<string, string>>;

interface OpenElement {
  readonly name: string;
  readonly attributes: Attributes;
  text: string;
  /** Address of an entry of a feed. */
  link: string;
  guid: string;
}

function localOf(name: string): string {
  return name.slice(name.indexOf(":") + 1).toLowerCase();
}

/** Collects addresses from the events of a parser. */
class Collector {
  readonly found: string[] = [];
  readonly #open: OpenElement[] = [];

  open(name: string, attributes: Attributes): void {
    this.#open.push({ name: localOf(name), attributes, text: "", link: "", guid: "" });
  }

  text(text: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.text += text;
  }

  close(name: string): void {
    // htmlparser2 also closes elements whose start tags have no end
    if (this.#open.at(-1)?.name !== localOf(name)) return;
    const element = this.#open.pop()!, parent = this.#open.at(-1);
    const text = element.text.trim(), { rel = "alternate", href, isPermaLink } = element.attributes;
    switch (`${parent?.name} ${element.name}`) {
      case "url loc":
      case "sitemap loc":
        this.found.push(text);
        break;
      case "item link":
        parent!.link ||= text;
        break;
      case "item guid":
        if (isPermaLink !== "false") parent!.guid ||= text;
        break;
      case "entry link":
        if (rel === "alternate") parent!.link ||= href ?? "";
    }
    if (element.name === "item" || element.name === "entry") this.#add(element);
  }

  /** Adds the addresses of entries that are open at the end. */
  end(): void {
    for (const element of this.#open) this.#add(element);
  }

  #add({ link, guid }: OpenElement): void {
    const address = link || guid;
    if (address !== "") this.found.push(address);
  }
}

/** Returns what saxes, which is strict, reads up to the first error. */
function bySaxes(text: string): string[] {
  const collector = new Collector();
  const parser = new SaxesParser({ xmlns: true });
  parser.on("opentag", ({ name, attributes }) => {
    const values = Object.entries(attributes).map(([name, { value }]) => [name, value]);
    collector.open(name, Object.fromEntries(values));
  });
  parser.on("text", (text) => collector.text(text));
  parser.on("cdata", (text) => collector.text(text));
  parser.on("closetag", ({ name }) => collector.close(name));
  let isBroken = false;
  parser.on("error", (error) => {
    isBroken = true;
    throw error;
  });
  try {
    parser.write(text).close();
  } catch (error) {
    if (!isBroken) throw error;
  }
  collector.end();
  return collector.found;
}

/** Returns what htmlparser2 reads in its XML mode. */
function byHtmlparser2(text: string): string[] {
  const collector = new Collector();
  const parser = new Parser({
    onopentag: (name, attributes) => collector.open(name, attributes),
    ontext: (text) => collector.text(text),
    onclosetag: (name) => collector.close(name),
  }, { xmlMode: true });
  parser.end(text);
  collector.end();
  return collector.found;
}

const lines = (await new Response(Deno.stdin.readable).text()).trimEnd().split("\n");
for (const line of lines) {
  const { body } = JSON.parse(line) as { readonly body: string };
  const text = new TextDecoder().decode(Uint8Array.fromBase64(body));
  console.log(JSON.stringify({ saxes: bySaxes(text), htmlparser2: byHtmlparser2(text) }));
}
