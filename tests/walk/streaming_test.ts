import { assertEquals } from "@std/assert";
import { walk } from "../../mod.ts";
import { bytes, TrackedBody } from "../http/scripted_fetch.ts";
import { HOME, robots, siteFetch } from "./site.ts";

const SCRIPT = new URL("streamed_walk.ts", import.meta.url);
const CONFIG = new URL("../../deno.json", import.meta.url);

/** Half of the memory that the whole sitemap would need. */
const HEAP_MEGABYTES = 24;

Deno.test("walk() yields the first page of a sitemap before it reads the second chunk", async () => {
  const page = (at: number) => `<url><loc>${HOME}${at}</loc></url>`;
  const body = new TrackedBody((at) => {
    if (at === 0) return bytes(`<?xml version="1.0"?><urlset>${page(0)}${page(1)}<url><lo`);
    return at === 1 ? bytes(`c>${HOME}2</loc></url></urlset>`) : undefined;
  });
  const { fetch } = siteFetch({ "/robots.txt": robots("/large"), "/large": body.answer });
  const pulledAt: number[] = [];
  for await (const event of walk(HOME, { fetch, useKnownPaths: false })) {
    if (event.type === "page") pulledAt.push(body.pulled);
  }
  assertEquals(pulledAt, [1, 1, 2]);
});

Deno.test("walk() reads a sitemap of 50 MB with less memory than that", async () => {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", `--config=${CONFIG.pathname}`],
      ...[`--v8-flags=--max-old-space-size=${HEAP_MEGABYTES}`, SCRIPT.pathname],
    ],
  }).output();
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
  assertEquals(JSON.parse(new TextDecoder().decode(stdout)), {
    pulledAtFirstPage: 1,
    // the current chunk
    furthestAhead: 1,
    pages: 500_000,
    large: true,
  });
});
