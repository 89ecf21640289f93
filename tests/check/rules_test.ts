import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  INVALID_CODES,
  NOTE_CODES,
  WARNING_CODES,
  type WarningCode,
} from "../../src/data/codes.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import {
  Checker,
  type PageAnswer,
  type Rule,
  RULE_SOURCES,
  type RuleCode,
  RULES,
} from "../../src/check/mod.ts";
import {
  type Change,
  checked,
  dated,
  index,
  notingRobots,
  ORIGIN,
  robots,
  type Site,
  type SiteResponse,
  type Subject,
  urlset,
} from "./check_support.ts";

/** A document, the entries of a sitemap, or any other subject. */
type Checked = string | Uint8Array<ArrayBuffer> | readonly string[] | Subject;

/** In turn, what has a finding of a rule, and what just does not break the rule; default: `PAGE`. */
type Subjects = readonly [broken: Checked, fine?: Checked, ...Checked[]];

function subjectOf(checked: Checked): Subject {
  if (typeof checked === "string" || checked instanceof Uint8Array) return { xml: checked };
  return Array.isArray(checked) ? { xml: urlset(...checked) } : checked as Subject;
}

const PAGE = urlset(dated("/a", "2024-05-01"));
const DECLARED = robots("/sitemap.xml");

/** Returns a site whose robots.txt declares sitemaps, by default the first one. */
function declaring(site: Site, ...paths: string[]): Subject {
  const declared = paths.length > 0 ? paths : Object.keys(site).slice(0, 1);
  return { site: { "/robots.txt": robots(...declared), ...site } };
}

function declaringAll(site: Site): Subject {
  return declaring(site, ...Object.keys(site));
}

/** Returns a site whose robots.txt has rules for all agents, and declares its sitemaps. */
function ruled(rules: string, site: Site): Subject {
  const text = `User-agent: *\n${rules}\n${robots(...Object.keys(site))}`;
  return { site: { ...site, "/robots.txt": text } };
}

const FOR_ONE_AGENT = ruled("Disallow:\n\nUser-agent: examplebot\nDisallow: /x/", {
  "/a.xml": urlset("/x/1"),
});

function robotsAnswering(response: SiteResponse): Subject {
  return { site: { "/robots.txt": response, "/sitemap.xml": PAGE } };
}

function changed(change: Change): Subject {
  return { xml: PAGE, change };
}

function answering(...answers: PageAnswer[]): Subject {
  return { xml: PAGE, answers };
}

function onLeft(change: object): Change {
  return (event) =>
    event.type === "sitemap-left" ? [{ ...event, ...change } as typeof event] : [event];
}

/** Changes events so that the robots.txt of the host was not asked for. */
function askingElsewhere(event: TreeEvent): readonly TreeEvent[] {
  if (event.type !== "finished") return [event];
  const discovery = event.discovery.map((step) => ({
    ...step,
    url: step.url.replace("/robots.txt", "/docs/robots.txt"),
  }));
  return [{ ...event, discovery }];
}

function many(count: number, entry: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => entry(at));
}

function paths(count: number): string[] {
  return many(count, (at) => `/${at}`);
}

function withDate(count: number, date: string): string[] {
  return many(count, (at) => dated(`/${at}`, date));
}

const GZIP = await new Response(
  new Response(PAGE).body!.pipeThrough(new CompressionStream("gzip")),
).bytes();

function typed(type: string): Subject {
  return declaring({ "/a.xml": { type, body: PAGE } });
}

const [OTHER, WWW] = ["https://other.test/o.xml", "https://www.example.com/o.xml"];
const WITH_OTHER = declaring({ "/i.xml": index(OTHER), [OTHER]: PAGE });

function indexed(date: string, pageDate: string): Subject {
  const pages = urlset(dated("/a", pageDate));
  return declaring({ "/i.xml": index(dated("/a.xml", date)), "/a.xml": pages });
}

/** Returns an entry with alternates, `hreflang path` each. */
function alternates(path: string, ...links: readonly string[]): string {
  const elements = links.map((link) => {
    const [hreflang, href] = link.split(" ") as [string, string];
    return `<xhtml:link rel="alternate" hreflang="${hreflang}" href="${ORIGIN}${href}"/>`;
  });
  return `<loc>${ORIGIN}${path}</loc>${elements.join("")}`;
}

/** Returns an entry with an alternate of each language, all of the same page. */
function languages(...codes: readonly string[]): string {
  return alternates("/a", ...codes.map((code) => `${code} /a`));
}

const SET = ["en /en", "de /de", "x-default /en"];
const [EN, DE] = [alternates("/en", ...SET), alternates("/de", ...SET)];
const DE_ALONE = alternates("/de", "de /de", "x-default /de");
const PAIR = urlset(EN, DE);

function news(path: string, date: string, language = "en", name = "N"): string {
  const element = name === "" ? "" : `<news:name>${name}</news:name>`;
  return `<loc>${ORIGIN}${path}</loc><news:news><news:publication>${element}` +
    `<news:language>${language}</news:language></news:publication>` +
    `<news:publication_date>${date}</news:publication_date><news:title>T</news:title></news:news>`;
}

function image(more = ""): string {
  return `<image:image><image:loc>${ORIGIN}/i.png</image:loc>${more}</image:image>`;
}

