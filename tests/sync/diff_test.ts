import { assertEquals, assertThrows } from "@std/assert";
import fc from "../support/fast_check.ts";
import type { SitemapPage, SitemapRef, TreeEvent, Verdict } from "../../mod.ts";
import { diff, type DiffEvent, type DiffOptions } from "../../src/sync/diff.ts";
import { identityOf } from "../../src/sync/identity.ts";
import { hostilePage, jsonPage } from "../data/arbitrary_page.ts";

type Listed = string | SitemapPage;

function sitemapRef(id: number): SitemapRef {
  const url = `https://a.test/${id}.xml`;
  return { id, type: "PagesXmlSitemap", url, level: 0, parent: null, index: id };
}

/** Returns the events of a walk with the pages of each sitemap. */
function walkOf(
  sitemaps: readonly (readonly Listed[])[],
  verdict: Verdict | undefined = "complete",
): TreeEvent[] {
  const events = sitemaps.flatMap((pages, id): TreeEvent[] =>
    pages.map((page) => ({
      type: "page",
      page: typeof page === "string" ? { url: page } : page,
      // as those of a saved walk: other objects
      sitemap: sitemapRef(id),
    }))
  );
  const stats = { durationMs: 0 } as Extract<TreeEvent, { type: "finished" }>["stats"];
  return [...events, { type: "finished", verdict, stats, source: "walk", discovery: [] }];
}

async function eventsOf(
  a: Iterable<TreeEvent>,
  b: Iterable<TreeEvent>,
  options?: DiffOptions,
): Promise<DiffEvent[]> {
  const events: DiffEvent[] = [];
  for await (const event of diff(a, b, options)) events.push(event);
  return events;
}

/** Returns a line for each event, without the last one. */
function linesOf(events: readonly DiffEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === "finished") return [];
    if (event.type === "incomplete") return [`incomplete ${event.side} ${event.verdict}`];
    const fields = event.type === "changed" ? ` ${event.fields!.join(",")}` : "";
    return [`${event.type} ${event.page.url} ${event.sitemap.id}${fields}`];
  });
}

const A = "https://a.test/a", B = "https://a.test/b", C = "https://a.test/c";

/** Two lists of pages, one sitemap each, and what differs. */
const CASES: Readonly<
  Record<string, readonly [readonly Listed[], readonly Listed[], readonly string[], DiffOptions?]>
