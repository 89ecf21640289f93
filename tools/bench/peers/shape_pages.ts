/**
 * saxes without namespaces, with every field of a page: the base of the table of shapes.
 *
 * The element that is open is a node of a table, so a start tag costs one lookup and an end tag
 * none; names in other cases and with other prefixes are resolved once each and then looked up like
 * any other. Like `page_builder.ts`, it checks less than sitetree does: no repair, no comparison
 * with earlier addresses, no check of addresses, no limits, no warnings.
 *
 * @module
 */

import { SaxesParser } from "saxes";
import type { PageSink } from "../contender.ts";
import { type Attributes, decodeEach } from "./page_builder.ts";
import { Draft, type ElementSpec, ROOTS } from "./shape_elements.ts";

/** An element of the tables, with its children by their names in documents. */
interface ElementNode extends ElementSpec {
  readonly known: ReadonlyMap<string, ElementNode>;
  /** Names seen so far; for some names, a search takes less time than a `Map` does. */
  readonly names: string[];
  /** Their elements, {@linkcode UNKNOWN} included. */
  readonly nodes: ElementNode[];
}

/** Prefixes of one document, each with the conventional one in its place; `""` is the format's own. */
type Prefixes = ReadonlyMap<string, string>;

function nodeOf(spec: ElementSpec): ElementNode {
  const known = Object.entries(spec.children ?? {}).map(([name, child]) =>
    [name, nodeOf(child)] as const
  );
  // the same fields in all, in the same order
  const { open, text, close, children = {}, hasMarkup = false, isOutside = false } = spec;
  return {
    open,
    text,
    close,
    children,
    hasMarkup,
    isOutside,
    known: new Map(known),
    names: [],
    nodes: [],
  } as ElementNode;
}

/** Placeholder for unknown elements. */
const UNKNOWN: ElementNode = nodeOf({});

/** Maximum of names remembered below one element. */
const MAX_NAMES = 64;

const CONVENTIONAL: ReadonlyMap<string, ElementNode> = new Map(
  Object.entries(ROOTS).map(([name, spec]) => [name, nodeOf(spec)]),
);
const NO_PREFIXES: Prefixes = new Map();

/** Parts of namespaces, and the conventional prefix of each. */
const NAMESPACE_PARTS: readonly (readonly [string, string])[] = [
  ["/sitemap-image/", "image"],
  ["/sitemap-news/", "news"],
  ["/sitemap-video/", "video"],
  ["/sitemap/", ""],
  ["/1999/xhtml", "xhtml"],
  ["purl.org/dc/elements/", "dc"],
];

function partsOf(name: string): readonly [string, string] {
  const colon = name.indexOf(":");
  return colon < 0 ? ["", name] : [name.slice(0, colon), name.slice(colon + 1)];
}

/** The prefixes of a root element that do not have their conventional meaning. */
function prefixesOf(name: string, attributes: Attributes): Prefixes {
  const [ownPrefix] = partsOf(name);
  const own = attributes[ownPrefix === "" ? "xmlns" : `xmlns:${ownPrefix}`];
  const prefixes = new Map<string, string>();
  for (const attribute in attributes) {
    if (!attribute.startsWith("xmlns:")) continue;
    const prefix = attribute.slice("xmlns:".length), namespace = attributes[attribute]!;
    const meaning = namespace === own
      ? ""
      : NAMESPACE_PARTS.find(([part]) => namespace.includes(part))?.[1];
    if (meaning !== undefined && meaning !== prefix) prefixes.set(prefix, meaning);
  }
  return prefixes;
}

/** Makes the pages of one document from the events of saxes. */
class ShapePages {
  readonly #draft: Draft;
  readonly #outer: ElementNode[] = [];
  #node: ElementNode | undefined;
  #prefixes: Prefixes = NO_PREFIXES;
  /** Open elements from the first unknown one on. */
  #skipped = 0;
  #takesText = false;
  #text = "";

  constructor(sink: PageSink) {
    this.#draft = new Draft(sink);
  }

  open(name: string, attributes: Attributes): void {
    const parent = this.#node;
    if (parent === undefined) return this.#openRoot(name, attributes);
    if (this.#skipped > 0) {
      this.#skipped++;
      return;
    }
    const { names } = parent;
    let at = 0;
    while (at < names.length && names[at] !== name) at++;
    const node = at < names.length ? parent.nodes[at]! : this.#resolve(parent, name);
    if (node === UNKNOWN) {
      if (parent.isOutside) this.#outer.push(parent);
      else {
        this.#skipped = 1;
        this.#takesText = parent.hasMarkup === true;
      }
      return;
    }
    this.#outer.push(parent);
    this.#node = node;
    this.#takesText = node.text !== undefined;
    this.#text = "";
    node.open?.(this.#draft, attributes);
  }

  text(text: string): void {
    if (this.#takesText) this.#text += text;
  }

  close(): void {
    const node = this.#node!;
    if (this.#skipped > 0) {
      if (--this.#skipped === 0) this.#takesText = node.text !== undefined;
      return;
    }
    if (node.text !== undefined) {
      const text = this.#text.trim();
      if (text !== "") node.text(this.#draft, text);
      this.#takesText = false;
    }
    node.close?.(this.#draft);
    this.#node = this.#outer.pop();
  }

  #openRoot(name: string, attributes: Attributes): void {
    const local = partsOf(name)[1].toLowerCase();
    this.#prefixes = prefixesOf(name, attributes);
    const spec = ROOTS[local];
    if (spec === undefined) throw new Error(`Unknown root element "${name}"`);
    // names of another document mean the same only if its prefixes do
    this.#node = this.#prefixes.size === 0 ? CONVENTIONAL.get(local) : nodeOf(spec);
  }

  #resolve(parent: ElementNode, name: string): ElementNode {
    const [prefix, local] = partsOf(name);
    const meaning = this.#prefixes.get(prefix) ?? prefix;
    const known = (meaning === "" ? local : `${meaning}:${local}`).toLowerCase();
    const node = parent.known.get(known) ?? UNKNOWN;
    if (parent.names.length < MAX_NAMES) {
      parent.names.push(name);
      parent.nodes.push(node);
    }
    return node;
  }
}

/**
 * Reads a document and emits its pages, or the children of an index, in order.
 *
 * @throws {Error} if it is not well-formed
 */
export function readShape(
  chunks: Iterable<Uint8Array>,
  sink: PageSink,
  encoding = "utf-8",
): void {
  const pages = new ShapePages(sink);
  const parser = new SaxesParser();
  parser.on("opentag", (tag) => pages.open(tag.name, tag.attributes));
  parser.on("text", (text) => pages.text(text));
  parser.on("cdata", (text) => pages.text(text));
  parser.on("closetag", () => pages.close());
  parser.on("error", (error) => {
    throw error;
  });
  decodeEach(chunks, (text) => void parser.write(text), encoding);
  parser.close();
}