function images(count: number, more = ""): string {
  const elements = many(count, (at) => image(more).replace("i.png", `${at}.png`));
  return urlset(`<loc>${ORIGIN}/a</loc>${elements.join("")}`);
}

const REQUIRED: Readonly<Record<string, string>> = {
  thumbnail_loc: `${ORIGIN}/t.jpg`,
  title: "T",
  description: "D",
  content_loc: `${ORIGIN}/v.mp4`,
};

function videos(...all: readonly Readonly<Record<string, string>>[]): string {
  const elements = all.map((fields) => {
    const given = Object.entries({ ...REQUIRED, ...fields }).filter(([, value]) => value !== "");
    const content = given.map(([name, value]) => `<video:${name}>${value}</video:${name}>`);
    return `<video:video>${content.join("")}</video:video>`;
  });
  return urlset(`<loc>${ORIGIN}/a</loc>${elements.join("")}`);
}

function warning(code: WarningCode, message: string): Change {
  return (event) =>
    event.type === "sitemap-entered"
      ? [event, { type: "warning", code, message, sitemap: event.sitemap }]
      : [event];
}

/** Returns a change that makes a document unusable, by a limit of the walk. */
function invalidated(code: "too-large" | "too-deep"): Change {
  const type = "InvalidSitemap";
  return (event) =>
    event.type === "sitemap-entered"
      ? [{ type: "invalid", code, reason: "Limit", sitemap: { ...event.sitemap, type } }]
      : event.type === "finished"
      ? [event]
      : [];
}

function linking(href: string): Change {
  const alternates = ["en", "x-default"].map((hreflang) => ({ hreflang, href }));
  return (event) =>
    event.type === "page" ? [{ ...event, page: { ...event.page, alternates } }] : [event];
}

function answered(path: string, more: Partial<PageAnswer> = {}): PageAnswer {
  return {
    url: ORIGIN + path,
    ...{ method: "HEAD", status: 200, redirects: [], attempts: 1 },
    ...more,
  } as PageAnswer;
}

const GONE = { status: 410, code: "http-status", reason: "410 Gone" } as const;
const BLOCKED = { code: "blocked", reason: "Host is not allowed by the hosts policy" } as const;

