/**
 * Feeds what reads headers, addresses, rules and pages with repeated fragments, and with many items, at
 * once, four and sixteen times the length.
 *
 * @module
 */

/// <reference lib="webworker" />

import { type Fetch, parseSitemap, type SitemapPage, type TreeEvent, walk } from "../../mod.ts";
import { Checker, formatCheck, type PageAnswer, type SiteCheck } from "../../src/check/mod.ts";
import { diffMarkdown } from "../../src/sync/diff_markdown.ts";
import { wrap } from "../../src/write/layout.ts";
import { tableText } from "../../src/write/rows.ts";
import { UrlPatterns } from "../../src/data/url_pattern.ts";
import { withoutPassword, withoutPasswords, withScheme } from "../../src/data/url.ts";
import { partialBody } from "../../src/http/content_range.ts";
import { failureFor } from "../../src/http/failure.ts";
import { isPrivateHost } from "../../src/data/private_hosts.ts";
import { parseRetryAfter } from "../../src/http/retry.ts";
import { hasNoindex } from "../../src/check/pages/robots_tag.ts";
import { aggregate, renderReport } from "../../src/report/mod.ts";
import { parseRobots } from "../../src/robots/mod.ts";
import { diff } from "../../src/sync/mod.ts";
import { homepageLinks, scanHead } from "../../src/walk/homepage_links.ts";
import { namesLogin } from "../../src/walk/login_wall.ts";
import { fromNdjson, toCsv, toJson, toOutline, toSitemapXml, toText } from "../../src/write/mod.ts";
import { NOW, ORIGIN, ref, sitemapEvents } from "../check/check_support.ts";
import { assertLinear, inWorker } from "./growth.ts";
import { partsOf } from "../data/parts_of.ts";

const LENGTHS: readonly number[] = [8000, 32_000, 128_000];
const NUMBERS: readonly number[] = [500, 2000, 8000];
/** Milliseconds for each item that are slow. */
const SLOW_ITEM = 0.05;

const FRAGMENTS: readonly string[] = [
  ...[
    " ",
    "\t",
    "\u0085",
    "\u3000",
    "a",
    "a ",
    "1.",
    "A",
    "é",
    "😀",
    "%",
    "%41",
    "\u202e",
    "\ud800",
  ],
  ...[
    "/",
    "./",
    "../",
    "\\",
    ".",
    "a.",
    "@",
    "a@",
    ":",
    "a:",
    "?",
    "#",
    "&",
    "&a",
    "&#",
    "=",
    "a=b&",
  ],
  ...["; ", ";a=", ",", ", ", "<", '<>\\"', "<a>,", "<a b='", "<!--", "<link ", "<script>", '"a",'],
  ...[
    '"',
    "'",
    "`",
    "|",
    "*",
    "$",
    "*a",
    "(",
    "[",
    "{{",
    "-",
    "_",
    "=cmd",
    '=1"',
    "mon, ",
    "2024-",
  ],
  ...["sitemap", "site-map:", "login", "noindex,", "a:none,", "&utm_a", "bytes 0-", "compatible;"],
  ...["https://", "https://a.test/", "//a:b@", "www.", "[::", "localhost.", "10.", "password="],
];

// ------------------------------------------------------------------------------------------------ sites

type Answer = (path: string) => Response;

async function walkSite(answer: Answer): Promise<void> {
  const fetch: Fetch = (input) => {
    const url = new URL(input);
    return Promise.resolve(Object.defineProperty(answer(url.pathname), "url", { value: url.href }));
  };
  const options = { fetch, retries: 0, maxRetryDelay: 0, useKnownPaths: () => false, notes: true };
  for await (const _ of walk(`${ORIGIN}/`, options).batches());
}

const MISSING = { status: 404 };
const DOCUMENTS: Readonly<Record<string, string>> = {
  "/robots.txt": "Sitemap: /sitemap.xml\n",
  "/sitemap.xml": `<urlset><url><loc>${ORIGIN}/a</loc></url></urlset>`,
};
/** Response headers that are read. */
const HEADERS: readonly string[] = [
  ...["content-type", "content-length", "content-range", "etag", "last-modified", "link"],
  ...["retry-after", "x-robots-tag", "cf-mitigated", "x-amzn-waf-action", "x-vercel-mitigated"],
];

