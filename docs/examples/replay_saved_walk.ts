/**
 * Walks a site once, saves the events, and replays the file from then on.
 *
 *     deno run --allow-net --allow-read --allow-write replay_saved_walk.ts https://example.com/ walk.ndjson
 *
 * `sitetree ls https://example.com/ --format events -o walk.ndjson` writes the same file.
 *
 * @module
 */

import { collect, walk } from "@sitetree/sitetree";
import { fromNdjson, toNdjson, toReadableStream } from "@sitetree/sitetree/write";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import process from "node:process";
import { pipeline } from "node:stream/promises";

const [homepage, path] = process.argv.slice(2);
if (homepage === undefined || path === undefined) throw new TypeError("Usage: HOMEPAGE FILE");

if (!existsSync(path)) {
  const lines = toReadableStream(walk(homepage)).pipeThrough(toNdjson());
  await pipeline(lines, createWriteStream(`${path}.part`));
  await rename(`${path}.part`, path);
}

const saved = toReadableStream<Uint8Array>(createReadStream(path));
const tree = await collect(saved.pipeThrough(fromNdjson()));
for (const sitemap of tree.allSitemaps()) {
  console.log(`${sitemap.pages.length} pages in ${sitemap.url} (${sitemap.type})`);
}