/** By rule and by finding, `severity: message`. */
const CASES: Readonly<Record<RuleCode, Readonly<Record<string, Subjects>>>> = {
  "sitemap-failed": {
    "error: Cannot be fetched: 500 Internal Server Error": [
      declaring({ "/a.xml": { status: 500 } }),
      declaring({ "/a.xml": PAGE }),
    ],
    "error: Cannot be fetched: 404 Not Found": [
      declaring({ "/a.xml": index("/b.xml", "/c.xml"), "/c.xml": PAGE }),
      // children that were not requested have not failed
      index("/b.xml", "/c.xml"),
    ],
  },
  "sitemap-redirected": {
    [`warning: Is declared at a URL that redirects: ${ORIGIN}/a.xml`]: [
      declaring({ "/a.xml": { status: 301, location: "/b.xml" }, "/b.xml": PAGE }),
      // nothing declares a known path
      { site: { "/sitemap.xml": { status: 301, location: "/b.xml" }, "/b.xml": PAGE } },
    ],
  },
  "sitemap-html": {
    "error: Is not a sitemap: HTML page": [
      declaring({ "/a.xml": { body: "<html><p>Hello</p></html>", type: "text/html" } }),
      declaring({ "/a.xml": `${ORIGIN}/page\n` }),
    ],
  },
  "sitemap-empty": {
    "warning: Has no entry": [
      [],
      PAGE,
      index(),
      index("/a.xml"),
    ],
    "error: Has no content": [
      " \n",
      // an entry without a URL is another fault
      ["<lastmod>2024-05-01</lastmod>"],
    ],
  },
  "sitemap-repeated": {
    "warning: 1 more listing of this sitemap": [
      declaringAll({ "/a.xml": PAGE, "/i.xml": index("/a.xml") }),
      declaring({ "/a.xml": PAGE, "/i.xml": index("/b.xml"), "/b.xml": PAGE }, "/a.xml", "/i.xml"),
    ],
    "warning: Is listed below itself": [
      declaring({ "/i.xml": index("/i.xml", "/a.xml"), "/a.xml": PAGE }),
      declaring({ "/i.xml": index("/a.xml"), "/a.xml": PAGE }),
    ],
    "warning: 1 sitemap listed more than once in this file": [
      declaring({ "/i.xml": index("/a.xml", "/a.xml"), "/a.xml": PAGE }),
      declaring({ "/i.xml": index("/a.xml", "/A.xml"), "/a.xml": PAGE, "/A.xml": PAGE }),
    ],
  },
  "sitemap-undeclared": {
    "notice: Is not declared in robots.txt": [
      { site: { "/sitemap.xml": PAGE } },
      declaring({ "/sitemap.xml": PAGE }),
      { site: { "/sitemap.xml": PAGE } },
      // robots.txt of the host was not asked for
      { site: { "/sitemap.xml": PAGE }, change: askingElsewhere },
      { site: { "/robots.txt": "User-agent: *\nDisallow:\n", "/sitemap.xml": PAGE } },
      // perhaps robots.txt does declare it
      robotsAnswering({ status: 503 }),
    ],
  },
  "robots-unreadable": {
    "warning: robots.txt cannot be read": [
      robotsAnswering({ status: 503 }),
      robotsAnswering({ status: 404 }),
    ],
    'warning: robots.txt is not text: HTML page "Shop"': [
      robotsAnswering({ body: "<html><title>Shop</title></html>", type: "text/html" }),
      robotsAnswering({ body: "", type: "text/html" }),
    ],
    "warning: robots.txt is too large": [
      robotsAnswering({ body: DECLARED + "# 9 bytes\n".repeat(52_000) }),
      robotsAnswering({ body: DECLARED + "# 9 bytes\n".repeat(51_000) }),
    ],
  },
  "sitemap-disallowed": {
    "error: Is disallowed by robots.txt": [
      ruled("Disallow: /private/", { "/private/a.xml": PAGE }),
      ruled("Disallow: /private/\nAllow: /private/*.xml$", { "/private/a.xml": PAGE }),
    ],
  },
  "page-disallowed": {
    "warning: 1 page disallowed by robots.txt": [
      // an escape is the same as its character
      ruled("Disallow: /caf%C3%A9/x", { "/a.xml": urlset("/caf%c3%a9/%78") }),
      ruled("Disallow: /caf%C3%A9/x", { "/a.xml": urlset("/caf%c3%a9/%79") }),
      { ...FOR_ONE_AGENT, options: { agent: "ExampleBot/2.0" } },
      FOR_ONE_AGENT,
    ],
    "warning: 2 pages disallowed by robots.txt": [
      ruled("Disallow: /cart\nDisallow: /*?s=", {
        "/a.xml": urlset("/cart/1", "/shop", "/x?s=1"),
      }),
      ruled("Disallow: /cart\nAllow: /cart/help\nDisallow: /*?s=", {
        "/a.xml": urlset("/cart/help", "/car", "/x?t=1"),
      }),
    ],
  },
  "compression": {
    "error: 1 fault in the compressed data": [
      declaring({ "/a.xml.gz": { body: GZIP.slice(0, -12), type: "application/gzip" } }),
      declaring({ "/a.xml.gz": { body: GZIP, type: "application/gzip" } }),
    ],
    "warning: Has bytes after the compressed data": [
      new Uint8Array([...GZIP, 1, 2, 3]),
      new Uint8Array([...GZIP, ...GZIP]),
    ],
    "error: Does not have its declared Content-Encoding: Not gzip": [
      // the `fetch` of these tests has decoded bodies
      changed(warning("content-encoding", "Not gzip")),
    ],
  },
  "content-type": {
    'notice: Is not served as a sitemap: Content-Type is "text/html; charset=utf-8"': [
      typed("text/html; charset=utf-8"),
      typed("Application/XML"),
    ],
  },
  "sitemap-slow": {
    "notice: Takes longer than 10 s: 10.0 s": [
      changed(onLeft({ durationMs: 10_001 })),
      changed(onLeft({ durationMs: 10_000 })),
    ],
  },
  "urls-over-limit": {
    "error: Has more than 50,000 URLs: 50,001": [
      paths(50_001),
      paths(50_000),
      // repeated ones count, too
      [...paths(50_000), "/7"],
      [...paths(49_999), "/7"],
    ],
  },
  "size-over-limit": {
    "error: Has more than 52,428,800 bytes: 52,428,801": [
      changed(onLeft({ bytes: 52_428_801 })),
      changed(onLeft({ bytes: 52_428_800 })),
    ],
    "error: Is too large to be read": [
      changed(invalidated("too-large")),
      changed(invalidated("too-deep")),
    ],
  },
  "index-over-limit": {
    "error: Lists more than 50,000 sitemaps: 50,001": [
      index(...paths(50_001)),
      index(...paths(50_000)),
    ],
  },
  "index-nested": {
    [`warning: Is an index inside an index: listed in ${ORIGIN}/i.xml`]: [
      declaring({ "/i.xml": index("/j.xml"), "/j.xml": index("/a.xml"), "/a.xml": PAGE }),
      declaring({ "/i.xml": index("/a.xml"), "/a.xml": PAGE }),
    ],
    "warning: Is nested too deep to be read": [
      changed(invalidated("too-deep")),
      changed(invalidated("too-large")),
    ],
  },
  "index-other-host": {
    "warning: 1 sitemap of another host, whose robots.txt was not read": [
      WITH_OTHER,
      { ...WITH_OTHER, change: notingRobots(`Sitemap: ${OTHER}`, "https://other.test") },
    ],
    "warning: 1 sitemap of another host, whose robots.txt does not declare it": [
      { ...WITH_OTHER, change: notingRobots("User-agent: *", "https://other.test") },
      declaring({ "/i.xml": index(WWW), [WWW]: PAGE }),
    ],
  },
  "xml-broken": {
    "error: 1 place where the XML is not well-formed": [
      PAGE.replace("<url>", '<url a="1" a="2">'),
      PAGE,
      PAGE.replace("/a<", "/a&none;<"),
      PAGE.replace("/a<", "/a&#38;&apos;<"),
    ],
  },
  "xml-cut": {
    "error: Is truncated": [PAGE.replace("</urlset>", ""), `${PAGE}\n`],
  },
  "xml-leading-junk": {
    "warning: Has white space or a comment before the XML declaration": [
      `\n${PAGE}`,
      PAGE.replace("?>", "?>\n\n<!-- made by hand -->"),
    ],
    "error: Has content before the root element": [
      `Warning: no permission ${PAGE}`,
      `<?xml-stylesheet href="a.xsl"?>${PAGE.replace(/^<\?.*?\?>/, "")}`,
    ],
  },
  "xml-doctype": {
    "warning: Has a DOCTYPE": [PAGE.replace("?>", "?><!DOCTYPE urlset>")],
    "error: Has a DOCTYPE with declarations": [
      PAGE.replace("?>", '?><!DOCTYPE urlset [<!ENTITY a "b">]>'),
    ],
  },
  "namespace": {
    [
      'error: Has a missing or wrong namespace: No namespace of "urlset" instead of ' +
      '"http://www.sitemaps.org/schemas/sitemap/0.9"'
    ]: [`<urlset><url><loc>${ORIGIN}/a</loc></url></urlset>`],
    "error: 2 namespace prefixes not declared": [
      urlset("/a").replace(/xmlns:image="[^"]*"/, "").replace("</url>", image() + "</url>"),
      urlset("/a").replace("</url>", image() + "</url>"),
    ],
  },
  "encoding": {
    'error: Is not UTF-8: Encoding is "windows-1252"': [
      Uint8Array.from(urlset("/ä").replace("UTF-8", "ISO-8859-1"), (c) => c.charCodeAt(0)),
    ],
    "error: 1 place with bytes that are invalid in the encoding": [
      new Uint8Array([...new TextEncoder().encode(PAGE.slice(0, -9)), 0xff, 0x3c, 0x2f]),
      ["/ä"],
    ],
    'error: Declares another encoding than it has: Content is not in its encoding "UTF-16"': [
      new TextEncoder().encode(PAGE.replace("UTF-8", "UTF-16")),
      new TextEncoder().encode(PAGE.replace("UTF-8", "utf8")),
    ],
  },
  "bom": {
    "notice: Begins with a byte order mark": [`\ufeff${PAGE}`],
  },
  "element-unknown": {
    "notice: 2 elements outside of the format": [images(2, "<image:size>9</image:size>")],
    "notice: 1 element in an unexpected position": [
      PAGE.replace("</urlset>", `<loc>${ORIGIN}/b</loc></urlset>`),
    ],
  },
  "element-repeated": {
    "warning: 1 repeated field": [
      ["<loc>https://example.com/a</loc><priority>0.5</priority><priority>0.6</priority>"],
      ["<loc>https://example.com/a</loc><priority>0.5</priority>", "/b"],
    ],
  },
  "text-line": {
    "error: 1 line without an absolute URL": [
      { xml: `${ORIGIN}/a\nnot a URL\n`, url: `${ORIGIN}/sitemap.txt` },
      { xml: `${ORIGIN}/a\n\n${ORIGIN}/b`, url: `${ORIGIN}/sitemap.txt` },
    ],
  },
  "loc-missing": {
    "error: 2 entries without a usable URL": [
      ["/a", "<priority>1</priority>", "mailto:a@example.com"],
      ["/a", "<loc> https://example.com/b\n</loc>"],
    ],
    "error: 2 URLs with line breaks, quotes, a `<`, wrong slashes or no scheme": [
      ["www.example.com/a", "https:///example.com/b"],
      ["HTTPS://example.com/b"],
    ],
  },
  "loc-relative": {
    "error: 2 relative URLs": [["<loc>/a</loc>", "<loc>b</loc>"], ["/a"]],
  },
  "loc-long": {
    "error: 1 URL of 2,048 characters or more": [
      [`/${"a".repeat(2048 - ORIGIN.length - 1)}`],
      [`/${"a".repeat(2047 - ORIGIN.length - 1)}`],
    ],
  },
  "loc-entity": {
    "error: 2 `&` not escaped": [["/a?b=1&c=2", "/d?e=1&f=2"], ["/a?b=1&amp;c=2"]],
  },
  "loc-encoding": {
    [
      "warning: 2 URLs with characters that URLs must not have; " +
      "2 URLs with a `%` that encodes nothing; 1 URL with letters outside of ASCII"
    ]: [
      ["/a b", "/c|d", "/100%", "/%zz", "/ä"],
      ["/a%20b", "/c%7Cd", "/100%25", "/%C3%A4", "/~a!$'()*+,;=:@-._?b[]=/?"],
    ],
    "notice: 1 URL with letters outside of ASCII": [["/ä"], ["/%C3%A4"]],
  },
  "loc-fragment": {
    "warning: 1 URL with a fragment; 1 URL with a user name": [
      ["/a#b", "https://user:word@example.com/c"],
      ["/a%23b", "/user@example.com"],
    ],
  },
  "loc-outside-path": {
    "warning: 1 page outside of the folder of the sitemap": [
      { site: { "/sitemap/sitemap.xml": urlset("/a", "/sitemap/b") } },
      // robots.txt declares it
      declaring({ "/sitemap/sitemap.xml": urlset("/a", "/sitemap/b") }),
      {
        xml: urlset("/catalogue", "/catalog/b"),
        url: `${ORIGIN}/catalog/a.xml`,
        change: notingRobots("User-agent: *"),
      },
      // an index at the root lists it
      { site: { "/sitemap.xml": index("/maps/a.xml"), "/maps/a.xml": urlset("/a") } },
    ],
  },
  "loc-other-host": {
    "warning: 1 page of another host, whose robots.txt was not read": [
      ["/a", "https://other.test/b"],
      ["/a", "https://EXAMPLE.com:443/b"],
      declaring({ "/i.xml": index(OTHER), [OTHER]: urlset("https://third.test/") }),
      // the site declares an index that leads to a sitemap on another host
      declaring({ "/i.xml": index(OTHER), [OTHER]: urlset("/a") }),
    ],
    [
      "error: 1 page of another host, whose robots.txt does not declare the sitemap; " +
      "1 page of another host, whose robots.txt was not read"
    ]: [
      {
        xml: urlset("/a", "https://other.test/b", "https://third.test/c"),
        change: notingRobots("User-agent: *", "https://other.test"),
      },
      {
        xml: urlset("/a", "https://other.test/b"),
        change: notingRobots(`Sitemap: ${ORIGIN}/sitemap.xml`, "https://other.test"),
      },
    ],
  },
  "loc-mixed-origin": {
    "warning: 1 URL with another scheme; 1 URL that differs by `www.`": [
      ["/a", "http://example.com/b", "https://www.example.com/c"],
      ["/a", "https://www.other.test/b"],
    ],
    "warning: 1 URL with another scheme": [
      ["http://other.test/a", "https://other.test/b"],
      ["http://other.test/a", "http://other.test/b"],
    ],
  },
  "loc-duplicate": {
    "warning: 2 repeated URLs in this sitemap": [["/a", "/a", "/a"], ["/a", "/A", "/a?"]],
    "notice: 1 URL that another sitemap lists, too": [
      declaringAll({ "/a.xml": urlset("/1", "/2"), "/b.xml": urlset("/2", "/3") }),
      // the same sitemap again
      declaringAll({ "/a.xml": PAGE, "/i.xml": index("/a.xml") }),
    ],
  },
  "loc-equivalent": {
    "warning: 8 URLs equivalent to another one that is listed": [
      [
        ...["/a", "/a/", "/%7Eb", "/~b", "/%c3%a4", "/%C3%A4", "/ä", "/d/../e", "/e"],
        ...["https://example.com", "https://EXAMPLE.com:443/", "/日本", "/%E6%97%A5%E6%9C%AC"],
        ...["/😀", "/%f0%9f%98%80"],
      ],
      [
        ...["/a", "/a?", "/a//", "/b?c=/", "/b?c=", "/%2F", "/d..", "/.d", "/%41"],
        ...["http://example.com/a", "https://www.example.com/a", "/%E6%97%A5", "/日本", "/%25"],
      ],
    ],
  },
  "loc-parameters": {
    "notice: 3 URLs with session or tracking parameters": [
      ["/a?utm_source=x", "/b;jsessionid=1", "/c?d=1&amp;PHPSESSID=2"],
      ["/a?source=x", "/utm_source=1", "/c?sid=1", "/d?xgclid=1"],
    ],
  },
  "loc-leak": {
    [
      "warning: 3 URLs with a local, private or staging host; " +
      "6 URLs of an administration page, a backup or a configuration file"
    ]: [
      [
        ...["http://localhost:3000/a", "https://10.0.0.1/", "https://staging.example.com/"],
        ...["/admin", "/wp-admin/x", "/.env", "/dump.sql", "/site.zip", "/.git/config"],
      ],
      [
        ...["https://10.example.com/", "https://stagecoach.example.com/", "https://dev.test/"],
        ...["/administration", "/docs/admin", "/environment", "/sql", "/zip", "/.well-known/a"],
      ],
    ],
    "warning: 1 URL with a local, private or staging host": [
      { xml: urlset("http://localhost/"), url: "http://127.0.0.1/sitemap.xml" },
      // a check of a local site
      { xml: urlset("http://localhost:3000/"), url: "http://localhost:3000/sitemap.xml" },
      ...["http://100.64.0.1/", "http://100.128.0.1/"].map((url) => [url]),
      ...["http://[2001:db8::1]/", "http://[2606:4700::1]/"].map((url) => [url]),
      ...["http://nas.lan/", "http://lan.example.com/"].map((url) => [url]),
      ...["http://router.home.arpa/", "http://home.example.com/"].map((url) => [url]),
    ],
  },
  "loc-sitemap": {
    "warning: 2 sitemaps listed as a page": [
      ["/sitemap-1.xml", "/news_sitemap.xml.gz"],
      ["/sitemap.html", "/sitemaps/", "/data.xml", "/sitemap.xml/about"],
    ],
  },
  "lastmod-invalid": {
    "error: 1 unreadable date": [[dated("/a", "yesterday")], [dated("/a", "2024")]],
  },
  "lastmod-format": {
    "warning: 1 date in another format; 1 date without a known zone": [[
      dated("/a", "1 May 2024"),
      dated("/b", "2024-05-01T10:11:12"),
    ]],
  },
  "lastmod-future": {
    "warning: 2 dates in the future": [
      [dated("/a", "2024-06-01T12:10:00.001Z"), dated("/b", "2024-06-03")],
      // exactly now, a clock that is ten minutes fast, and a day that has begun in some zone
      [
        dated("/a", "2024-06-01T12:00:00Z"),
        dated("/b", "2024-06-01T12:10:00Z"),
        dated("/c", "2024-06-02"),
        dated("/d", "2024"),
      ],
    ],
    "warning: 1 date in the future": [
      index(dated("/a.xml", "2024-07-01")),
      index(dated("/a.xml", "2024-06-01")),
    ],
  },
  "lastmod-identical": {
    "warning: 20 pages with the same date": [
      withDate(20, "2024-05-01T10:11:12Z"),
      withDate(19, "2024-05-01T10:11:12Z"),
      withDate(20, "2024-05-01T00:00:01+02:00"),
      // the start of a day
      withDate(99, "2024-05-01T00:00:00+02:00"),
    ],
    "warning: 90 pages with the same date": [
      many(100, (at) => dated(`/${at}`, at < 10 ? `2024-04-1${at}` : "2024-05-01")),
      many(100, (at) => dated(`/${at}`, at < 11 ? `2024-04-${at + 10}` : "2024-05-01")),
    ],
  },
  "lastmod-missing": {
    "notice: 2 pages without a date": [
      ["/a", "/b"],
      ["/a", dated("/b", "2024")],
      ["/a", "<loc>https://example.com/b</loc><lastmod></lastmod>"],
      // it is unreadable
      ["/a", dated("/b", "yesterday")],
    ],
    "notice: 2 sitemaps without a date": [
      index("/a.xml", "/b.xml"),
      index("/a.xml", dated("/b.xml", "2024")),
    ],
  },
  "lastmod-index": {
    "notice: Is newer than its date in the index: 2024-05-03 after 2024-05-01": [
      indexed("2024-05-01", "2024-05-03"),
      indexed("2024-05-01", "2024-05-02T13:00:00Z"),
    ],
    [
      "notice: Is newer than its date in the index: " +
      "2024-05-01T10:00:01.000Z after 2024-05-01T10:00:00.000Z"
    ]: [
      indexed("2024-05-01T10:00:00Z", "2024-05-01T10:00:01Z"),
      indexed("2024-05-01T10:00:00Z", "2024-05-01T12:00:00+02:00"),
    ],
    "notice: Is newer than its date in the index: 2024-05-03 after 2024-04": [
      indexed("2024-04", "2024-05-03"),
      indexed("2024-05", "2024-05-03"),
    ],
  },
  "hint-invalid": {
    "warning: 2 invalid values": [
      ["<loc>https://example.com/a</loc><changefreq>often</changefreq><priority>1.1</priority>"],
      ["<loc>https://example.com/a</loc><changefreq>never</changefreq><priority>1.0</priority>"],
    ],
    "notice: 1 `changefreq` not in lower case": [[
      `${dated("/a", "2024")}<changefreq>Daily</changefreq>`,
    ]],
  },
  "hreflang-code": {
    "error: 6 alternates with an invalid language code": [
      [languages("en_US", "en-UK", "english", "eng", "xx", "en-EU")],
      [languages("en", "EN-gb", "zh-Hant-TW", "zh-Hans", "es-419", "X-Default")],
    ],
  },
  "hreflang-return": {
    "error: 1 alternate that does not link back": [
      [EN, DE_ALONE],
      PAIR,
      // the link back is in another file
      declaringAll({ "/a.xml": urlset(EN), "/b.xml": urlset(DE_ALONE) }),
      declaringAll({ "/a.xml": urlset(EN), "/b.xml": urlset(DE) }),
    ],
    "error: 2 pairs of pages with different alternates": [
      [
        alternates("/en", ...SET, "fr /fr"),
        DE,
        alternates("/fr", "en /en", "fr /fr", "x-default /en"),
      ],
      // in any order, one for two languages, and another page for all others
      [
        alternates("/en", "en /en", "en-gb /en", "de /de", "x-default /en"),
        alternates("/de", "de /de", "en-gb /en", "en /en", "x-default /choose"),
      ],
    ],
    "notice: 1 alternate outside of the sitemaps, whose links back are unknown": [
      [EN],
      // it may be in the sitemap that was not read
      declaringAll({ "/a.xml": urlset(EN), "/b.xml": { status: 500 } }),
    ],
  },
  "hreflang-set": {
    "warning: 1 page without a link to itself; 1 page with two links for one language": [
      [alternates("/en", "de /de", "de /d", "x-default /")],
      PAIR,
    ],
    "notice: 2 pages without x-default": [
      [alternates("/en", "en /en", "de /de"), alternates("/de", "en /en", "de /de")],
      PAIR,
    ],
    "warning: 1 alternate without a language or a URL; 1 link that is not `alternate`": [
      PAIR.replace('hreflang="de"', "").replace('"alternate"', '"canonical"'),
      PAIR,
    ],
    "warning: 1 page without a link to itself; 2 alternates with a relative URL": [
      changed(linking("/a")),
      changed(linking(`${ORIGIN}/a`)),
    ],
  },
  "news-fields": {
    "error: 2 news stories with a missing or bad field": [
      [news("/a", "2024-06-01", "english"), news("/b", "2024-06-01", "en", "")],
      [news("/a", "2024-06-01", "zh-tw"), news("/b", "2024-06-01", "fil")],
    ],
    "error: 1 news story without title or readable date": [
      [news("/a", "soon")],
      // stories of feeds are not of the extension
      "<rss><channel><item><title>T</title><link>https://example.com/a</link></item></channel></rss>",
    ],
  },
  "news-limits": {
    "error: Has more than 1,000 news stories: 1,001": [
      many(1001, (at) => news(`/${at}`, "2024-06-01")),
      many(1000, (at) => news(`/${at}`, "2024-06-01")),
    ],
    "warning: 2 news stories older than two days": [
      [news("/a", "2024-05-30T11:59:59Z"), news("/b", "2024-05-28")],
      [news("/a", "2024-05-30T12:00:00Z"), news("/b", "2024-05-29")],
    ],
  },
  "image-limits": {
    "error: 1 page with more than 1,000 images": [images(1001), images(1000)],
    "notice: 2 images with tags that Google no longer reads": [
      images(2, "<image:caption>C</image:caption>"),
      images(2),
    ],
    "error: 1 image without a URL": [
      urlset("/a").replace("</url>", "<image:image></image:image></url>"),
      images(1),
    ],
  },
  "video-fields": {
    "error: 8 videos with a missing or bad field": [
      videos(
        { thumbnail_loc: "" },
        { title: "" },
        { description: "" },
        { content_loc: "" },
        { description: "D".repeat(2049) },
        { duration: "28801" },
        { duration: "0" },
        { content_loc: `${ORIGIN}/a` },
      ),
      videos(
        {},
        { content_loc: "", player_loc: `${ORIGIN}/p` },
        { description: "D".repeat(2048) },
        { duration: "28800", rating: "5.0" },
        { duration: "1", rating: "0" },
      ),
    ],
    "error: 1 video with a missing or bad field": [
      videos({}).replace("</video:video>", `${"<video:tag>t</video:tag>".repeat(33)}$&`),
      videos({}).replace("</video:video>", `${"<video:tag>t</video:tag>".repeat(32)}$&`),
    ],
    "error: 1 unreadable field of videos": [
      videos({ duration: "long" }),
      videos({ duration: "60" }),
    ],
  },
  "page-status": {
    "error: 1 page that fails": [answering(answered("/a", GONE)), answering(answered("/a"))],
    "warning: 2 pages that redirect": [
      answering(
        answered("/a", { redirects: [`${ORIGIN}/b`], noindex: true }),
        answered("/b", { redirects: ["https://other.test/"], ...BLOCKED }),
      ),
      answering(answered("/a", BLOCKED)),
    ],
    "warning: 1 page with `X-Robots-Tag: noindex`": [answering(answered("/a", { noindex: true }))],
    "warning: 1 page disallowed by robots.txt": [
      answering(answered("/a", { disallowed: true, noindex: true })),
      // page-disallowed has it
      {
        xml: PAGE,
        change: notingRobots("User-agent: *\nDisallow: /a"),
        answers: [answered("/a", { disallowed: true })],
      },
    ],
    "error: 2 pages that fail; 1 page that redirects": [
      answering(
        answered("/a", { redirects: [`${ORIGIN}/b`] }),
        answered("/b", { redirects: [`${ORIGIN}/c`], ...GONE }),
        answered("/c", GONE),
      ),
      answering(),
    ],
    "warning: 1 page that redirects": [
      answering(answered("/a", { redirects: [`${ORIGIN}/b`] })),
      answering(answered("/b")),
    ],
  },
};

