import { assertEquals, assertNotMatch } from "@std/assert";
import fc from "../support/fast_check.ts";
import { parseSitemap } from "../../mod.ts";
import type { SitemapRef, TreeEvent } from "../../src/data/events.ts";
import { type OutlineOptions, toOutline } from "../../src/write/mod.ts";
import type { WriterInput } from "../../src/write/text_stream.ts";
import { anyText, OBEYED_REGEXP } from "../data/arbitrary_page.ts";
import { PLAIN_PAGE, ref, WALK } from "./samples.ts";
import { written } from "./written.ts";

const SITE = ref(0, "IndexWebsiteSitemap", "/");
const A = ref(1, "PagesXmlSitemap", "/a.xml", SITE);
const B = ref(2, "PagesRssSitemap", "/b.rss", SITE);

function entered(sitemap: SitemapRef): TreeEvent {
  return { type: "sitemap-entered", sitemap };
}

function page(sitemap: SitemapRef, path: string): TreeEvent {
  const url = `https://example.com${path}`;
  return { type: "page", page: { url }, sitemap };
}

function left(sitemap: SitemapRef, pages: number): TreeEvent {
  return { type: "sitemap-left", sitemap, pages, bytes: 0, complete: true, warnings: {} };
}

Deno.test("toOutline() draws a walk, and strips the URL of the root or a given prefix", async () => {
  const outline = `https://example.com/ (website)
├ https://example.com/robots.txt (robots.txt)
│ ├ https://example.com/sitemap.xml (XML)
│ │ ├ https://example.com/plain
│ │ ├ https://example.com/full?a=1&b=2
│ │ └ 2 pages, 1.54 kB, 2 warnings, cut short
│ ├ https://example.com/old.xml: 404 Not Found (http-status)
│ └ 2 sitemaps, 90 B
└ robots.txt
partial: 2 sitemaps, 2 pages, 1 invalid, 2 warnings, 0.4 s
`;
  assertEquals(await written(toOutline(), WALK), outline);
  for (const stripUrl of [true, "https://example.com", "https://example.com/"]) {
    const stripped = outline.replaceAll("https://example.com", "");
    assertEquals(await written(toOutline({ stripUrl }), WALK), stripped);
  }
});

const MANY = Array.from({ length: 1203 }, (_, at) => page(A, `/a${at}`));

const OUTLINES: Readonly<
  Record<string, readonly [OutlineOptions, inputs: WriterInput[], outline: string]>
> = {
  "does not strip a prefix within a host name": [
    { stripUrl: "https://example.com/" },
    ["https://example.com", "https://example.com.evil.test/", "https://example.com?q"]
      .map((url) => ({ url })),
    "/\nhttps://example.com.evil.test/\n?q\n",
  ],
  "draws the first pages of each sitemap, and counts the others": [
    { maxPages: 3, stripUrl: true },
    [
      entered(SITE),
      entered(A),
      entered(B),
      // interleaved; pages that are not drawn repeat no line
      ...MANY.flatMap((one, at) => at < 4 ? [one, page(B, `/b${at}`)] : [one]),
      left(B, 4),
      left(A, 1203),
    ],
    `/ (website)
├ /a.xml (XML)
/ (website) …
├ /b.rss (RSS)
├ /a.xml (XML) …
│ ├ /a0
├ /b.rss (RSS) …
│ ├ /b0
├ /a.xml (XML) …
│ ├ /a1
├ /b.rss (RSS) …
│ ├ /b1
├ /a.xml (XML) …
│ ├ /a2
├ /b.rss (RSS) …
│ ├ /b2
│ ├ … 1 more
│ └ 4 pages
├ /a.xml (XML) …
│ ├ … 1,200 more
│ └ 1,203 pages
`,
  ],
  "draws a selection without events that enter and leave sitemaps": [
    { maxPages: 1 },
    MANY.slice(0, 3),
    "https://example.com/a.xml (XML) …\n├ https://example.com/a0\n",
  ],
  "repeats the line of a sitemap when sitemaps are interleaved": [
    { stripUrl: true },
    [
      entered(SITE),
      entered(A),
      page(A, "/a1"),
      entered(B),
      page(B, "/b1"),
      page(A, "/a2"),
      left(A, 2),
      page(B, "/b2"),
      left(B, 1200),
      left(SITE, 0),
    ],
    `/ (website)
├ /a.xml (XML)
│ ├ /a1
/ (website) …
├ /b.rss (RSS)
│ ├ /b1
├ /a.xml (XML) …
│ ├ /a2
│ └ 2 pages
├ /b.rss (RSS) …
│ ├ /b2
│ └ 1,200 pages
└ 2 sitemaps
`,
  ],
  "draws a selection of events": [
    { stripUrl: "https://example.com" },
    [page(A, "/a1"), page(A, "/a2"), left(B, 1)],
    `/a.xml (XML) …
├ /a1
├ /a2
/b.rss (RSS) …
└ 1 page
`,
  ],
  "writes the URLs of plain pages": [{}, [PLAIN_PAGE], "https://example.com/plain\n"],
};

