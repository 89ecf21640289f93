import { assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import fc from "../support/fast_check.ts";
import type { SitemapLeftEvent, SitemapRef, TreeEvent } from "../../src/data/events.ts";
import { collect, foldTree } from "../../src/tree/collect.ts";
import { sitemapFromJson } from "../../src/tree/json.ts";
import { IndexWebsiteSitemap, type Sitemap, type SitemapJson } from "../../src/tree/sitemaps.ts";
import { eventsOf, FINISHED, type Plan, SITE } from "./events.ts";

function planToJson(plan: Plan): SitemapJson {
  return {
    type: plan.type,
    url: plan.url,
    complete: plan.type !== "InvalidSitemap",
    warnings: {},
    ...(plan.type === "InvalidSitemap"
      ? { code: "http-status" as const, reason: "404 Not Found" }
      : {}),
    pages: plan.pages ?? [],
    subSitemaps: (plan.children ?? []).map(planToJson),
  };
}

const EXPECTED = planToJson(SITE);
const { verdict, stats } = FINISHED;
const EXPECTED_END: SitemapJson = { ...EXPECTED, verdict, stats };

function throughJson(events: readonly TreeEvent[]): TreeEvent[] {
  return events.map((event) => JSON.parse(JSON.stringify(event)));
}

async function* live(events: readonly TreeEvent[]): AsyncGenerator<TreeEvent, void, void> {
  for (const event of events) {
    await Promise.resolve();
    yield event;
  }
}

const urlsOf = (sitemaps: Iterable<Sitemap>) => Array.from(sitemaps, ({ url }) => url);

/** Events that can only be read in batches, of three. */
class BatchedEvents implements AsyncIterable<TreeEvent> {
  readonly #events: readonly TreeEvent[];

  constructor(events: readonly TreeEvent[]) {
    this.#events = events;
  }

  async *batches(): AsyncGenerator<readonly TreeEvent[], void, void> {
    for (let at = 0; at < this.#events.length; at += 3) {
      yield await Promise.resolve(this.#events.slice(at, at + 3));
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<TreeEvent> {
    throw new Error("read event by event");
  }
}

const EVENTS: readonly TreeEvent[] = [...eventsOf(SITE), FINISHED];

/** The events of a walk, in all kinds of sources. */
const SOURCES: Readonly<Record<string, () => Iterable<TreeEvent> | AsyncIterable<TreeEvent>>> = {
  "live events": () => live(EVENTS),
  "an array": () => EVENTS,
  "a set": () => new Set(EVENTS),
  "events read back from JSON": () => throughJson(EVENTS),
  "events in batches": () => new BatchedEvents(EVENTS),
};

for (const [name, source] of Object.entries(SOURCES)) {
  Deno.test(`collect() and foldTree() build the tree of a walk from ${name}`, async () => {
    for (const build of [collect, foldTree]) {
      for (const onDisk of [false, true]) {
        using tree = await build(source(), { onDisk });
        assertInstanceOf(tree, IndexWebsiteSitemap);
        assertEquals(tree.toJSON(), EXPECTED_END);
      }
    }
  });
}

Deno.test("collect() builds the same tree from events in any order", async () => {
  const events = eventsOf(SITE);
  const order = fc.array(fc.nat(), { minLength: events.length, maxLength: events.length });
  await fc.assert(
    fc.asyncProperty(order, async (keys) => {
      // Pages of one sitemap stay in their order; all else is shuffled.
      const shuffled = events.map((event, i) => ({ event, key: keys[i]! }))
        .sort((a, b) => a.key - b.key).map(({ event }) => event);
      const inOrder = events.filter((event) => event.type === "page");
      const arrived = shuffled.map((event) => {
        if (event.type !== "page") return event;
        const at = inOrder.findIndex(({ sitemap }) => sitemap.id === event.sitemap.id);
        return inOrder.splice(at, 1)[0]!;
      });
      assertEquals((await collect(arrived)).toJSON(), EXPECTED);
    }),
    { numRuns: 30 },
  );
});

Deno.test("collect() ignores events of unknown types", async () => {
  const strange = [{ type: "from-the-future", sitemap: 5 }] as unknown as TreeEvent[];
  const root = eventsOf(SITE)[0]!;
  const warning: TreeEvent = {
    type: "warning",
    code: "bad-date",
    message: "a date",
    sitemap: ref(99, 0, "x"),
  };
  const tree = await collect([...strange, warning, root, FINISHED]);
  assertEquals(tree.subSitemaps, []);
});

Deno.test("collect() needs only one event of each sitemap", async () => {
  const all = eventsOf(SITE);
  const without = (...types: string[]) => all.filter(({ type }) => !types.includes(type));
  const unleft = await collect(without("sitemap-left"));
  assertEquals(urlsOf(unleft.allSitemaps()), urlsOf((await collect(all)).allSitemaps()));
  assertEquals((await collect(without("sitemap-entered"))).toJSON(), EXPECTED);
  const [root, ...rest] = without("sitemap-left");
  const tree = await collect([root!, ...rest.filter(({ type }) => type !== "sitemap-entered")]);
  assertEquals([...tree.allPages()].length, 76);
});

Deno.test("collect() gives every sitemap its completeness and warnings, and the root the verdict", async () => {
  const root = ref(0, null, "https://example.com/");
  const child = (id: number, type: SitemapRef["type"]): SitemapRef => (
    { ...ref(id, 0, `https://example.com/${id}`), type }
  );
  const warning = (sitemap: SitemapRef): TreeEvent => (
    { type: "warning", code: "bad-date", message: "a date", sitemap }
  );
  const cut = child(1, "PagesXmlSitemap");
  const invalid = child(2, "InvalidSitemap");
  const open = child(3, "PagesXmlSitemap");
  const left = (
    sitemap: SitemapRef,
    end: Pick<SitemapLeftEvent, "complete" | "warnings">,
  ): TreeEvent => ({ type: "sitemap-left", sitemap, pages: 0, bytes: 0, ...end });
  const events: TreeEvent[] = [
    { type: "sitemap-entered", sitemap: root },
    warning(cut),
    // more than were sent
    left(cut, { complete: false, warnings: { "bad-date": 150 } }),
    { type: "invalid", sitemap: invalid, code: "empty", reason: "No content" },
    ...[warning(invalid), warning(invalid)],
    { type: "sitemap-entered", sitemap: open },
    warning(open),
    left(root, { complete: true, warnings: { "probe-failed": 1 } }),
    { ...FINISHED, verdict: "partial" },
  ];
  for (const arrived of [events, events.toReversed(), throughJson(events)]) {
    for (const onDisk of [false, true]) {
      using tree = await collect(arrived, { onDisk });
      const loaded = sitemapFromJson(JSON.stringify(tree)) as IndexWebsiteSitemap;
      for (const { verdict, stats, complete, warnings, subSitemaps } of [tree, loaded]) {
        assertEquals([verdict, stats], ["partial", FINISHED.stats]);
        assertEquals([complete, warnings], [true, { "probe-failed": 1 }]);
        assertEquals(subSitemaps.map((sitemap) => [sitemap.complete, sitemap.warnings]), [
          [false, { "bad-date": 150 }],
          [false, { "bad-date": 2 }],
          [false, { "bad-date": 1 }],
        ]);
      }
    }
  }
});

Deno.test("collect() leaves the verdict out if the walk did not end", async () => {
  const tree = await collect(eventsOf(SITE));
  assertEquals(["verdict" in tree, "stats" in tree], [false, false]);
  assertEquals(["verdict" in tree.toJSON(), "stats" in tree.toJSON()], [false, false]);
});

Deno.test("collect() appends sitemaps of unknown parents to the root", async () => {
  const events = eventsOf(SITE).filter((event) =>
    !("sitemap" in event) || !/robots|index/.test(event.sitemap.url)
  );
  const tree = await collect(events);
  assertEquals(urlsOf(tree.subSitemaps), [
    "https://example.com/d.atom",
    "https://example.com/a.xml",
    "https://example.com/gone.xml",
    "https://example.com/b.txt",
    "https://example.com/c.rss",
  ]);
});

const ref = (id: number, parent: number | null, url: string): SitemapRef => ({
  id,
  type: parent === null ? "IndexWebsiteSitemap" : "PagesXmlSitemap",
  url,
  level: parent === null ? -1 : 0,
  parent,
  index: id,
});
const entered = (sitemap: SitemapRef): TreeEvent => ({ type: "sitemap-entered", sitemap });

const LONG = "x".repeat(200_000);
const SHOWN = `"${"x".repeat(200)}…"`;
const ROOT = ref(0, null, "a");

function pageOf(page: unknown): TreeEvent {
  return { type: "page", page, sitemap: ROOT } as TreeEvent;
}

const REJECTED: Readonly<Record<string, readonly [events: readonly TreeEvent[], why: string]>> = {
  "events whose root is not a website": [
    eventsOf({ type: "PagesXmlSitemap", url: "https://example.com/a.xml" }, 0),
    'Cannot collect events: their root "https://example.com/a.xml" is not a website',
  ],
  "no events": [[], "none describes a root"],
  "events without their root": [eventsOf(SITE).slice(1, -1), "none describes a root"],
  "the events of two walks": [
    [entered(ROOT), entered(ref(0, null, "b"))],
    'sitemap 0 is both IndexWebsiteSitemap "a" and IndexWebsiteSitemap "b"',
  ],
  "events of two roots": [
    [entered(ROOT), entered(ref(1, null, "b"))],
    'both IndexWebsiteSitemap "a" and IndexWebsiteSitemap "b" are roots',
  ],
  "two walks of long URLs, which it shortens": [
    [entered(ref(0, null, `${LONG}a`)), entered(ref(0, null, `${LONG}b`))],
    `sitemap 0 is both IndexWebsiteSitemap ${SHOWN} and IndexWebsiteSitemap ${SHOWN}`,
  ],
  "a root of a long URL, which it shortens": [
    eventsOf({ type: "PagesXmlSitemap", url: LONG }, 0),
    `Cannot collect events: their root ${SHOWN} is not a website`,
  ],
  "sitemaps that are their own ancestors": [
    [ROOT, ref(1, 2, "b"), ref(2, 1, "c")].map(entered),
    "their own ancestors",
  ],
  "sitemaps of unknown types": [
    [entered(ROOT), entered({ ...ref(1, 0, "b"), type: "toString" } as unknown as SitemapRef)],
    'unknown type in toString "b"',
  ],
  "an invalid page and names the field": [
    [pageOf({ url: "b", images: [{ loc: "c" }, { loc: 5 }] })],
    'Cannot collect events: "page.images[1].loc" is 5',
  ],
  "a page that is null": [[pageOf(null)], '"page" is null'],
};

for (const [name, [events, why]] of Object.entries(REJECTED)) {
  Deno.test(`collect() rejects ${name}`, async () => {
    // the leak sanitizer notices a file that stays open
    for (const onDisk of [false, true]) {
      await assertRejects(() => collect(events, { onDisk }), TypeError, why);
    }
  });
}

Deno.test("collect() closes its file and rethrows when the walk fails", async () => {
  async function* failing(): AsyncGenerator<TreeEvent, void, void> {
    yield* live(eventsOf(SITE).slice(0, 20));
    throw new RangeError("stopped");
  }
  for (const onDisk of [false, true]) {
    await assertRejects(() => collect(failing(), { onDisk }), RangeError, "stopped");
  }
});

Deno.test("collect() stops the walk at a page that is not one", async () => {
  let released = false;
  async function* walk(): AsyncGenerator<TreeEvent, void, void> {
    try {
      const [root, ...rest] = eventsOf(SITE);
      yield root!;
      yield { type: "page", page: { url: 5 as never }, sitemap: ref(0, null, SITE.url) };
      yield* live(rest);
    } finally {
      released = true;
    }
  }
  await assertRejects(() => collect(walk(), { onDisk: true }), TypeError, '"page.url" is 5');
  assertEquals(released, true);
});

for (const [name, onDisk] of [["in memory", false], ["on disk", true]] as const) {
  Deno.test(`a closed tree ${name} keeps its nodes and throws for its pages`, async () => {
    const tree = await collect(eventsOf(SITE), { onDisk });
    const list = tree.subSitemaps[1]!;
    list.close();
    assertEquals(list.pages.length, 2);
    assertEquals([...list.pages].length, 2);
    tree.close();
    tree.close();
    assertEquals(list.pages.length, 2);
    assertEquals([...tree.allSitemaps()].length, 7);
    assertThrows(() => [...tree.allPages()], TypeError, "Cannot read pages");
    assertThrows(() => list.pages.at(0), TypeError, "Cannot read pages");
  });
}

Deno.test("foldTree() accepts a root of any kind", async () => {
  const plan = SITE.children![0]!.children![0]!;
  const events = eventsOf(plan, 0);
  assertEquals((await foldTree(events)).toJSON(), planToJson(plan));
  const invalid = eventsOf({ type: "InvalidSitemap", url: "https://example.com/gone.xml" }, 0);
  const root = await foldTree(live(throughJson(invalid)));
  assertEquals(root.type === "InvalidSitemap" && root.code, "http-status");
  await assertRejects(() => foldTree([FINISHED]), TypeError, "none describes a root");
});

Deno.test("the root of a tree of any kind is disposable", async () => {
  const plan: Plan = { type: "PagesXmlSitemap", url: "x", pages: [{ url: "y" }] };
  for (const onDisk of [false, true]) {
    let left: Sitemap;
    {
      using root = left = await foldTree(eventsOf(plan, 0), { onDisk });
      assertEquals(root.pages.at(0)?.url, "y");
    }
    assertThrows(() => left.pages.at(0), TypeError, "Cannot read pages");
  }
});
