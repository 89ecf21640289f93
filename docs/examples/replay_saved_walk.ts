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

const [homepage, path] = Deno.args;
if (homepage === undefined || path === undefined) throw new TypeError("Usage: HOMEPAGE FILE");

async function save(site: string, file: string): Promise<void> {
  using output = await Deno.create(`${file}.part`);
  await toReadableStream(walk(site)).pipeThrough(toNdjson()).pipeTo(output.writable);
  await Deno.rename(`${file}.part`, file);
}

try {
  await Deno.stat(path);
} catch (error) {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
  await save(homepage, path);
}

using saved = await Deno.open(path);
const tree = await collect(saved.readable.pipeThrough(fromNdjson()));
for (const sitemap of tree.allSitemaps()) {
  console.log(`${sitemap.pages.length} pages in ${sitemap.url} (${sitemap.type})`);
}
