/**
 * Serves a site in a process of its own while it is used.
 *
 * @module
 */

import { sitemapFile } from "./bench_data.ts";
import { denoCommand } from "./launch.ts";
import type { SiteShape } from "./site_server.ts";

/** Calls `use` with the origin of a running server. */
export async function withSite<T>(
  shape: SiteShape,
  use: (origin: string) => Promise<T>,
): Promise<T> {
  for (let at = 0; at < Math.min(shape.sitemaps, shape.distinct); at++) {
    await sitemapFile(at, shape.pages, shape.gzip);
  }
  await using server = denoCommand("site_server.ts", [JSON.stringify(shape)]).spawn();
  const reader = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value: port } = await reader.read();
  try {
    return await use(`http://127.0.0.1:${port!.trim()}`);
  } finally {
    server.kill();
    await reader.cancel();
  }
}
