import { assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { strictPage, validAddress } from "../../src/write/strict_page.ts";
import { anyText } from "../data/arbitrary_page.ts";
import { FULL_PAGE, PLAIN_PAGE } from "./samples.ts";

const STORY = FULL_PAGE.newsStory!;
const VIDEO = FULL_PAGE.videos![0]!;

/** What strictness leaves of fields, without the address. */
function strict(fields: Partial<SitemapPage>): Partial<SitemapPage> | undefined {
  const page = strictPage({ url: "https://a.test/", ...fields });
  if (page === undefined) return undefined;
  const { url: _url, ...rest } = page;
  return rest;
}

Deno.test("strictPage() keeps all of a page that is as it should be", () => {
  assertEquals(strictPage(PLAIN_PAGE), PLAIN_PAGE);
  assertEquals(strictPage(FULL_PAGE), FULL_PAGE);
});

Deno.test("strictPage() gives nothing for a page without a valid address", () => {
  for (const url of ["", "/a", "mailto:a@a.test", `https://a.test/${"a".repeat(2048)}`]) {
    assertEquals(strictPage({ url }), undefined);
  }
});

Deno.test("strictPage() leaves out stories that lack something, and odd parts of others", () => {
  const none = {};
  assertEquals(strict({ newsStory: { title: "A feed's item", publishDate: "1970" } }), none);
  assertEquals(strict({ newsStory: { ...STORY, title: " \0" } }), none);
  assertEquals(strict({ newsStory: { ...STORY, publicationName: "\x01" } }), none);
  assertEquals(strict({ newsStory: { ...STORY, publicationLanguage: "english" } }), none);
  const story = strict({
    newsStory: {
      ...STORY,
      publicationLanguage: " ZH-TW",
      access: "Free",
      genres: ["\0", " Blog\x1b"],
      stockTickers: ["AMAT", ...Array.from({ length: 9 }, (_, number) => `NASDAQ:A${number}`)],
    },
  })?.newsStory;
  assertEquals(story?.publicationLanguage, "zh-tw");
  assertEquals(story?.access, undefined);
  assertEquals(story?.genres, ["Blog"]);
  assertEquals(story?.stockTickers?.length, 5);
});

Deno.test("strictPage() leaves out images and alternates without a valid address", () => {
  assertEquals(
    strict({
      images: [{ loc: "1.png" }, { loc: "https://a.test/[1].png", title: "\0", license: "CC" }],
      alternates: [
        { hreflang: "de", href: "/de" },
        { hreflang: "", href: "https://a.test/" },
        { hreflang: "en", href: "https://a.test/{en}" },
      ],
    }),
    {
      images: [{ loc: "https://a.test/%5B1%5D.png" }],
      alternates: [{ hreflang: "en", href: "https://a.test/%7Ben%7D" }],
    },
  );
  const images = Array.from({ length: 1001 }, (_, number) => ({ loc: `https://a.test/${number}` }));
  assertEquals(strict({ images })?.images?.length, 1000);
});

Deno.test("strictPage() leaves out videos that lack something, and odd parts of others", () => {
  const without = (name: keyof typeof VIDEO) => {
    const { [name]: _, ...rest } = VIDEO;
    return strict({ videos: [rest] })?.videos?.length ?? 0;
  };
  for (const name of ["thumbnailLoc", "title", "description"] as const) {
    assertEquals(without(name), 0, name);
  }
  assertEquals([without("contentLoc"), without("playerLoc"), without("duration")], [1, 1, 1]);
  const { contentLoc: _, playerLoc: __, ...unreachable } = VIDEO;
  assertEquals(strict({ videos: [unreachable] })?.videos, undefined);

  const [video] = strict({
    videos: [{
      ...VIDEO,
      description: "😀".repeat(3000),
      duration: 28_801,
      rating: 5.1,
      viewCount: 1.5,
      restriction: { relationship: "allow", values: ["IE", "Ireland"] },
      platform: { relationship: "maybe" as "allow", values: ["web"] },
      uploader: { name: "Miller", info: "/miller" },
      tags: Array.from({ length: 40 }, String),
      gallery: { loc: "/gallery", title: "Mills" },
      prices: [
        { amount: 1, currency: "euro" },
        { amount: -1, currency: "EUR" },
        { amount: 2, currency: "EUR", type: "own", resolution: "HD" },
      ],
    }],
  })?.videos ?? [];
  assertEquals(video?.description, "😀".repeat(2048));
  assertEquals(
    [video?.duration, video?.rating, video?.viewCount, video?.restriction, video?.platform],
    [undefined, undefined, undefined, undefined, undefined],
  );
  assertEquals(video?.uploader, { name: "Miller" });
  assertEquals(video?.tags?.length, 32);
  assertEquals(video?.gallery, undefined);
  assertEquals(video?.prices, [{ amount: 2, currency: "EUR", resolution: "HD" }]);
});

Deno.test("strictPage() makes days of years and months, and keeps days and times", () => {
  const dated = (date: string) => ({
    url: "https://a.test/",
    lastModified: date,
    newsStory: { ...STORY, publishDate: date },
    videos: [{ ...VIDEO, expirationDate: date, publicationDate: date }],
  });
  const kept = ["2024-05-01", "2024-05-01T10:20:30.000Z"].map((date) => [date, date]);
  for (const [date, day] of [["2024", "2024-01-01"], ["2024-05", "2024-05-01"], ...kept]) {
    assertEquals(strictPage(dated(date!)), dated(day!));
  }
});

Deno.test("strictPage() rounds numbers to the digits that every validator reads", () => {
  assertEquals(strict({ priority: 5e-324 })?.priority, 0);
  assertEquals(strict({ priority: 1 / 3 })?.priority, 0.333333333333333);
});

Deno.test("validAddress() keeps URLs that need no encoding", () => {
  for (
    const address of [
      "https://example.com",
      "HTTP://Example.COM:80/A?b=c&d='e'#f/g?h",
      "https://user:pass@example.com/a%20b;c,d/..//e",
      "https://exämple.com/é漢/ça?ü=1",
    ]
  ) assertEquals(validAddress(address), address);
});

Deno.test("validAddress() encodes what a URI cannot contain", () => {
  const table = [
    ["https://a.test/a b", "https://a.test/a%20b"],
    ["https://a.test/?a[]=100%&b={c}", "https://a.test/?a%5B%5D=100%25&b=%7Bc%7D"],
    ["https://a.test/%zz%4", "https://a.test/%25zz%254"],
    ["https://a.test/#a#b", "https://a.test/#a%23b"],
    ["http://[::1]:8080/[a]", "http://[::1]:8080/%5Ba%5D"],
    ["https://100%:[x]@a.test/", "https://100%25:%5Bx%5D@a.test/"],
    [" \\\\a.test", undefined],
    ["https:\\\\a.test\\b?\\c", "https://a.test/b?%5Cc"],
    ["https:///a.test", "https://a.test/"],
    ["https://a.test:", "https://a.test/"],
  ] as const;
  for (const [address, expected] of table) assertEquals(validAddress(address), expected);
});

Deno.test("validAddress() rejects URLs that are not http(s), or too long", () => {
  for (const address of ["", "/a", "a.test", "ftp://a.test/", "https://", "https://a:x/"]) {
    assertEquals(validAddress(address), undefined, address);
  }
  const start = "https://a.test/";
  const longest = start + "a".repeat(2047 - start.length);
  assertEquals(validAddress(longest), longest);
  assertEquals(validAddress(`${longest}a`), undefined);
  // It counts as it is written.
  assertEquals(validAddress(start + "[".repeat(1000)), undefined);
});

Deno.test("validAddress() keeps the URLs that it returns", () => {
  const address = anyText().map((text) => `https://example.com/${text}`);
  fc.assert(fc.property(address, (address) => {
    const valid = validAddress(address) ?? "";
    assertEquals(validAddress(valid), valid);
    assertEquals(
      decodeLoosely(new URL(valid).pathname),
      decodeLoosely(new URL(address).pathname),
    );
  }));
});

function decodeLoosely(path: string): string {
  return path.replace(
    /%([0-7][\da-f])/gi,
    (_, digits) => String.fromCharCode(parseInt(digits, 16)),
  );
}
