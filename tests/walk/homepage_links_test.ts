import { assertEquals } from "@std/assert";
import { homepageLinks, scanHead } from "../../src/walk/homepage_links.ts";

const URL_OF_PAGE = new URL("https://a.test/de/index.html");

function sitemapsOf(html: string, header: string | null = null): string[] {
  const { sitemaps } = homepageLinks(URL_OF_PAGE, header, scanHead(html));
  return sitemaps.map((url) => url.replace("https://a.test", ""));
}

const S = `<link rel=sitemap href=/s>`;

/** HTML, and the sitemaps that it names. */
const PAGES: readonly (readonly [string, string, ...string[]])[] = [
  ["double quotes", `<link rel="sitemap" href="/s">`, "/s"],
  ["single quotes", `<link rel='sitemap' href='/s'>`, "/s"],
  ["no quotes", `<link rel=sitemap href=/s>`, "/s"],
  ["no quotes, with a slash", `<link href=/s rel=sitemap />`, "/s"],
  ["upper case", `<LINK REL="SiteMap" HREF="/S">`, "/S"],
  ["several relations", `<link rel=" nofollow\n Sitemap " href="/s">`, "/s"],
  ["another relation", `<link rel="sitemaps" href="/s"><link rel="x-sitemap" href="/t">`],
  ["no relation", `<link href="/s">`],
  ["no address", `<link rel="sitemap">`],
  ["blanks around the sign", `<link rel = "sitemap" href\n=\t'/s'>`, "/s"],
  ["blanks in the address", `<link rel="sitemap" href=" /s\n ">`, "/s"],
  ["references", `<link rel="&#115;itemap" href="/s?a=1&amp;b=2&#x26;c">`, "/s?a=1&b=2&c"],
  ["an ampersand", `<link rel="sitemap" href="/s?a=1&copy=2">`, "/s?a=1&copy=2"],
  ["> in quotes", `<link title="a>b" rel="sitemap" href="/s">`, "/s"],
  ["a quote in a bare value", `<link title=don't rel=sitemap href=/s>${S}`, "/s"],
  ["a quote in a name", `<link "x" rel=sitemap href=/s>`, "/s"],
  ["a repeated attribute", `<link rel="sitemap" rel="icon" href="/s" href="/t">`, "/s"],
  ["two links", `<link rel="sitemap" href="/s"><link rel="sitemap" href="/t">`, "/s", "/t"],
  ["the same link twice", `${S}<link rel="sitemap" href="/s#x">`, "/s"],
  ["a relative address", `<link rel="sitemap" href="s">`, "/de/s"],
  ["an empty address", `<link rel="sitemap" href="">`, "/de/index.html"],
  ["a base", `<base href="/en/"><link rel="sitemap" href="s">`, "/en/s"],
  ["a base after the link", `<link rel="sitemap" href="s"><base href="../x/">`, "/x/s"],
  [
    "two bases",
    `<base target=_top><base href="/1/"><base href="/2/"><link rel=sitemap href=s>`,
    "/1/s",
  ],
  ["an invalid base", `<base href="https://[">${S}`, "/s"],
  ["another scheme", `<link rel="sitemap" href="ftp://a.test/s"><link rel=sitemap href="data:,">`],
  ["user info", `<link rel="sitemap" href="https://u:p@a.test/s">`, "/s"],
  ["an invalid address", `<link rel="sitemap" href="https://[/">${S}`, "/s"],
  ["a comment", `<!-- ${S} --><!-->${S}`, "/s"],
  ["a comment with a tag", `<!-- <script> -->${S}`, "/s"],
  ["script", `<script>"${S}"</script><SCRIPT src=x></Script >${S}`, "/s"],
  ["script with a comment", `<script><!-- </script>${S}`, "/s"],
  ["style", `<style>/*${S}*/</style>`],
  ["template", `<template>${S}</template>`],
  ["noscript", `<noscript>${S}</noscript>`],
  ["an unclosed script", `${S}<script>`, "/s"],
  ["a name that begins like another", `<scripts>${S}</scripts><linked rel=sitemap href=/t>`, "/s"],
  ["after the head", `</head>${S}`],
  ["in the body", `<body>${S}`],
  ["in the body, with attributes", `<BODY class=x>${S}`],
  ["a name that begins like body", `<bodyguard>${S}`, "/s"],
  ["an unclosed tag", `${S}<link rel=sitemap href="/t`, "/s"],
  ["a doctype", `<!DOCTYPE html><html lang=de><head>${S}`, "/s"],
  ["an XML declaration", `<?xml version="1.0"?><html><head>${S}`, "/s"],
];

