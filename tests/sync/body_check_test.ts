import { assertEquals } from "@std/assert";
import { openSnapshot, sync, type SyncOptions } from "../../src/sync/mod.ts";
import { type Answer, bytes, text, TrackedBody } from "../http/scripted_fetch.ts";
import { HOME, index, type Pages, robots, siteFetch, urlset } from "../walk/site.ts";

const BODY = urlset(...Array.from({ length: 50 }, (_, at) => `/${at}`));

/** Responds with texts as chunks, after which the body breaks off. */
function broken(...chunks: string[]): Answer {
  return () => {
    const body = new TrackedBody((at) => {
      if (at >= chunks.length) throw new TypeError("connection reset");
      return bytes(chunks[at]!);
    });
    // as that of a text
    const headers = { "content-type": "text/plain;charset=UTF-8" };
    return new Response(body.stream(), { headers });
  };
}

/** Runs `sync()` some times; returns the types of the events of the last run. */
async function syncOften(
  pages: Pages,
  runs: number,
  options: Partial<SyncOptions> = {},
): Promise<string[]> {
  const { fetch } = siteFetch({ "/robots.txt": robots("/s"), ...pages });
  await using snapshot = await openSnapshot(":memory:");
  const all = { snapshot, fetch, retryDelay: 0, useKnownPaths: false, ...options };
  for (let run = 1; run < runs; run++) await Array.fromAsync(sync(HOME, all));
  const events = await Array.fromAsync(sync(HOME, all));
  return events.map((event) => "page" in event ? `${event.type} ${event.page.url}` : event.type);
}

Deno.test("sync() enters an unchanged sitemap once if its body broke off", async () => {
  const expected = await syncOften({ "/s": text(BODY) }, 2);
  assertEquals(expected.includes("sitemap-unchanged"), true);
  for (const length of [1, 700, BODY.length - 1]) {
    const answers = [text(BODY), broken(BODY.slice(0, length)), text(BODY)];
    assertEquals(await syncOften({ "/s": answers }, 2), expected);
  }
});

Deno.test("sync() reads a changed sitemap once if its body broke off", async () => {
  const changed = urlset("/new", ...Array.from({ length: 50 }, (_, at) => `/${at}`));
  const expected = await syncOften({ "/s": [text(BODY), text(changed)] }, 2);
  assertEquals(expected.filter((type) => type.startsWith("added")), [`added ${HOME}new`]);
  for (const first of [BODY, changed, "<urlset>"]) {
    const answers = [text(BODY), broken(first.slice(0, 700)), text(changed)];
    assertEquals(await syncOften({ "/s": answers }, 2), expected);
  }
});

Deno.test("sync() cancels a body that it requested for a digest and does not read", async () => {
  const page = "<!doctype html><html><head><title>Not found</title></head><body>";
  const again = new TrackedBody((at) => at === 0 ? bytes(page) : new Promise(() => {}));
  let wasCancelled = false;
  await syncOften(
    {
      "/s": index("/a", "/b"),
      "/a": [broken(page), again.answer],
      "/b": (url, init) => {
        wasCancelled = again.cancelled !== undefined;
        return text(urlset("/x"))(url, init);
      },
    },
    1,
    { concurrency: 1 },
  );
  assertEquals(wasCancelled, true);
});
