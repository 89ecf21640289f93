/**
 * Serves the bundled site on loopback.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { DEMO_SITE, ORIGIN_PLACEHOLDER } from "./demo_site.ts";

/** The bundled site on a free port of loopback. `await using` stops it. */
export class DemoServer implements AsyncDisposable {
  /** The homepage, with its slash. */
  readonly url: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** Starts to serve. */
  constructor() {
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(options, (request) => answer(new URL(request.url)));
    this.url = `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function answer({ pathname, origin }: URL): Response {
  const document = Object.hasOwn(DEMO_SITE, pathname) ? DEMO_SITE[pathname] : undefined;
  if (document === undefined) return new Response("Not found\n", { status: 404 });
  const text = document.text.replaceAll(ORIGIN_PLACEHOLDER, origin);
  const body = pathname.endsWith(".gz") ? new Uint8Array(gzipSync(text)) : text;
  return new Response(body, { headers: { "content-type": document.contentType } });
}
