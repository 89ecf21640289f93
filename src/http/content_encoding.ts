/**
 * Bodies that fail, perhaps because they do not have their Content-Encoding, and what follows.
 *
 * | failure                          | requested     | before its first byte | after it             |
 * | -------------------------------- | ------------- | --------------------- | -------------------- |
 * | the body cannot be decoded       | compressed    | `identity`, at once   | `identity`, at once  |
 * |                                  | as `identity` | final                 | the body is cut      |
 * | unknown, of an encoded body      | compressed    | `identity`, at once   | retried and resumed  |
 * | any other: timeout, reset, …     | either        | retried, `identity`   | retried and resumed  |
 *
 * A request at once waits for the pace of its host only. It is a retry, but made without `retries`
 * too. A body that is read although an earlier one could not be decoded has the warning
 * `content-encoding`, and so has a sitemap for which that is final.
 *
 * Runtimes say by an error of the body that they cannot decode it; only the `fetch` of Node 20 and 22
 * may leave it pending, once all of it was received. Some let us read the bytes:
 *
 * | runtime  | cannot be decoded                      | broken off                | bytes are read  |
 * | -------- | -------------------------------------- | ------------------------- | --------------- |
 * | Deno 2.9 | `Invalid gzip header`, `brotli error`, | `error reading a body`,   | by `range`, or  |
 * |          | `CRC computed does not match`          | `unexpected end of file`  | `identity`      |
 * | Node     | `Z_DATA_ERROR`, `ZSTD_error_…`,        | `UND_ERR_…`, `HPE_…`      | never           |
 * |          | `ERR__ERROR_FORMAT_…` (brotli)         |                           |                 |
 * | Bun      | `ZlibError`, `…DecompressionError`,    | `ECONNRESET`              | by `decompress: |
 * |          | also of truncated data                 |                           | false`          |
 * | workerd  | `Gzip decompression failed.`           | `Network connection lost` | never           |
 * |          |                                        | `… ended prematurely.`    |                 |
 * | Chromium | `network error`                        | `network error`           | never           |
 *
 * @module
 */

import { lastCoding } from "../bytes/gunzip.ts";
import type { RequestCode } from "../data/codes.ts";

interface FailedBody {
  readonly code: RequestCode | undefined;
  readonly contentEncoding: string | null | undefined;
  /** Whether it was requested as `identity`. */
  readonly isUnencoded: boolean;
  readonly hasBegun: boolean;
}

export function afterBody(
  { code, contentEncoding, isUnencoded, hasBegun }: FailedBody,
): "identity" | "retry" | "none" {
  if (code === "content-encoding") return isUnencoded ? "none" : "identity";
  const isUnknown = code === "network" && lastCoding(contentEncoding) !== undefined;
  return isUnknown && !isUnencoded && !hasBegun ? "identity" : "retry";
}
