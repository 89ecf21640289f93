import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { type EventStream, pages, parseSitemap, type TreeEvent, walk } from "../../mod.ts";
import { unfinished } from "../http/scripted_fetch.ts";
import { fixtureSite } from "./memory_site.ts";
import { timeless } from "../support/timeless.ts";
import { HOME, index, numbered, urlset } from "./site.ts";
import { DONE, eventsOf, SITES } from "./walked.ts";

/** Returns events as JSON, without durations and the random name of the control probe. */
function steady(events: readonly TreeEvent[]): string {
  return timeless(JSON.stringify(events)).replace(/\/[0-9a-f]{13}\.xml/, "");
}

/** Returns the items of all batches, and checks each batch. */
async function readBatches<T>(stream: EventStream<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const batch of stream.batches()) {
    assert(batch.length > 0 && batch.length <= 1000, `${batch.length} items`);
    items.push(...batch);
  }
  return items;
}

for (const site of SITES) {
  Deno.test(`walk() and pages() yield the same in batches as one by one, for the site "${site}"`, async () => {
    const options = { fetch: fixtureSite(site).fetch, retryDelay: 0 };
    const events = await Array.fromAsync(walk(HOME, options));
    assertEquals(steady(await readBatches(walk(HOME, options))), steady(events));
    const listed = eventsOf(events, "page").map(({ page }) => page);
    assertEquals(await readBatches(pages(HOME, options)), listed);
    const stream = pages(HOME, options);
    assertEquals(await Array.fromAsync(stream), listed);
    assertEquals(stream.finished?.stats.pages, listed.length);
  });
}

Deno.test("parseSitemap() yields the same in batches as one by one, in far fewer steps", async () => {
  const xml = urlset(...numbered(5000, (at) => `/${at}`));
  const events = await Array.fromAsync(parseSitemap(xml));
  assertEquals(steady(await readBatches(parseSitemap(xml))), steady(events));
  const batches = await Array.fromAsync(parseSitemap(xml).batches());
  assert(batches.length < events.length / 50, `${batches.length} batches`);
});

Deno.test("parseSitemap() yields the children of an index in full batches", async () => {
  const urls = numbered(2500, (at) => `${HOME}${at}.xml`);
  const batches = await Array.fromAsync(parseSitemap(index(...urls)).batches());
  const children = eventsOf(batches.flat(), "invalid");
  assertEquals(children.map(({ sitemap }) => sitemap.url), urls);
  assertEquals(batches.flat().at(-1)?.type, "finished");
  assert(batches.length <= 10, `${batches.length} batches`);
});

Deno.test("batches() yields the pages of a body that has not ended", async () => {
  const body = unfinished("https://site.test/a\nh").stream();
  const batches = parseSitemap(body, { url: "https://site.test/sitemap.txt" }).batches();
  const { value = [] } = await batches.next();
  assertEquals((value as TreeEvent[]).map(({ type }) => type), ["sitemap-entered", "page"]);
  await batches.return();
});

/** Every way to leave a walk after a number of batches. */
const WAYS: Readonly<
  Record<string, (events: EventStream<TreeEvent>, after: number, abort: AbortController) => unknown>
> = {
  async "break"(events, after) {
    for await (const _ of events.batches()) if (--after === 0) break;
    assertEquals(after, 0);
  },
  async "return() while next() is pending"(events, after) {
    const batches = events.batches();
    while (--after > 0) await batches.next();
    const pending = [batches.next(), events.next(), batches.next()];
    assertEquals(await batches.return(), DONE);
    await Promise.all<unknown>(pending);
  },
  async "throw()"(events, after) {
    const batches = events.batches();
    while (after-- > 0) await batches.next();
    await assertRejects(() => batches.throw(new RangeError("mine")), RangeError, "mine");
  },
  async "signal"(events, after, abort) {
    const batches = events.batches();
    while (after-- > 0) await batches.next();
    const reason = new Error("enough");
    abort.abort(reason);
    assertStrictEquals(await batches.next().catch((error) => error), reason);
  },
};

for (const [way, leave] of Object.entries(WAYS)) {
  Deno.test(`leaving the batches of a walk by ${way} leaves no body and no timer open`, async () => {
    const memory = fixtureSite("demo");
    // never reached, and its timer must not outlive the walk
    const options = { fetch: memory.fetch, deadline: 3_600_000 };
    const total = (await Array.fromAsync(walk(HOME, options).batches())).length;
    for (let after = 1; after <= total; after++) {
      const abort = new AbortController();
      const events = walk(HOME, { ...options, signal: abort.signal });
      await leave(events, after, abort);
      assertEquals(memory.open, [], `after ${after} batches`);
      assertEquals(await events.next(), DONE);
      assertEquals(await events.batches().next(), DONE);
    }
  });
}

Deno.test("batches() rejects its first next() as walk() does", async () => {
  await assertRejects(() => walk("ftp://site.test/").batches().next(), TypeError);
  await assertRejects(() => pages(HOME, { concurrency: 0 }).batches().next(), RangeError);
  await assertRejects(() => parseSitemap("", { maxBytes: -1 }).batches().next(), RangeError);
});
