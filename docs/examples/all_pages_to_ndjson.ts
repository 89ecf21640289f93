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

const [homepage, path] = Deno.args;
if (homepage === undefined || path === undefined) throw new TypeError("Usage: HOMEPAGE FILE");

using file = await Deno.open(path, { write: true, create: true, truncate: true });
await toReadableStream(pages(homepage)).pipeThrough(toNdjson()).pipeTo(file.writable);
