/**
 * Serves the bundled site on loopback.
 *
 * @module
 */

import { type LoopbackServer, serve } from "../platform/host_http.ts";
import { DEMO_SITE, ORIGIN_PLACEHOLDER } from "./demo_site.ts";

/** Serves the bundled site on a free port of loopback. */
export function serveDemo(): Promise<LoopbackServer> {
  return serve(async (path, origin) => {
    const document = Object.hasOwn(DEMO_SITE, path) ? DEMO_SITE[path] : undefined;
    if (document === undefined) return undefined;
    const { contentType } = document;
    const text = document.text.replaceAll(ORIGIN_PLACEHOLDER, origin);
    return { contentType, body: path.endsWith(".gz") ? await gzip(text) : text };
  });
}

async function gzip(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
