/**
 * Process that walks a site and writes its pages to a file, by the command line or by the library, and
 * reports its peak memory.
 *
 *     deno run -A writer_client.ts ls -f FORMAT -o FILE ORIGIN
 *     deno run -A writer_client.ts library FORMAT FILE ORIGIN
 *
 * @module
 */

import process from "node:process";
import { peakRss } from "../../tests/support/peak_rss.ts";

async function writePages(format: string, path: string, origin: string): Promise<void> {
  const { pages } = await import("../../mod.ts");
  const { toCsv, toNdjson, toReadableStream, toText } = await import("../../src/write/mod.ts");
  const writers: Readonly<Record<string, typeof toText>> = {
    pages: toText,
    ndjson: toNdjson,
    csv: toCsv,
  };
  const { writable } = await Deno.open(path, { write: true, create: true, truncate: true });
  const batches = pages(origin, { concurrency: 4 }).batches();
  await toReadableStream(batches).pipeThrough(writers[format]!()).pipeTo(writable);
}

if (import.meta.main) {
  process.on("exit", () => console.log(JSON.stringify({ peakRss: peakRss() })));
  const [first, format, path, origin] = Deno.args as [string, string, string, string];
  if (first === "library") await writePages(format, path, origin);
  else await (await import("../../src/cli/main.ts")).main();
}