Deno.test("an answer counts for one aspect of page-status, and says to where", async () => {
  const answers = [
    answered("/1"),
    answered("/2", { ...GONE, disallowed: true, noindex: true }),
    answered("/3", { redirects: [`${ORIGIN}/x`, `${ORIGIN}/y`], noindex: true }),
    answered("/4", { redirects: [`${ORIGIN}/x`], ...GONE }),
    answered("/5", { redirects: ["https://other.test/"], ...BLOCKED }),
    answered("/6", BLOCKED),
    answered("/7", { noindex: true }),
  ];
  const result = await checked({ xml: PAGE, answers });
  assertEquals(result.answers, {
    requested: 6,
    unrequested: 1,
    failed: 2,
    redirected: 2,
    disallowed: 0,
    noindex: 1,
  });
  const { sitemap, count, examples } = result.findings.find(({ code }) => code === "page-status")!;
  assertEquals([sitemap, count], [`${ORIGIN}/sitemap.xml`, 5]);
  assertEquals(examples.map(({ url, value }) => [url?.slice(ORIGIN.length), value]), [
    ["/2", "410 Gone"],
    ["/4", `to ${ORIGIN}/x: 410 Gone`],
    ["/3", `to ${ORIGIN}/y, after 2 redirects`],
    ["/5", "to https://other.test/: Host is not allowed by the hosts policy"],
    ["/7", undefined],
  ]);
});

