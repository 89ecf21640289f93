/**
 * All pages of a site in a file, a line of JSON each.
 *
 *     deno run --allow-net --allow-write all_pages_to_ndjson.ts https://example.com/ pages.ndjson
 *
 * Nothing piles up: a slow disk holds back the walk.
 *
 * @module
 */

import { pages } from "@sitetree/sitetree";
import { toNdjson, toReadableStream } from "@sitetree/sitetree/write";

const [homepage, path] = Deno.args;
if (homepage === undefined || path === undefined) throw new TypeError("Usage: HOMEPAGE FILE");

using file = await Deno.open(path, { write: true, create: true, truncate: true });
await toReadableStream(pages(homepage)).pipeThrough(toNdjson()).pipeTo(file.writable);