/** Returns headers with a text; nothing if no header can have it. */
function headersOf(names: readonly string[], text: string): Headers | undefined {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) return undefined;
  return new Headers(names.map((name): [string, string] => [name, text]));
}

/** Walks a site whose responses have a text in their headers, or some of its responses. */
async function walkHeaders(text: string, names: readonly string[], status?: number): Promise<void> {
  const headers = headersOf(names, text);
  if (headers === undefined) return;
  await walkSite((path) => {
    const body = DOCUMENTS[path];
    if (path === "/robots.txt") return new Response(body);
    if (body === undefined && path !== "/") return new Response(null, MISSING);
    return new Response(status === undefined ? body ?? "<html></html>" : null, {
      headers,
      status: status ?? 200,
    });
  });
}

// ------------------------------------------------------------------------------------------------ pages

function eventsOf(pages: readonly SitemapPage[], url = `${ORIGIN}/sitemap.xml`): TreeEvent[] {
  return [...sitemapEvents(ref(1, { url }), pages), {
    type: "finished",
    verdict: "complete",
    stats: {
      ...{ sitemaps: 1, pages: pages.length, invalid: 0, warnings: 0, bytes: 1 },
      ...{ requests: 1, retries: 0, probes: 0, durationMs: 1 },
    },
    source: "walk",
    discovery: [],
  }];
}

function pageWith(text: string): SitemapPage {
  return {
    url: `${ORIGIN}/${text}`,
    lastModified: "2024-05-01",
    newsStory: { title: text, publicationName: text, publicationLanguage: text, genres: [text] },
    images: [{ loc: text, caption: text }],
    videos: [{ thumbnailLoc: text, title: text, contentLoc: text }],
    alternates: [{ hreflang: text, href: text }],
  } as SitemapPage;
}

function checkOf(events: Iterable<TreeEvent>): SiteCheck {
  const checker = new Checker({ now: NOW });
  for (const event of events) checker.add(event);
  return checker.result();
}

function formatAll(check: SiteCheck): void {
  for (const format of ["markdown", "github", "junit", "sarif"] as const) {
    formatCheck(check, format);
  }
  formatCheck(check, "text", { width: 60, color: true, verbose: true });
}

