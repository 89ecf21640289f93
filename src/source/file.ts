/**
 * Files, and standard input, as sources of events: a sitemap of any kind, or a saved walk, by
 * content.
 *
 * @module
 */

import { inBatches } from "../data/batches.ts";
import type { TreeEvent } from "../data/events.ts";
import { type FileContent, peekContent } from "../disk/content.ts";
import { openFile } from "../disk/files.ts";
import { pathToFileURL, standardInput } from "../platform/host.ts";
import { codeOf, IS_WINDOWS } from "../platform/process.ts";
import { selectPages } from "../walk/page_selection.ts";
import { parseWith } from "../walk/parse_sitemap.ts";
import { fromNdjson } from "../write/from_ndjson.ts";
import type { WalkOptions } from "../walk/options.ts";
import { hostHint } from "../disk/paths.ts";
import type { Operand, Reader } from "./reader.ts";
import { fileError, SourceError } from "./source_error.ts";

/** `path` is `-` for standard input, `given` the URL of the sitemap in the file. */
export function fileOperand(
  path: string,
  given: string | undefined,
  { maxBytes, notes }: Pick<WalkOptions, "maxBytes" | "notes">,
): Operand {
  const url = given ?? (path === "-" ? "file:///dev/stdin" : pathToFileURL(path).href);
  const file = path === "-" ? undefined : IS_WINDOWS ? path.replaceAll("\\", "/") : path;
  let kind: Operand["kind"] = "file";
  return {
    name: path,
    get kind() {
      return kind;
    },
    site: given === undefined ? undefined : new URL(given),
    fileOf: (address) => address === url ? file : undefined,
    async *read(reader) {
      const { signal, pages } = reader;
      const content = await peekContent(await openInput(path, hostHint(path)));
      if (path === "-" && content.listsSites) {
        reader.note({ code: "lists-sites", message: "read as a text sitemap" });
      }
      if (content.isSaved) {
        kind = "saved";
        return yield* selectPages(savedEvents(content, path, reader), pages);
      }
      yield* parseWith(content.bytes, {
        url,
        ...(maxBytes !== undefined && { maxBytes }),
        ...(notes !== undefined && { notes }),
        ...(signal !== undefined && { signal }),
      }, pages).batches();
    },
  };
}

async function* savedEvents(
  { bytes, isGzipped }: FileContent,
  path: string,
  reader: Reader,
): AsyncGenerator<readonly TreeEvent[], void, void> {
  const { signal } = reader;
  const text = isGzipped ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
  try {
    let last: TreeEvent | undefined;
    const events = text.pipeThrough(fromNdjson(), signal === undefined ? {} : { signal });
    for await (const batch of inBatches(events)) {
      last = batch.at(-1);
      yield batch;
    }
    if (last?.type === "finished") return;
    reader.note({ code: "unfinished", message: "the file ends before the walk that it has saved" });
  } catch (error) {
    const reason = signal?.aborted ? undefined : savedFault(error, isGzipped);
    if (reason === undefined) throw error;
    const message = `Cannot read "${path}": ${reason}`;
    throw new SourceError("saved-walk", message, undefined, { cause: error });
  }
}

/** The words do not depend on the runtime. */
function savedFault(error: unknown, isGzipped: boolean): string | undefined {
  if (!(error instanceof SyntaxError)) {
    return isGzipped ? "corrupt or truncated gzip data" : undefined;
  }
  const message = error.message.replace(/^Cannot read /, "");
  return error.cause instanceof SyntaxError ? message.replace(/:.*/s, ": invalid JSON") : message;
}

/** Opens a file, or standard input for `-`; `hint` is for one that does not exist. */
export async function openInput(
  path: string,
  hint?: string,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (path === "-") return standardInput();
  try {
    return await openFile(path);
  } catch (error) {
    throw fileError("read", path, error, codeOf(error) === "ENOENT" ? hint : undefined);
  }
}