for (const [name, [options, inputs, outline]] of Object.entries(OUTLINES)) {
  Deno.test(`toOutline() ${name}`, async () => {
    assertEquals(await written(toOutline(options), inputs), outline);
  });
}

Deno.test("toOutline() draws sitemaps that are not fetched by design without an error", async () => {
  const index = "<sitemapindex><sitemap><loc>https://a.test/b.xml</loc></sitemap></sitemapindex>";
  const events = parseSitemap(index, { url: "https://a.test/a.xml" });
  const outline = await written(toOutline(), events);
  assertEquals(
    outline.replace(/\d\.\d s/, "0.0 s"),
    `https://a.test/a.xml (index)
├ https://a.test/b.xml (not fetched)
└ 1 sitemap, 79 B
complete: 1 sitemap, 0 pages, 1 not fetched, 0.0 s
`,
  );
});

Deno.test("toOutline() draws an invalid document without parent, its reason shortened, but no URL", async () => {
  for (const [path, reason] of [["sitemap.xml", "HTML"], ["x".repeat(300), "y".repeat(200_000)]]) {
    const sitemap = { ...ref(0, "InvalidSitemap", `/${path}`), level: 0 };
    const event = { type: "invalid", sitemap, code: "not-a-sitemap", reason: reason! } as const;
    const shown = reason === "HTML" ? reason : `${reason!.slice(0, 200)}…`;
    assertEquals(
      await written(toOutline(), [event]),
      `https://example.com/${path}: ${shown} (not-a-sitemap)\n`,
    );
  }
});

Deno.test("toOutline() colors verdicts and branches on request", async () => {
  const text = await written(toOutline({ color: true, stripUrl: true }), WALK);
  const lines = text.split("\n");
  assertEquals(lines[0], "/ \x1b[2m(website)\x1b[22m");
  assertEquals(lines[3], "\x1b[2m│ │ ├ \x1b[22m/plain");
  assertEquals(
    lines[6],
    "\x1b[2m│ ├ \x1b[22m\x1b[31m/old.xml: 404 Not Found (http-status)\x1b[39m",
  );
  assertEquals(lines[8], "\x1b[2m└ \x1b[22m\x1b[2mrobots.txt\x1b[22m");
  const colors = { complete: 32, partial: 33, blocked: 31, none: 31 } as const;
  for (const verdict of ["complete", "partial", "blocked", "none"] as const) {
    const finished = WALK.at(-1);
    if (finished?.type !== "finished") throw new Error("The walk has no end");
    const stats = { ...finished.stats, warnings: 0, invalid: 0 };
    assertEquals(
      await written(toOutline({ color: true }), [{ ...finished, verdict, stats }]),
      `\x1b[${colors[verdict]}m${verdict}\x1b[39m: 2 sitemaps, 2 pages, 0.4 s\n`,
    );
  }
});

Deno.test("toOutline() escapes control characters, so that no line can be forged", async () => {
  const texts = fc.tuple(anyText(), anyText(), anyText());
  await fc.assert(fc.asyncProperty(texts, async ([path, reason, code]) => {
    const sitemap = { ...A, url: `https://example.com/${path}`, type: code as "InvalidSitemap" };
    const events: TreeEvent[] = [
      entered(sitemap),
      { type: "page", page: { url: path }, sitemap },
      { type: "invalid", sitemap: { ...B, url: path }, code: code as "network", reason },
      { ...WALK.at(-1) as Extract<TreeEvent, { type: "finished" }>, verdict: code as "none" },
    ];
    const text = await written(toOutline(), events);
    assertEquals(text.split("\n").length, events.length + 1);
    assertNotMatch(text, OBEYED_REGEXP);
  }));
});
