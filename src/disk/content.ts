/**
 * What a file is, by how it begins.
 *
 * @module
 */

import { peek, streamSource } from "../bytes/byte_source.ts";
import { decompress } from "../bytes/gunzip.ts";
import { readStart } from "../platform/host.ts";
import { statOf } from "./files.ts";

export interface FileContent {
  /** All of it. */
  readonly bytes: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly isGzipped: boolean;
  /** Whether it is a saved walk. */
  readonly isSaved: boolean;
  /** Whether it begins like a list of sites, not of pages. */
  readonly listsSites: boolean;
}

/** Bytes that show the kind of a file, after a byte order mark and blank lines. */
const KIND_BYTES = 64;

export async function peekContent(stream: FileContent["bytes"]): Promise<FileContent> {
  const [start, bytes] = stream.tee();
  const { source, wasCompressed = false } = await decompress(streamSource(start), {
    warn: () => {},
  });
  const { head } = await peek(source, KIND_BYTES);
  source.cancel();
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(head);
  // JSON, which no sitemap begins like
  const isSaved = /^\ufeff?\s*\{/.test(text);
  return { bytes, isGzipped: wasCompressed, isSaved, listsSites: listsSites(text) };
}

/** A host such as `example.com:8080`, or a homepage. */
const SITE_REGEXP = /^(?:https?:\/\/[^\s/?#]+|[^\s/:@.?#<>]+(?:\.[^\s/:@.?#<>]+)+(?::\d+)?)\/?$/i;

/** The last line may be cut. */
function listsSites(text: string): boolean {
  const lines = text.split("\n").map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (lines.length > 1 && !text.endsWith("\n")) lines.pop();
  return 2 * lines.filter((line) => SITE_REGEXP.test(line)).length > lines.length;
}

const SQLITE_START = "SQLite format 3\0";

export function isSqlite(path: string): boolean {
  try {
    return statOf(path)?.isFile() === true && readStart(path, SQLITE_START.length) === SQLITE_START;
  } catch {
    return false;
  }
}
