/**
 * `sitetree demo`: serves the bundled site on loopback and walks it.
 *
 * @module
 */

import { walk } from "../../../mod.ts";
import { type LoopbackServer, serve } from "../../platform/host_http.ts";
import type { Arguments } from "../arguments.ts";
import { UsageError } from "../failure.ts";
import { eventWriter } from "../formats.ts";
import { requireNet } from "../permissions.ts";
import { PageFilter } from "../selection.ts";
import { openSession } from "../session.ts";
import type { Source } from "../sources.ts";
import { demoSite } from "./demo_site.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  atom: "application/atom+xml",
  gz: "application/gzip",
  rss: "application/rss+xml",
  txt: "text/plain; charset=utf-8",
  xml: "application/xml",
};

/** Runs the command. Returns the exit code. */
export async function demo(args: Arguments): Promise<number> {
  const [operand] = args.operands;
  if (operand !== undefined) {
    throw new UsageError(`Unexpected operand "${operand}"`, `try "sitetree ls ${operand}"`);
  }
  await requireNet(new URL("http://127.0.0.1/"));
  using session = await openSession(args);
  await using server = await serveDemo();
  const site = new URL(server.origin);
  const head = `A small site at ${site.href}, walked by "sitetree ls --strip-url":\n\n`;
  await session.output.write(new TextEncoder().encode(head));
  const format = { format: "tree", stripUrl: true, columns: undefined } as const;
  const source: Source = {
    name: site.href,
    site,
    read: (_reading, { signal }) => walk(site, { signal }).batches(),
  };
  return await session.run({
    sources: [source],
    filter: new PageFilter(),
    makeWriter: () => eventWriter(format, session.output, site, session.color),
    isWriterPerSource: true,
    keepsEmpty: true,
  });
}

function serveDemo(): Promise<LoopbackServer> {
  return serve(async (path, origin) => {
    const documents = demoSite(origin);
    if (!Object.hasOwn(documents, path)) return undefined;
    const text = documents[path]!;
    const extension = path.replace(/.*\./, "");
    const contentType = CONTENT_TYPES[extension]!;
    return { contentType, body: extension === "gz" ? await gzip(text) : text };
  });
}

async function gzip(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
