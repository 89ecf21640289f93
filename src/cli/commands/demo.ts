/**
 * Serves the bundled site on loopback.
 *
 * @module
 */

import { walk } from "../../../mod.ts";
import { type LoopbackServer, serve } from "../../platform/host_http.ts";
import type { Arguments } from "../arguments.ts";
import { EXIT_CODES, UsageError } from "../failure.ts";
import { eventWriter } from "../formats.ts";
import { requireNet } from "../permissions.ts";
import { PageFilter } from "../selection.ts";
import { openSession } from "../session.ts";
import { pageFilterOptions } from "../settings.ts";
import type { Source } from "../sources.ts";
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

// MERGED: `sitetree demo`: the bundled site, served on loopback and walked.

/** Runs the command. Returns the exit code. */
export async function demo(args: Arguments): Promise<number> {
  const [operand] = args.operands;
  if (operand !== undefined) {
    throw new UsageError(`The demo walks its own site, not "${operand}"`, `try "sitetree ls"`);
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
  const exitCode = await session.run({
    sources: [source],
    filter: new PageFilter(pageFilterOptions(args)),
    makeWriter: () => eventWriter(format, session.output, site, session.color),
    isWriterPerSource: true,
    keepsEmpty: true,
  });
  // the site has a dead link, to show what becomes of it
  return exitCode === EXIT_CODES.partial ? EXIT_CODES.complete : exitCode;
}