Deno.test("page-status is skipped only if it was asked for by its name", async () => {
  const skipped = async (subject: Subject) =>
    (await checked(subject)).skipped.filter(({ code }) => code === "page-status");
  assertEquals(await skipped({ xml: PAGE }), []);
  assertEquals(await skipped({ xml: PAGE, options: { only: ["page-status"] } }), [
    { code: "page-status", reason: "The pages were not requested" },
  ]);
  const options = { only: ["page-status"] } as const;
  assertEquals(await skipped({ xml: PAGE, options, answers: [answered("/a")] }), []);
});

Deno.test("every rule has a subject that breaks it, and one that just does not", async () => {
  assertEquals(Object.keys(CASES).sort(), Object.keys(RULES).sort());
  for (const [code, cases] of Object.entries(CASES)) {
    assert(Object.keys(cases).length > 0, code);
    for (const [expected, subjects] of Object.entries(cases)) {
      const [broken, fine = PAGE, ...others] = subjects;
      for (const [at, subject] of [broken, fine, ...others].entries()) {
        const { findings, counts } = await checked(subjectOf(subject));
        const found = findings.filter((finding) => finding.code === code);
        const actual = found.map(({ severity, message }) => [code, `${severity}: ${message}`]);
        assertEquals(actual, at % 2 === 0 ? [[code, expected]] : [], expected);
        for (const { examples, help } of found) {
          assert(examples.length <= 5);
          assertEquals(help, RULES[code as RuleCode].help);
        }
        assertEquals(counts.error, findings.filter(({ severity }) => severity === "error").length);
      }
    }
  }
});

