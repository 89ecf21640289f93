import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { NewsStory, SitemapPage, type SitemapPage, SitemapVideo } from "../../mod.ts";

const FULL: SitemapPage = {
  url: "https://a.test/",
  priority: 0.8,
  lastModified: "2024-05-06T07:08:09.123Z",
  changeFrequency: "daily",
  images: [{
    loc: "https://a.test/1.jpg",
    caption: "c",
    geoLocation: "g",
    title: "t",
    license: "l",
  }],
  alternates: [{ hreflang: "de", href: "https://a.test/de" }],
  newsStory: {
    title: "Title",
    publishDate: "2024-01-02T03:04:05.000Z",
    publicationName: "Name",
    publicationLanguage: "en",
    access: "Subscription",
    genres: ["Blog"],
    keywords: ["a", "b"],
    stockTickers: ["NASDAQ:A"],
  },
  videos: [{
    thumbnailLoc: "https://a.test/t.jpg",
    title: "t",
    description: "d",
    contentLoc: "c",
    playerLoc: "p",
    duration: 60,
    rating: 4.5,
    viewCount: 7,
    familyFriendly: true,
    restriction: { relationship: "allow", values: ["DE"] },
    platform: { relationship: "deny", values: ["tv"] },
    requiresSubscription: false,
    uploader: { name: "u", info: "i" },
    live: false,
    tags: ["x"],
    expirationDate: "2030-01-01T00:00:00.000Z",
    publicationDate: "2020-01-01T00:00:00.000Z",
  }],
};

Deno.test("SitemapPage survives JSON with all its fields", () => {
  const page = FULL;
  assertEquals(JSON.parse(JSON.stringify(page)), FULL as unknown);
  assertEquals(JSON.parse(JSON.stringify(page)), page);
  assertEquals(page.toJSON(), FULL);
});

Deno.test("SitemapPage has no properties for absent fields", () => {
  const page = { url: "https://a.test/" };
  assertEquals(Object.keys(page), ["url", "priority"]);
  assertEquals(page.toJSON(), { url: "https://a.test/", priority: 0.5 });
  assertEquals([page.lastModified, page.newsStory, page.videos], [undefined, undefined, undefined]);
  const undefinedOnes = {
    url: "u",
    lastModified: undefined,
    changeFrequency: undefined,
  };
  assertEquals(Object.keys(undefinedOnes), ["url", "priority"]);
});

Deno.test("SitemapPage takes dates, milliseconds and strings, and ignores invalid times", () => {
  const time = Date.UTC(2024, 0, 2);
  for (const lastModified of [new Date(time), time, "2024-01-02", "2024-01-02T00:00:00Z"]) {
    assertEquals({ url: "u", lastModified }.lastModifiedTime, time);
  }
  for (const lastModified of ["no date", NaN, new Date(NaN)]) {
    assertEquals("lastModifiedTime" in { url: "u", lastModified }, false);
  }
});

Deno.test("SitemapPage returns a new Date on each access", () => {
  const page = { url: "u", lastModified: 0 };
  assert(page.lastModified !== page.lastModified);
  page.lastModified?.setTime(5);
  assertEquals(page.lastModified?.getTime(), 0);
  assertEquals("lastModified" in { ...page }, false, "spreading loses it, as documented");
});

Deno.test("SitemapPage keeps instances of NewsStory and SitemapVideo", () => {
  const newsStory = { title: "t" };
  const video = { title: "v" };
  const page = { url: "u", newsStory, videos: [video] };
  assertStrictEquals(page.newsStory, newsStory);
  assertStrictEquals(page.videos?.[0], video);
});

Deno.test("NewsStory and SitemapVideo have no properties for absent fields", () => {
  const story = { title: "t" };
  assertEquals(story.publishDate, undefined);
  assertEquals(story.toJSON(), { title: "t", genres: [], keywords: [], stockTickers: [] });
  assert(Object.isFrozen(story.genres));
  const video = {};
  assertEquals([video.publicationDate, video.expirationDate], [undefined, undefined]);
  assertEquals([Object.keys(video), video.toJSON()], [[], {}]);
  const dated = { publicationDate: 0, expirationDate: 86_400_000 };
  assertEquals([dated.publicationDate, dated.expirationDate], [new Date(0), new Date(86_400_000)]);
});

Deno.test("SitemapPage.toJSON() fills in the priority and whole times, whatever was given", () => {
  const page = {
    url: "u",
    lastModified: "2024",
    newsStory: { title: "t", publishDate: "2024-05" },
    videos: [{ expirationDate: "2024-05-01", publicationDate: "2024" }],
  };
  assertEquals<unknown>(page.toJSON(), {
    url: "u",
    priority: 0.5,
    lastModified: "2024-01-01T00:00:00.000Z",
    newsStory: {
      title: "t",
      publishDate: "2024-05-01T00:00:00.000Z",
      genres: [],
      keywords: [],
      stockTickers: [],
    },
    videos: [{
      expirationDate: "2024-05-01T00:00:00.000Z",
      publicationDate: "2024-01-01T00:00:00.000Z",
    }],
  });
});

Deno.test("pages are equal whether values were given or filled in", () => {
  assertEquals({ url: "u" }, { url: "u", priority: 0.5 });
  const dates = ["2024", "2024-01", "2024-01-01", "2024-01-01T00:00:00Z", Date.UTC(2024)];
  for (const lastModified of dates) {
    const page = { url: "u", lastModified };
    assertEquals(page, { url: "u", lastModified: "2024" });
    assertEquals(Reflect.ownKeys({ ...page }), ["url", "priority", "lastModifiedTime"]);
  }
});