> = {
  "nothing": [[A, B], [A, B], []],
  "another order": [[A, B, C], [C, A, B], []],
  "pages only in one of them": [[A, B, C], [C, "https://a.test/d", A, "https://a.test/e"], [
    "added https://a.test/d 0",
    "added https://a.test/e 0",
    `removed ${B} 0`,
  ]],
  "an empty walk": [[], [A], [`added ${A} 0`]],
  "against an empty walk": [[A], [], [`removed ${A} 0`]],
  "listed twice, first values": [
    [{ url: A, priority: 0.1 }, { url: A, priority: 0.9 }, B],
    [{ url: A, priority: 0.9 }, B, { url: A, priority: 0.1 }],
    [`changed ${A} 0 priority`],
  ],
  "listed twice where it is new": [[], [A, A], [`added ${A} 0`]],
  "listed twice where it is gone": [[A, A], [], [`removed ${A} 0`]],
  "a last page twice": [[A, B], [A, B, B, A], []],
  "spellings of the same URL": [
    ["https://a.test/%c3%a9", "HTTPS://A.test:443/x", "https://a.test"],
    ["https://a.test/é", "https://a.test/x", "https://a.test/"],
    [],
  ],
  "URLs that differ": [
    ["http://a.test/", "https://a.test/x", "https://a.test/y?a", "https://a.test/z"],
    ["https://a.test/", "https://a.test/x/", "https://a.test/y?b", "https://a.test/z#a"],
    [
      "added https://a.test/ 0",
      "added https://a.test/x/ 0",
      "added https://a.test/y?b 0",
      "added https://a.test/z#a 0",
      "removed http://a.test/ 0",
      "removed https://a.test/x 0",
      "removed https://a.test/y?a 0",
      "removed https://a.test/z 0",
    ],
  ],
  "values that denote the same": [
    [{ url: A, lastModified: "2024-05-01", priority: 0.5 }],
    [{ url: A, lastModified: "2024-05-01T00:00:00.000Z" }],
    [],
  ],
  "extensions in another order": [
    [{ url: A, images: [{ loc: B, title: "b" }] }],
    [{ url: A, images: [{ title: "b", loc: B }] }],
    [],
  ],
  "every field": [
    [{ url: A }],
    [{
      url: A,
      lastModified: "2024",
      changeFrequency: "daily",
      priority: 1,
      newsStory: { title: "a", publishDate: "2024" },
      images: [{ loc: B }],
      videos: [{ title: "a" }],
      alternates: [{ hreflang: "de", href: B }],
    }],
    [`changed ${A} 0 lastModified,changeFrequency,priority,newsStory,images,videos,alternates`],
  ],
  "some fields": [
    [{ url: A, priority: 0.1 }, { url: B, lastModified: "2024", priority: 0.1 }],
    [{ url: A, priority: 0.2 }, { url: B, lastModified: "2025", priority: 0.2 }],
    [`changed ${B} 0 lastModified`],
    { fields: ["lastModified", "alternates"] },
  ],
  "no fields": [[{ url: A, priority: 0.1 }], [A, B], [`added ${B} 0`], { fields: [] }],
  "other origins": [
    ["https://a.test/x?q#f", "https://a.test:8443/%c3%a9", "https://a.test/gone"],
    ["http://127.0.0.1:8000/x?q#f", "https://b.test/%C3%A9", "https://b.test/new"],
    ["added https://b.test/new 0", "removed https://a.test/gone 0"],
    { ignoreOrigin: true },
  ],
  "own origins in values": [
    [{ url: A, alternates: [{ hreflang: "de", href: "https://a.test/de" }] }, {
      url: B,
      images: [{ loc: "https://cdn.test/1.png" }],
    }],
    [
      {
        url: "http://localhost:3000/a",
        alternates: [{ hreflang: "de", href: "http://localhost:3000/de" }],
      },
      { url: "http://localhost:3000/b", images: [{ loc: "http://localhost:3000/1.png" }] },
    ],
    ["changed http://localhost:3000/b 0 images"],
    { ignoreOrigin: true },
  ],
};

for (const [name, [a, b, lines, options]] of Object.entries(CASES)) {
  Deno.test(`diff: ${name}`, async () => {
    assertEquals(linesOf(await eventsOf(walkOf([a]), walkOf([b]), options)), lines);
  });
}

Deno.test("the events have both pages, their sitemaps and the figures", async () => {
  const before = { url: "https://a.test/%61", priority: 0.1 };
  const after = { url: "https://a.test/%61", priority: 0.2 };
  assertEquals(await eventsOf(walkOf([[A], [before, B]]), walkOf([[B], [A, after]])), [
    {
      type: "changed",
      page: after,
      previous: before,
      fields: ["priority"],
      sitemap: sitemapRef(1),
    },
    {
      type: "finished",
      verdicts: { a: "complete", b: "complete" },
      stats: { added: 0, changed: 1, removed: 0, unchanged: 2 },
    },
  ]);
});

Deno.test("a walk that is not complete is said before everything else", async () => {
  const expected: readonly (readonly [Verdict, Verdict, readonly string[]])[] = [
    ["blocked", "complete", ["incomplete a blocked", `added ${B} 0`, `removed ${A} 0`]],
    ["complete", "blocked", ["incomplete b blocked", `added ${B} 0`, `removed ${A} 0`]],
    ["none", "partial", [
      "incomplete a none",
      "incomplete b partial",
      `added ${B} 0`,
      `removed ${A} 0`,
    ]],
  ];
  for (const [a, b, lines] of expected) {
    assertEquals(linesOf(await eventsOf(walkOf([[A]], a), walkOf([[B]], b))), lines);
  }
  const cut = walkOf([[A]]).slice(0, -1);
  const events = await eventsOf(walkOf([[A]]), cut);
  assertEquals(linesOf(events), ["incomplete b partial"]);
});

Deno.test("the failure of a walk is that of the comparison", async () => {
  async function* failing(): AsyncGenerator<TreeEvent> {
    yield* walkOf([[A]]);
    throw new Error("broken");
  }
  for (const [a, b] of [[walkOf([]), failing()], [failing(), walkOf([])]] as const) {
    let message = "";
    try {
      for await (const event of diff(a, b)) assertEquals(event.type, "never");
    } catch (error) {
      message = (error as Error).message;
    }
    assertEquals(message, "broken");
  }
});

