/**
 * Crawls a site with several workers that share one walk.
 *
 *     deno run --allow-net crawler_queue.ts https://example.com/ 4
 *
 * The generator is the queue. While all workers are busy it is not read, so it requests nothing
 * either, however large the sitemaps are.
 *
 * @module
 */

import { pages } from "@sitetree/sitetree";
import process from "node:process";

const [homepage, workers = "4"] = process.argv.slice(2);
if (homepage === undefined) throw new TypeError("Usage: HOMEPAGE [WORKERS]");

const queue = pages(homepage);

async function work(): Promise<void> {
  for await (const { url } of queue) {
    const response = await fetch(url);
    const { length } = await response.text();
    console.log(`${response.status} ${length} ${url}`);
  }
}

await Promise.all(Array.from({ length: Number(workers) }, work));
