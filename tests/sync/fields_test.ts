/** Every field of a page is compared, stored and reported. @module */

import { assertEquals } from "@std/assert";
import {
  type NewsStory,
  pages as walkPages,
  type SitemapPage,
  type SitemapVideo,
} from "../../mod.ts";
import { PAGE, type RecordSchema } from "../../src/data/page_schema.ts";
import { toReadableStream, toSitemapXml } from "../../src/write/mod.ts";
import { at, declared, HOME, ScriptedSite } from "./scripted_site.ts";
import { inEachStore, withoutStore } from "./stores.ts";
import { outline, pageLines, SyncHistory } from "./sync_history.ts";

type Values<T> = { readonly [K in keyof T]-?: readonly [Exclude<T[K], undefined>, T[K]] };

const STORY: NewsStory = { title: "Two mills", publishDate: "2024-05-01" };
const STORIES: Values<NewsStory> = {
  title: ["Two mills", "Three mills"],
  publishDate: ["2024-05-01", "2024-05-02"],
  publicationName: ["The Mill", "The River"],
  publicationLanguage: ["en", "de"],
  access: ["Subscription", undefined],
  genres: [["Blog"], ["Blog", "Opinion"]],
  keywords: [["mill", "river"], ["river", "mill"]],
  stockTickers: [["NASDAQ:A"], ["NASDAQ:B"]],
};

const CLIP: SitemapVideo = { title: "Mill", contentLoc: "https://site.test/mill.mp4" };
const VIDEOS: Values<SitemapVideo> = {
  thumbnailLoc: ["https://site.test/1.png", "https://site.test/2.png"],
  title: ["Mill", "River"],
  description: ["A mill", "A river"],
  contentLoc: ["https://site.test/1.mp4", "https://site.test/2.mp4"],
  playerLoc: ["https://site.test/1", "https://site.test/2"],
  duration: [60, 61],
  expirationDate: ["2030-05-01", "2030-05-01T12:00:00.000Z"],
  rating: [4, 4.5],
  viewCount: [0, 1],
  publicationDate: ["2024-05-01", "2024-06-01"],
  familyFriendly: [true, false],
  restriction: [
    { relationship: "allow", values: ["DE"] },
    { relationship: "deny", values: ["DE"] },
  ],
  platform: [
    { relationship: "allow", values: ["web"] },
    { relationship: "allow", values: ["web", "tv"] },
  ],
  requiresSubscription: [false, undefined],
  uploader: [{ name: "Ann" }, { name: "Ann", info: "https://site.test/ann" }],
  live: [false, true],
  tags: [["mill"], ["mill", "river"]],
  gallery: [{ loc: "https://site.test/g" }, { loc: "https://site.test/g", title: "Mills" }],
  prices: [[{ amount: 1, currency: "EUR" }], [{ amount: 2, currency: "EUR" }]],
};

const IMAGE = { loc: "https://site.test/1.png" };
const ALTERNATE = { hreflang: "de", href: "https://site.test/de" };

/** Values of a page before and after, by the field that differs. */
const CHANGES: readonly (readonly [name: keyof SitemapPage, unknown, unknown])[] = [
  ["lastModified", "2024-05-01", "2024-05-02"],
  ["lastModified", "2024-05-01T12:00:00.000Z", "2024-05-01T12:00:01.000Z"],
  ["lastModified", "2024-05-01", undefined],
  ["lastModified", undefined, "2024-05-01"],
  ["priority", 0.1, 0.2],
  ["priority", undefined, 0],
  ["changeFrequency", "daily", "weekly"],
  ["changeFrequency", "daily", undefined],
  ["newsStory", STORY, undefined],
  ...changesOf(STORIES, (fields): SitemapPage["newsStory"] => ({ ...STORY, ...fields }))
    .map(([before, after]) => ["newsStory", before, after] as const),
  ["images", [IMAGE], undefined],
  ["images", [IMAGE], [IMAGE, { loc: "https://site.test/2.png" }]],
  ...(["caption", "geoLocation", "title", "license"] as const).map((name) =>
    ["images", [{ ...IMAGE, [name]: at("/x") }], [{ ...IMAGE, [name]: at("/y") }]] as const
  ),
  ["videos", undefined, [CLIP]],
  ["videos", [CLIP, { ...CLIP, title: "River" }], [{ ...CLIP, title: "River" }, CLIP]],
  ...changesOf(VIDEOS, (fields) => [{ ...CLIP, ...fields }])
    .map(([before, after]) => ["videos", before, after] as const),
  ["alternates", [ALTERNATE], undefined],
  ["alternates", [ALTERNATE], [{ ...ALTERNATE, hreflang: "fr" }]],
  ["alternates", [ALTERNATE], [{ ...ALTERNATE, href: "https://site.test/deutsch" }]],
];

function changesOf<T extends object, V>(
  values: Values<T>,
  wrap: (fields: Partial<T>) => V,
): [V, V][] {
  return Object.entries<readonly [unknown, unknown]>(values as never).map(([name, pair]) => {
    const [before, after] = pair.map((value) =>
      wrap((value === undefined ? {} : { [name]: value }) as Partial<T>)
    );
    return [before!, after!];
  });
}

function page(name: string, value: unknown): SitemapPage {
  const fields = { url: at("/a"), ...(value !== undefined && { [name]: value }) };
  return fields as SitemapPage;
}

async function sitemap(...pages: SitemapPage[]): Promise<string> {
  return await new Response(toReadableStream(pages).pipeThrough(toSitemapXml())).text();
}

const test = inEachStore("sync() compares fields");

test("sync() reports a change of every field, with both values", async (location) => {
  await using history = new SyncHistory({ path: await location() });
  await history.run(declared({ "/s.xml": await sitemap(page("url", at("/a"))) }));
  for (const [name, before, after] of CHANGES) {
    const message = `${name}: ${JSON.stringify(before)} to ${JSON.stringify(after)}`;
    const first = declared({ "/s.xml": await sitemap(page(name, before)) });
    await history.run(first);
    const second = declared({ "/s.xml": await sitemap(page(name, after)) });
    const { events } = await history.run(second);
    assertEquals(outline(events), [`changed /a in /s.xml: ${name}`, "complete ~1"], message);
    const [walked] = await Array.fromAsync(
      walkPages(HOME, history.options({ fetch: new ScriptedSite(second).fetch })),
    );
    const changes = events.flatMap((event) => event.type === "changed" ? event.page : []);
    assertEquals(changes, [walked!], message);
    // written in another way, it is the same
    const spaced = (second["/s.xml"] as string).replaceAll("><", ">\n <");
    const { events: none } = await history.run({ ...second, "/s.xml": spaced });
    assertEquals(outline(none).at(-1), "complete =1", message);
  }
  assertEquals(pageLines(await history.content()).length, 1);
});

withoutStore("the table of changes has every field of a page", () => {
  const names = ({ fields }: RecordSchema) => fields.map(({ name }) => name).sort();
  const changed = new Set(CHANGES.map(([name]) => name));
  assertEquals([...changed, "url"].sort(), names(PAGE));
  for (const [field, values] of [["newsStory", STORIES], ["videos", VIDEOS]] as const) {
    const { record } = PAGE.fields.find(({ name }) => name === field)!;
    assertEquals(Object.keys(values).sort(), names(record!));
  }
});