Deno.test("options are checked", () => {
  const compare = (options: object) => () => diff([], [], options);
  assertThrows(compare({ fields: ["url"] }), TypeError, "fields");
  assertThrows(compare({ fields: "priority" }), TypeError, "fields");
  assertThrows(compare({ ignoreOrigins: true }), TypeError, "ignoreOrigins");
});

Deno.test("many pages are compared with those on disk", async () => {
  const url = (at: number) => `https://a.test/${at}/${"long-".repeat(40)}`;
  const before = Array.from({ length: 30_000 }, (_, at) => ({ url: url(at), priority: 0.1 }));
  const after = before
    .map((page, at) => at % 1000 === 7 ? { ...page, priority: 0.2 } : page)
    .filter((_, at) => at % 1000 !== 8);
  const events = await eventsOf(walkOf([before]), walkOf([[...after.slice(9000), ...after]]));
  const lines = linesOf(events);
  assertEquals(lines.length, 60);
  assertEquals(lines[0], `changed ${url(10_007)} 0 priority`);
  assertEquals(lines.at(-1), `removed ${url(29_008)} 0`);
});

/** Lists of pages of which the second shares some with the first, and repeats some. */
function twoLists(): fc.Arbitrary<readonly [SitemapPage[], SitemapPage[]]> {
  const page = fc.oneof(hostilePage(), jsonPage());
  const plain = fc.record({
    url: fc.nat(12).map((n) => `https://a.test/${n}`),
    priority: fc.constantFrom(0, 0.4, 0.5),
    lastModified: fc.constantFrom("2024", "2024-05-01", "2024-05-01T00:00:00.000Z"),
  }, { requiredKeys: ["url"], noNullPrototype: true });
  const any = fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: page });
  return fc.tuple(fc.array(any), fc.array(any)).chain(([shared, rest]) => {
    const some = fc.shuffledSubarray([...shared, ...rest]);
    return fc.tuple(fc.constant(shared), fc.tuple(some, some).map((lists) => lists.flat()));
  });
}

/** Returns the first page of each identity. */
function byIdentity(pages: readonly SitemapPage[]): Map<string, SitemapPage> {
  const found = new Map<string, SitemapPage>();
  for (const page of pages) {
    const identity = identityOf(page.url);
    if (!found.has(identity)) found.set(identity, page);
  }
  return found;
}

Deno.test("differences applied to the first walk give the second, in its order", async () => {
  await fc.assert(fc.asyncProperty(twoLists(), async ([a, b]) => {
    const before = byIdentity(a), after = byIdentity(b);
    const events = await eventsOf(walkOf([a]), walkOf([b]));
    const changes = events.flatMap((event) => "page" in event ? [event] : []);
    for (const event of changes) {
      const identity = identityOf(event.page.url);
      if (event.type === "removed") assertEquals(before.get(identity), event.page);
      else assertEquals(before.get(identity), event.previous);
      before.delete(identity);
      if (event.type !== "removed") before.set(identity, event.page);
    }
    assertEquals(new Set(before.keys()), new Set(after.keys()));
    // what is not reported denotes the same
    const unreported = [...after].filter(([key, page]) => before.get(key) !== page);
    for (const [key, page] of unreported) {
      const { priority = 0.5, lastModified, ...rest } = page;
      const there = before.get(key)!;
      assertEquals(there.priority ?? 0.5, priority);
      assertEquals(timeOf(there.lastModified), timeOf(lastModified));
      assertEquals({ ...there, ...rest, url: "" }, { ...there, url: "" });
    }
    const order = (kinds: readonly string[]) =>
      changes.filter(({ type }) => kinds.includes(type)).map(({ page }) => identityOf(page.url));
    const isIn = (keys: readonly string[]) => (key: string) => keys.includes(key);
    const first = order(["added", "changed"]), last = order(["removed"]);
    assertEquals(first, [...after.keys()].filter(isIn(first)));
    assertEquals(last, [...byIdentity(a).keys()].filter(isIn(last)));
    assertEquals(changes.slice(first.length).map(({ type }) => type), last.map(() => "removed"));
  }));
});

function timeOf(date: string | undefined): number | undefined {
  return date === undefined ? undefined : new Date(date).getTime();
}
