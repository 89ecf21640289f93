/**
 * crawlee's `parseSitemap()`. It hashes the whole content once per page when it is given a string,
 * so it gets a URL: a server in the same process hands the chunks out.
 *
 * @module
 */

import { parseSitemap } from "@crawlee/utils";
import type { Contender } from "../contender.ts";
import { emptyPage } from "./page_builder.ts";

/** crawlee over loopback; it reads urlsets without extensions, and text. */
export const contender: Contender = {
  name: "crawlee (over loopback)",
  kinds: ["plain", "text"],
  async read(kind, chunks, sink) {
    const file = kind === "text" ? "sitemap.txt" : "sitemap.xml";
    const type = kind === "text" ? "text/plain" : "application/xml";
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(ReadableStream.from(chunks), { headers: { "content-type": type } }),
    );
    const url = `http://127.0.0.1:${server.addr.port}/${file}`;
    for await (
      const item of parseSitemap([{ type: "url", url }], undefined, { enqueueStrategy: "all" })
    ) {
      const page = emptyPage();
      page.url = item.loc;
      page.lastModified = item.lastmod;
      page.changeFrequency = item.changefreq;
      if (item.priority !== undefined) page.priority = item.priority;
      sink(page);
    }
    await server.shutdown();
  },
};