/** Codes that no rule judges, and why. */
const NOT_JUDGED: Readonly<Record<string, string>> = {
  "warnings too-large": "a limit of the caller; the size itself is judged",
  "warnings too-many-entries": "a limit of the caller; the number itself is judged",
  "warnings too-many-attributes": "a limit of the reader",
  "warnings too-deep-elements": "a limit of the reader",
  "warnings value-too-long": "a limit of the reader",
  "warnings max-sitemaps": "a limit of the walk",
  "warnings max-pages": "a limit of the walk",
  "warnings deadline": "a limit of the walk",
  "warnings probe-failed": "nothing declares what is not there",
  "warnings mass-removal": "about a synchronisation",
  "invalid unfetched": "was not requested",
  "invalid blocked": "was not requested, by the policy of the caller",
  "notes robots-txt": "what sitemap-disallowed and page-disallowed judge by",
};

Deno.test("every aspect of every rule has a subject", () => {
  for (const [code, { aspects }] of Object.entries(RULES)) {
    const messages = Object.keys(CASES[code as RuleCode])
      .map((found) => found.replace(/^\w+: /, "").toLowerCase()).join("\n");
    for (const { noun = "", text } of Object.values(aspects)) {
      const clause = (text || noun).replace(": {}", "").toLowerCase();
      assert(messages.includes(clause), `${code}: ${clause}`);
    }
  }
});

