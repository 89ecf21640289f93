/**
 * Writes all pages of a site to a file, one line of JSON per page.
 *
 *     deno run --allow-net --allow-write all_pages_to_ndjson.ts https://example.com/ pages.ndjson
 *
 * A slow disk holds back the walk, so memory stays flat.
 *
 * @module
 */

import { pages } from "@sitetree/sitetree";
import { toNdjson, toReadableStream } from "@sitetree/sitetree/write";
import { createWriteStream } from "node:fs";
import process from "node:process";
import { pipeline } from "node:stream/promises";

const [homepage, path] = process.argv.slice(2);
if (homepage === undefined || path === undefined) throw new TypeError("Usage: HOMEPAGE FILE");

const lines = toReadableStream(pages(homepage)).pipeThrough(toNdjson());
await pipeline(lines, createWriteStream(path));