function noteRobots(text: string): TreeEvent {
  const sitemap = ref(2, { type: "IndexRobotsTxtSitemap", url: `${ORIGIN}/robots.txt` });
  return { type: "note", code: "robots-txt", message: text, sitemap };
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

async function write(writer: TransformStream, events: readonly TreeEvent[]): Promise<void> {
  await drain(ReadableStream.from(events).pipeThrough(writer));
}

// ----------------------------------------------------------------------------------------------- tables

type Read = (text: string) => unknown;

/** What reads a header. */
const HEADER_READERS: Readonly<Record<string, Read>> = {
  "headers of a sitemap and a homepage": (text) => walkHeaders(text, HEADERS),
  "headers of a refusal": (text) => walkHeaders(text, HEADERS, 429),
  "Location": (text) => walkHeaders(text, ["location"], 302),
  "Link": (text) => homepageLinks(new URL(ORIGIN), text, scanHead("")),
  "addresses of Link": (text) =>
    homepageLinks(new URL(ORIGIN), `<${text}>; rel=sitemap`, scanHead("")),
  "parameters of Link": (text) =>
    homepageLinks(new URL(ORIGIN), `</a>; title="${text}; rel=${text}`, scanHead("")),
  "X-Robots-Tag": (text) => hasNoindex(text, "googlebot"),
  "Retry-After": (text) => parseRetryAfter(`${text}, 01 `, 0),
  "Content-Range": (text) => {
    const headers = headersOf(["content-range", "content-type", "etag"], text);
    return headers && partialBody(headers);
  },
  "errors of a runtime": (text) => failureFor(new TypeError(text, { cause: new Error(text) })),
  "pages of challenges": (text) => {
    const headers = { "content-type": "text/html" };
    return walkSite(() => new Response(text.slice(0, 60_000), { status: 403, headers }));
  },
};

/** What reads an address. */
const ADDRESS_READERS: Readonly<Record<string, Read>> = {
  "a path, checked": (text) =>
    checkOf(eventsOf(["", "/", ".xml", ".sql", ".git/"].map((end) => ({
      url: `${ORIGIN}/${text}${end}`,
    })))),
  "a query, checked": (text) => checkOf(eventsOf([{ url: `${ORIGIN}/?${text}` }])),
  "a host, checked": (text) => checkOf(eventsOf([{ url: `https://${text}.test/` }])),
  "a host of one label, checked": (text) => checkOf(eventsOf([{ url: `https://${text}/` }])),
  "a sitemap, checked": (text) => checkOf(eventsOf([{ url: ORIGIN }], `${ORIGIN}/${text}`)),
  "fields, checked": (text) => checkOf(eventsOf([pageWith(text), { ...pageWith(text), url: "x" }])),
  "the form of a path": (text) => {
    const patterns = new UrlPatterns();
    patterns.add(partsOf(`${ORIGIN}/${text}`));
    patterns.add(partsOf(`${ORIGIN}/?${text}`));
  },
  "values, compared": (text) => {
    const other = { ...pageWith(text), url: `http://www.example.com/${text}` };
    return drain(diff(eventsOf([pageWith(text)]), eventsOf([other]), { ignoreOrigin: true }));
  },
  "a login": (text) => {
    for (const word of [`/a${text}`, `/?${text}=${text}`]) {
      const url = URL.parse(word, ORIGIN);
      if (url !== null) namesLogin(url);
    }
  },
  "a private host": (text) => isPrivateHost(text),
  "a homepage": (text) => walk(text).next().catch(() => {}),
  "an operand": (text) => [withScheme(text), withoutPassword(text), withoutPasswords(text)],
  "an operand with a password": (text) => [
    withoutPassword(`https://a:${text}@b.test/`),
    withoutPasswords(`postgres://a:${text} https://b.test/?password=${text}`),
  ],
};

/** What reads or applies a rule. */
const RULE_READERS: Readonly<Record<string, Read>> = {
  "a rule": (text) => matchRules(`Disallow: /${text}\nAllow: /*${text}$\n`, text),
  "a rule with wildcards": (text) => matchRules(`Disallow: /*a*${text}*a*\n`, text),
  "a crawler": (text) => parseRobots(`User-agent: ${text}\nDisallow: /\n`).allows("/", text),
  "a delay": (text) => parseRobots(`User-agent: *\nCrawl-delay: ${text}\n`).crawlDelay(text),
  "lines": (text) => parseRobots(`${text}\nUser-agent: *\n${text}\n`).allows("/", "a"),
  "a rule, checked": (text) =>
    checkOf([
      noteRobots(`User-agent: *\nDisallow: /${text}\nDisallow: /*${text}b\nSitemap: ${text}\n`),
      ...eventsOf([{ url: `${ORIGIN}/${text}` }, { url: `${ORIGIN}/b` }]),
    ]),
};

function matchRules(lines: string, text: string): void {
  const robots = parseRobots(`User-agent: *\n${lines}`);
  for (const url of [`/${text}`, `/${text}b`, "/"]) robots.allows(url, "crawler");
}

/** What writes what a site has, or reads it back. */
const DATA_READERS: Readonly<Record<string, Read>> = {
  "a report": async (text) => {
    const events = [noteRobots(text), ...eventsOf([pageWith(text)])];
    const warning = { type: "warning", code: "bad-date", message: text, sitemap: ref(1) } as const;
    const folded = await aggregate([...events.slice(0, 2), warning, ...events.slice(2)], {
      now: NOW,
      command: text,
    });
    renderReport(folded);
  },
  "CSV": (text) => write(toCsv(), eventsOf([pageWith(text)])),
  "CSV with another separator": (text) =>
    write(toCsv({ separator: ";" }), eventsOf([pageWith(text)])),
  "XML": (text) => write(toSitemapXml(), eventsOf([{ url: `${ORIGIN}/${text}` }, pageWith(text)])),
  "text": (text) => write(toText(), eventsOf([pageWith(text)])),
  "JSON": (text) => write(toJson(), eventsOf([pageWith(text)])),
  "an outline": (text) => write(toOutline(), eventsOf([pageWith(text)], `${ORIGIN}/${text}`)),
  "a saved walk": async (text) => {
    const saved = eventsOf([pageWith(text)]).map((event) => `${JSON.stringify(event)}\n`);
    const bytes = new TextEncoder().encode(saved.join(""));
    await drain(ReadableStream.from([bytes]).pipeThrough(fromNdjson())).catch(() => {});
  },
  "a damaged walk": async (text) => {
    const bytes = new TextEncoder().encode(`{"type":"page","page":{"url":${text}`);
    await drain(ReadableStream.from([bytes]).pipeThrough(fromNdjson())).catch(() => {});
  },
  "findings": (text) => {
    // each format has several of its values
    const value = text.slice(0, text.length / 10);
    const check = checkOf(eventsOf([pageWith(value), { url: value }], `${ORIGIN}/${value}`));
    formatAll({ ...check, folder: { path: value, url: value, fileOf: () => value }, note: value });
  },
  "differences": async (text) => {
    const format = diffMarkdown(() => undefined, 10);
    for await (const row of diff(eventsOf([{ url: text }]), eventsOf([pageWith(text)]))) {
      if ("page" in row) format.write({ site: text, ...row, sitemap: row.sitemap.url });
    }
    format.end?.();
  },
  "text in columns": (text) => {
    wrap(text, 60);
    const columns = [["a", ([one]: string[]) => one], [
      "b",
      ([, other]: string[]) => other,
    ]] as const;
    tableText({ columns }, [[text, "a"], ["b", text]], 60);
  },
};

const READERS: readonly Readonly<Record<string, Read>>[] = [
  HEADER_READERS,
  ADDRESS_READERS,
  RULE_READERS,
  DATA_READERS,
];

type Items = readonly number[];

const alternates = (count: number, values: (at: number) => { hreflang: string; href: string }) =>
  Array.from({ length: count }, (_, at) => values(at));
const lines = (items: Items, line: (at: number) => string) => items.map(line).join("");
const pages = (items: Items, path: (at: number) => string) =>
  items.map((at) => ({ url: `${ORIGIN}${path(at)}` }));
const answer = (at: number): PageAnswer => ({
  url: `https://${at % 2000}.test/`,
  redirects: [`${ORIGIN}/${at}`],
  disallowed: true,
  attempts: 1,
});

/** What reads many items. */
const ITEM_READERS: Readonly<Record<string, (items: Items) => unknown>> = {
  "alternates of a page": ({ length }) => {
    const values = (at: number) => ({ hreflang: `en-${at}`, href: `${ORIGIN}/${at}` });
    const all = alternates(length, values);
    checkOf(eventsOf([{ url: `${ORIGIN}/0`, alternates: all }, { url: "b", alternates: all }]));
  },
  "alternates of a page with one language": ({ length }) => {
    const values = (at: number) => ({ hreflang: "en", href: `${ORIGIN}/${at}` });
    checkOf(eventsOf([{ url: `${ORIGIN}/0`, alternates: alternates(length, values) }]));
  },
  "equal alternates of a page": ({ length }) => {
    const values = () => ({ hreflang: "en", href: `${ORIGIN}/0` });
    checkOf(eventsOf([{ url: `${ORIGIN}/0`, alternates: alternates(length, values) }]));
  },
  "pages with alternates to each other": (items) => {
    const all = alternates(5, (at) => ({ hreflang: "en", href: `${ORIGIN}/${at}` }));
    checkOf(eventsOf(pages(items, (at) => `/${at}`).map((page) => ({ ...page, alternates: all }))));
  },
  "images and videos of a page": (items) => {
    const images = items.map((at) => ({ loc: `${ORIGIN}/${at}` }));
    const videos = items.map((at) => ({ thumbnailLoc: `${ORIGIN}/${at}`, tags: ["a"] }));
    checkOf(eventsOf([{ url: ORIGIN, images, videos } as SitemapPage]));
  },
  "hosts of pages": (items) =>
    checkOf(eventsOf(items.map((at) => ({ url: `https://${at}.test/a` })))),
  "rules, each for a page": (items) =>
    checkOf([
      noteRobots(`User-agent: *\n${lines(items, (at) => `Disallow: /${at}\n`)}`),
      ...eventsOf(pages(items, (at) => `/${at}`)),
    ]),
  "rules with wildcards, and pages": (items) =>
    checkOf([
      noteRobots(`User-agent: *\n${lines(items, (at) => `Disallow: /*${at}*b$\n`)}`),
      ...eventsOf(pages(items, (at) => `/a${at}/b`)),
    ]),
  "rules with a common beginning, and pages": (items) =>
    checkOf([
      noteRobots(`User-agent: *\n${lines(items, (at) => `Disallow: /a/b/c/${at}*z\n`)}`),
      ...eventsOf(pages(items, (at) => `/a/b/c/${at}`)),
    ]),
  "rules that nothing matches, and one URL": (items) => {
    const rules = lines(items, (at) => `Disallow: /*a*${at}\nAllow: /*a*a*${at}\n`);
    parseRobots(`User-agent: *\n${rules}`).allows(`/${"a".repeat(100)}`, "b");
  },
  "crawlers": (items) => {
    const robots = parseRobots(lines(items, (at) => `User-agent: a${at}\nDisallow: /${at}\n`));
    for (const at of [0, 1, items.length]) robots.allows("/a", `a${at}`);
  },
  "sitemaps of robots.txt": (items) =>
    checkOf([
      noteRobots(lines(items, (at) => `Sitemap: ${at}\n`)),
      ...eventsOf(pages(items, (at) => `/${at}`)),
    ]),
  "answers of pages": (items) => {
    const checker = new Checker();
    for (const at of items) {
      for (const event of sitemapEvents(ref(at + 1), [])) checker.add(event);
    }
    for (const at of items) checker.addAnswer(answer(at), ref(at + 1).url);
    checker.result();
  },
  "sitemaps with findings": async (items) => {
    const events = items.flatMap((at) => [
      ...sitemapEvents(ref(at + 1), [{ url: `http://a b/${at}`, lastModified: "2099" }]),
    ]);
    formatAll(checkOf(events));
    renderReport(await aggregate(events, { now: NOW }));
  },
  "folders": async (items) => {
    const all = pages(items, (at) => `/${at}/${at % 7}/${"a/".repeat(at % 50)}${at}`);
    renderReport(await aggregate(eventsOf(all), { now: NOW }));
  },
  "forms of paths": (items) => {
    const patterns = new UrlPatterns();
    for (const { url } of pages(items, (at) => `/${at % 3}x${at}/y${at}-z?q${at}=1`)) {
      patterns.add(partsOf(url));
    }
  },
  "differences": (items) =>
    drain(
      diff(eventsOf(pages(items, (at) => `/a${at}`)), eventsOf(pages(items, (at) => `/${at}`))),
    ),
  "links of a homepage": (items) =>
    homepageLinks(
      new URL(ORIGIN),
      lines(items, (at) => `<${at}>; rel=sitemap, `),
      scanHead(lines(items, (at) => `<link rel=sitemap href=ftp:${at}><meta a=">`)),
    ),
  "sitemaps of an index": (items) =>
    drain(parseSitemap(
      `<sitemapindex>${lines(items, (at) => `<sitemap><loc>${at}</loc></sitemap>`)}</sitemapindex>`,
      { url: ORIGIN },
    )),
};

inWorker(async (report) => {
  for (const fragment of FRAGMENTS) {
    const make = (length: number) => fragment.repeat(length / fragment.length);
    for (const [name, run] of READERS.flatMap((readers) => Object.entries(readers))) {
      const what = `${JSON.stringify(fragment)} in ${name}`;
      await assertLinear(what, { lengths: LENGTHS, make, run }, report);
    }
  }
  const make = (length: number) => Array.from({ length }, (_, at) => at);
  for (const [name, run] of Object.entries(ITEM_READERS)) {
    await assertLinear(name, { lengths: NUMBERS, make, run, slow: SLOW_ITEM }, report);
  }
});