Deno.test("every warning, invalid and note code is judged by one rule, or for a reason by none", () => {
  const codes = { warnings: WARNING_CODES, invalid: INVALID_CODES, notes: NOTE_CODES };
  const kinds = ["warnings", "invalid", "notes"] as const;
  const all = kinds.flatMap((kind) => Object.keys(codes[kind]).map((code) => `${kind} ${code}`));
  const aspects: Rule["aspects"][string][] = Object.values(RULES).flatMap(({ aspects }) =>
    Object.values(aspects)
  );
  const judged = aspects.flatMap((aspect) =>
    kinds.flatMap((kind) => (aspect[kind] ?? []).map((code) => `${kind} ${code}`))
  );
  assertEquals([...judged, ...Object.keys(NOT_JUDGED)].sort(), all.sort());
});

Deno.test("RULES has sentences without a full stop, and every source is used", () => {
  for (const [code, { title, help, severity, aspects, sources }] of Object.entries(RULES)) {
    assert(/^(?:[A-Z`]|robots\.txt).*[^.]$/.test(title), code);
    assert(/^[A-Z].*[^.]$/.test(help), code);
    assert(sources.length > 0, code);
    const severities = Object.values(aspects).map((aspect) => aspect.severity ?? severity);
    assert(severities.includes(severity), `${code} has a finding of its severity`);
  }
  const used = new Set(Object.values(RULES).flatMap(({ sources }) => sources));
  assertEquals(
    [...used].sort(),
    Object.keys(RULE_SOURCES).sort() as typeof used extends Set<infer T> ? T[] : never,
  );
});

Deno.test("new Checker() throws if an option is unknown or invalid", () => {
  const faults: [object, string][] = [
    [{ nwo: "2024" }, 'Unknown option "nwo"; did you mean "now"?'],
    [{ now: "soon" }, 'Cannot use option "now": "soon" is not a Date, or a date in ISO 8601'],
    [{ now: 5 }, 'Cannot use option "now": 5 is not a Date, or a date in ISO 8601'],
    [
      { only: ["loc"] },
      'Cannot use option "only": "loc" is not a rule; did you mean "loc-missing"?',
    ],
    [{ skip: "bom" }, 'Cannot use option "skip": "bom" is not an array of rules'],
    [
      { severities: { bom: "fatal" } },
      'Cannot use option "severities": "fatal" is not one of error, warning, notice',
    ],
    [{ agent: "" }, 'Cannot use option "agent": "" is not a product token, or `*`'],
  ];
  for (const [options, message] of faults) {
    assertThrows(() => new Checker(options), TypeError, message);
  }
});
