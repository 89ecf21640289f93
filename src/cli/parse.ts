/**
 * `sitetree parse`: one document, from a file or from standard input.
 *
 * @module
 */

import { pathToFileURL } from "node:url";
import { parseSitemap } from "../../mod.ts";
import type { Arguments } from "./arguments.ts";
import { UsageError } from "./failure.ts";
import { fileFailure } from "./file_failure.ts";
import { eventWriter, formatSettings } from "./formats.ts";
import type { FormatName } from "./option_table.ts";
import { Selection } from "./selection.ts";
import { openSession } from "./session.ts";
import { parseHttpUrl } from "./values.ts";
import { count } from "./wording.ts";
import { onlyOperand, selectionOptions } from "./walk_settings.ts";

/** The formats that show what an index lists. */
const SHOWING_LISTS: ReadonlySet<FormatName> = new Set(["tree", "tabtree", "events"]);

/** A document to be parsed. */
interface Source {
  readonly stream: ReadableStream<Uint8Array>;
  /** What it is called where it came from nowhere. */
  readonly url: string;
}

/** Runs the command: what the process exits with. */
export async function parse(args: Arguments): Promise<number> {
  const path = onlyOperand(args, "FILE");
  const format = formatSettings(args);
  const selection = new Selection(selectionOptions(args));
  const given = args.value("url");
  const site = given === undefined ? undefined : parseHttpUrl(given);
  const source = path === "-"
    ? { stream: Deno.stdin.readable, url: "file:///dev/stdin" }
    : await openSource(path);
  using session = await openSession(args);
  const { tally } = session;
  const url = site?.href ?? source.url;
  return await session.run({
    batches: parseSitemap(source.stream, { url, signal: session.signal }).batches(),
    selection,
    writer: await eventWriter(format, session.output, site, session.color),
    tellsEnding: format.format === "tree" ? "finished" : "never",
    keepsEmpty: false,
    moreAdvice: () =>
      tally.pages > 0 || tally.unfetched === 0 || SHOWING_LISTS.has(format.format) ? [] : [
        `it lists ${count(tally.unfetched, "sitemap")} and no pages: ` +
        '-f tree shows them, "sitetree ls" reads them',
      ],
  });
}

async function openSource(path: string): Promise<Source> {
  try {
    const file = await Deno.open(path);
    if ((await file.stat()).isDirectory) throw new Deno.errors.IsADirectory();
    return { stream: file.readable, url: pathToFileURL(path).href };
  } catch (error) {
    if (/^https?:/i.test(path) && error instanceof Deno.errors.NotFound) {
      throw new UsageError(
        `Cannot read "${path}": it is no file`,
        `try "curl -s ${path} | sitetree parse -", or "sitetree ls" for the whole site`,
      );
    }
    throw fileFailure("read", path, error);
  }
}