for (const [what, html, ...expected] of PAGES) {
  Deno.test(`homepageLinks() finds the sitemaps of a page with ${what}`, () => {
    assertEquals(sitemapsOf(html), expected);
    // the scan of a beginning finds some of them, and knows when there are no more
    const { links, isEnded } = scanHead(html);
    for (let length = 0; length < html.length; length++) {
      const part = scanHead(html.slice(0, length));
      assertEquals(part.links, links.slice(0, part.links.length));
      if (part.isEnded) assertEquals([isEnded, part.links], [true, links]);
    }
  });
}

Deno.test("homepageLinks() uses Link headers first", () => {
  const headers: readonly (readonly [string, ...string[]])[] = [
    [`</s>; rel="sitemap"`, "/s"],
    [`</s>;rel=sitemap`, "/s"],
    [`<s>; REL = Sitemap; type="application/xml"`, "/de/s"],
    [`</x>; rel=preload, </s>; rel="index sitemap", </t>; rel=sitemap`, "/s", "/t"],
    [`</s,t>; title="a, b; rel=x"; rel=sitemap`, "/s,t"],
    [`</s>; title="; rel=sitemap"`],
    [`</s>; rel=icon; rel=sitemap`],
    [`</s>`],
    [`/s; rel=sitemap`],
    [`</s; rel=sitemap`],
    [`</s>; title="\\", </t>"; rel=sitemap`, "/s"],
    [`</s>; rel="sitemap`, "/s"],
    [`</s>; rel="sitemap\\`, "/s"],
    [`</s>; rel=sitemap, </t>; title="x, </u>; rel=sitemap`, "/s"],
    [`</s>; title="; rel=sitemap`],
    [`<>\\"</s>; rel=sitemap`],
    [`</s>; "; rel=icon"; rel=sitemap`, "/s"],
  ];
  for (const [header, ...expected] of headers) assertEquals(sitemapsOf("", header), expected);
  const base = `<base href="/en/"><link rel="sitemap" href="t">`;
  assertEquals(sitemapsOf(base, "<s>; rel=sitemap"), ["/de/s", "/en/t"]);
});

Deno.test("homepageLinks() finds the first feed of each type", () => {
  const feed = (type: string, href: string) =>
    `<link rel="alternate home" type="${type}" href="${href}">`;
  const html = feed("application/atom+xml", "/1.atom") + feed(" application/RSS+xml ", "/1.rss") +
    feed("application/rss+xml", "/2.rss") + feed("application/json", "/x.json") +
    `<link type="application/rss+xml" href="/3.rss">`;
  const { feeds, sitemaps } = homepageLinks(URL_OF_PAGE, null, scanHead(html));
  assertEquals(feeds, ["https://a.test/1.rss", "https://a.test/1.atom"]);
  assertEquals(sitemaps, []);
});

Deno.test("homepageLinks() resolves a limited number of links", () => {
  const tags = (count: number) =>
    Array.from({ length: count }, (_, at) => `<link rel=sitemap href=ftp://a.test/${at}>`).join("");
  assertEquals(sitemapsOf(tags(99) + S), ["/s"]);
  assertEquals(sitemapsOf(tags(100) + S), []);
  assertEquals(sitemapsOf(S.repeat(200) + "<link rel=sitemap href=/t>"), ["/s", "/t"]);
});
