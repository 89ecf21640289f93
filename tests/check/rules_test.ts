import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  INVALID_CODES,
  NOTE_CODES,
  WARNING_CODES,
  type WarningCode,
} from "../../src/data/codes.ts";
import { Checker, RULE_SOURCES, type RuleCode, RULES } from "../../src/check/mod.ts";
import type { PageAnswer, Severity } from "../../src/check/mod.ts";
import {
  type Change,
  checked,
  dated,
  index,
  notingRobots,
  ORIGIN,
  robots,
  type Site,
  type Subject,
  urlset,
} from "./check_support.ts";

/** A subject that breaks a rule, what is found, and one that just does not break it. */
interface RuleCase {
  readonly code: RuleCode;
  readonly broken: Subject;
  readonly severity: Severity;
  readonly message: string;
  readonly fine: Subject;
}

const cases: RuleCase[] = [];

function rule(
  code: RuleCode,
  broken: Subject,
  [severity, message]: readonly [Severity, string],
  fine: Subject,
): void {
  cases.push({ code, broken, severity, message, fine });
}

const PAGE = urlset(dated("/a", "2024-05-01"));

/** Returns a site whose robots.txt declares a sitemap. */
function declaring(site: Site, ...paths: string[]): Subject {
  return { site: { "/robots.txt": robots(...paths), ...site } };
}

/** Returns a site whose robots.txt declares its sitemaps and has rules. */
function ruled(rules: string, site: Site): Site {
  return { ...site, "/robots.txt": `${rules}\n${robots(...Object.keys(site))}` };
}

function escaped(path: string): string {
  return urlset(dated(path, "2024-05-01"));
}

function onLeft(change: object): Change {
  return (event) =>
    event.type === "sitemap-left" ? [{ ...event, ...change } as typeof event] : [event];
}

function many(count: number, entry: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => entry(at));
}

rule(
  "sitemap-failed",
  declaring({ "/a.xml": { status: 500 } }, "/a.xml"),
  ["error", "Cannot be fetched: 500 Internal Server Error"],
  declaring({ "/a.xml": PAGE }, "/a.xml"),
);
rule(
  "sitemap-failed",
  declaring({ "/a.xml": index("/b.xml", "/c.xml"), "/c.xml": PAGE }, "/a.xml"),
  ["error", "Cannot be fetched: 404 Not Found"],
  // children that were not requested have not failed
  { xml: index("/b.xml", "/c.xml") },
);
rule(
  "sitemap-redirected",
  declaring({ "/a.xml": { status: 301, location: "/b.xml" }, "/b.xml": PAGE }, "/a.xml"),
  ["warning", `Is declared at a URL that redirects: ${ORIGIN}/a.xml`],
  // nothing declares a known path
  { site: { "/sitemap.xml": { status: 301, location: "/b.xml" }, "/b.xml": PAGE } },
);
rule(
  "sitemap-html",
  declaring({ "/a.xml": { body: "<html><p>Hello</p></html>", type: "text/html" } }, "/a.xml"),
  ["error", "Is not a sitemap: HTML page"],
  declaring({ "/a.xml": `${ORIGIN}/page\n` }, "/a.xml"),
);
rule("sitemap-empty", { xml: urlset() }, ["warning", "Has no entry"], { xml: PAGE });
rule("sitemap-empty", { xml: index() }, ["warning", "Has no entry"], { xml: index("/a.xml") });
rule("sitemap-empty", { xml: " \n" }, ["error", "Has no content"], {
  // an entry without a URL is another fault
  xml: urlset("<lastmod>2024-05-01</lastmod>"),
});
rule(
  "sitemap-repeated",
  declaring({ "/a.xml": PAGE, "/i.xml": index("/a.xml") }, "/a.xml", "/i.xml"),
  ["warning", "1 more listing of this sitemap"],
  declaring({ "/a.xml": PAGE, "/i.xml": index("/b.xml"), "/b.xml": PAGE }, "/a.xml", "/i.xml"),
);
rule(
  "sitemap-repeated",
  declaring({ "/i.xml": index("/i.xml", "/a.xml"), "/a.xml": PAGE }, "/i.xml"),
  ["warning", "Is listed below itself"],
  declaring({ "/i.xml": index("/a.xml"), "/a.xml": PAGE }, "/i.xml"),
);
rule(
  "sitemap-repeated",
  declaring({ "/i.xml": index("/a.xml", "/a.xml"), "/a.xml": PAGE }, "/i.xml"),
  ["warning", "1 sitemap listed more than once in this file"],
  declaring({ "/i.xml": index("/a.xml", "/A.xml"), "/a.xml": PAGE, "/A.xml": PAGE }, "/i.xml"),
);
rule(
  "sitemap-undeclared",
  { site: { "/sitemap.xml": PAGE } },
  ["info", "Is not declared in robots.txt"],
  declaring({ "/sitemap.xml": PAGE }, "/sitemap.xml"),
);
rule(
  "sitemap-undeclared",
  { site: { "/sitemap.xml": PAGE } },
  ["info", "Is not declared in robots.txt"],
  // robots.txt of the host was not asked for
  {
    site: { "/sitemap.xml": PAGE },
    change: (event) => {
      if (event.type !== "finished") return [event];
      const discovery = event.discovery.map((step) => ({
        ...step,
        url: step.url.replace("/robots.txt", "/docs/robots.txt"),
      }));
      return [{ ...event, discovery }];
    },
  },
);
rule(
  "sitemap-undeclared",
  { site: { "/robots.txt": "User-agent: *\nDisallow:\n", "/sitemap.xml": PAGE } },
  ["info", "Is not declared in robots.txt"],
  // perhaps robots.txt does declare it
  { site: { "/robots.txt": { status: 503 }, "/sitemap.xml": PAGE } },
);
rule(
  "robots-unreadable",
  { site: { "/robots.txt": { status: 503 }, "/sitemap.xml": PAGE } },
  ["warning", "robots.txt cannot be read"],
  { site: { "/robots.txt": { status: 404 }, "/sitemap.xml": PAGE } },
);
rule(
  "robots-unreadable",
  {
    site: {
      "/robots.txt": { body: "<html><title>Shop</title></html>", type: "text/html" },
      "/sitemap.xml": PAGE,
    },
  },
  ["warning", 'robots.txt is not text: HTML page "Shop"'],
  { site: { "/robots.txt": { body: "", type: "text/html" }, "/sitemap.xml": PAGE } },
);
rule(
  "sitemap-disallowed",
  {
    site: ruled("User-agent: *\nDisallow: /private/", { "/private/a.xml": PAGE }),
  },
  ["error", "Is disallowed by robots.txt"],
  {
    site: ruled("User-agent: *\nDisallow: /private/\nAllow: /private/*.xml$", {
      "/private/a.xml": PAGE,
    }),
  },
);
rule(
  "page-disallowed",
  // an escape is the same as its character
  { site: ruled("User-agent: *\nDisallow: /caf%C3%A9/x", { "/a.xml": escaped("/caf%c3%a9/%78") }) },
  ["warning", "1 page disallowed by robots.txt"],
  { site: ruled("User-agent: *\nDisallow: /caf%C3%A9/x", { "/a.xml": escaped("/caf%c3%a9/%79") }) },
);
rule(
  "page-disallowed",
  {
    site: ruled("User-agent: *\nDisallow: /cart\nDisallow: /*?s=", {
      "/a.xml": urlset("/cart/1", "/shop", "/x?s=1"),
    }),
  },
  ["warning", "2 pages disallowed by robots.txt"],
  {
    site: ruled("User-agent: *\nDisallow: /cart\nAllow: /cart/help\nDisallow: /*?s=", {
      "/a.xml": urlset("/cart/help", "/car", "/x?t=1"),
    }),
  },
);
rule(
  "page-disallowed",
  {
    site: ruled("User-agent: *\nDisallow:\n\nUser-agent: examplebot\nDisallow: /x/", {
      "/a.xml": urlset("/x/1"),
    }),
    options: { agent: "ExampleBot/2.0" },
  },
  ["warning", "1 page disallowed by robots.txt"],
  {
    site: ruled("User-agent: *\nDisallow:\n\nUser-agent: examplebot\nDisallow: /x/", {
      "/a.xml": urlset("/x/1"),
    }),
  },
);
const GZIP = await new Response(
  new Response(PAGE).body!.pipeThrough(new CompressionStream("gzip")),
).bytes();
rule(
  "compression",
  declaring({ "/a.xml.gz": { body: GZIP.slice(0, -12), type: "application/gzip" } }, "/a.xml.gz"),
  ["error", "1 fault in the compressed data"],
  declaring({ "/a.xml.gz": { body: GZIP, type: "application/gzip" } }, "/a.xml.gz"),
);
rule(
  "compression",
  { xml: new Uint8Array([...GZIP, 1, 2, 3]) },
  ["warning", "Has bytes after the compressed data"],
  { xml: new Uint8Array([...GZIP, ...GZIP]) },
);
function typed(type: string): Subject {
  return declaring({ "/a.xml": { type, body: PAGE } }, "/a.xml");
}
rule(
  "content-type",
  typed("text/html; charset=utf-8"),
  ["info", 'Is not served as a sitemap: Content-Type is "text/html; charset=utf-8"'],
  typed("Application/XML"),
);
rule(
  "sitemap-slow",
  { xml: PAGE, change: onLeft({ durationMs: 10_001 }) },
  ["info", "Takes longer than 10 s: 10.0 s"],
  { xml: PAGE, change: onLeft({ durationMs: 10_000 }) },
);
rule(
  "urls-over-limit",
  { xml: urlset(...many(50_001, (at) => `/${at}`)) },
  ["error", "Has more than 50,000 URLs: 50,001"],
  { xml: urlset(...many(50_000, (at) => `/${at}`)) },
);
rule(
  "urls-over-limit",
  // repeated ones count, too
  { xml: urlset(...many(50_000, (at) => `/${at}`), "/7") },
  ["error", "Has more than 50,000 URLs: 50,001"],
  { xml: urlset(...many(49_999, (at) => `/${at}`), "/7") },
);
rule(
  "size-over-limit",
  { xml: PAGE, change: onLeft({ bytes: 52_428_801 }) },
  ["error", "Has more than 52,428,800 bytes: 52,428,801"],
  { xml: PAGE, change: onLeft({ bytes: 52_428_800 }) },
);
rule(
  "index-over-limit",
  { xml: index(...many(50_001, (at) => `/${at}.xml`)) },
  ["error", "Lists more than 50,000 sitemaps: 50,001"],
  { xml: index(...many(50_000, (at) => `/${at}.xml`)) },
);
rule(
  "index-nested",
  declaring({ "/i.xml": index("/j.xml"), "/j.xml": index("/a.xml"), "/a.xml": PAGE }, "/i.xml"),
  ["warning", `Is an index inside an index: listed in ${ORIGIN}/i.xml`],
  declaring({ "/i.xml": index("/a.xml"), "/a.xml": PAGE }, "/i.xml"),
);
const OTHER = "https://other.test/o.xml";
const WITH_OTHER = declaring({ "/i.xml": index(OTHER), [OTHER]: PAGE }, "/i.xml");
rule(
  "index-other-host",
  WITH_OTHER,
  ["warning", "1 sitemap of another host, whose robots.txt was not read"],
  { ...WITH_OTHER, change: notingRobots(`Sitemap: ${OTHER}`, "https://other.test") },
);
rule(
  "index-other-host",
  { ...WITH_OTHER, change: notingRobots("User-agent: *", "https://other.test") },
  ["warning", "1 sitemap of another host, whose robots.txt does not declare it"],
  declaring(
    { "/i.xml": index("https://www.example.com/o.xml"), "https://www.example.com/o.xml": PAGE },
    "/i.xml",
  ),
);
rule(
  "xml-broken",
  { xml: PAGE.replace("<url>", '<url a="1" a="2">') },
  ["error", "1 place where the XML is not well-formed"],
  { xml: PAGE },
);
rule(
  "xml-broken",
  { xml: PAGE.replace("/a<", "/a&none;<") },
  ["error", "1 place where the XML is not well-formed"],
  { xml: PAGE.replace("/a<", "/a&#38;&apos;<") },
);
rule(
  "xml-cut",
  { xml: PAGE.replace("</urlset>", "") },
  ["error", "Is truncated"],
  { xml: `${PAGE}\n` },
);
rule(
  "xml-leading-junk",
  { xml: `\n${PAGE}` },
  ["warning", "Has white space or a comment before the XML declaration"],
  { xml: PAGE.replace("?>", "?>\n\n<!-- made by hand -->") },
);
rule(
  "xml-leading-junk",
  { xml: `Warning: no permission ${PAGE}` },
  ["error", "Has content before the root element"],
  { xml: `<?xml-stylesheet href="a.xsl"?>${PAGE.replace(/^<\?.*?\?>/, "")}` },
);
rule(
  "xml-doctype",
  { xml: PAGE.replace("?>", "?><!DOCTYPE urlset>") },
  ["warning", "Has a DOCTYPE"],
  { xml: PAGE },
);
rule(
  "xml-doctype",
  { xml: PAGE.replace("?>", '?><!DOCTYPE urlset [<!ENTITY a "b">]>') },
  ["error", "Has a DOCTYPE with declarations"],
  { xml: PAGE },
);
rule(
  "namespace",
  { xml: `<urlset><url><loc>${ORIGIN}/a</loc></url></urlset>` },
  [
    "error",
    'Has a missing or wrong namespace: No namespace of "urlset" instead of ' +
    '"http://www.sitemaps.org/schemas/sitemap/0.9"',
  ],
  { xml: PAGE },
);
rule(
  "namespace",
  { xml: urlset("/a").replace(/xmlns:image="[^"]*"/, "").replace("</url>", IMAGE() + "</url>") },
  ["error", "2 namespace prefixes not declared"],
  { xml: urlset("/a").replace("</url>", IMAGE() + "</url>") },
);
rule(
  "encoding",
  {
    xml: Uint8Array.from(
      urlset("/ä").replace("UTF-8", "ISO-8859-1"),
      (character) => character.charCodeAt(0),
    ),
  },
  ["error", 'Is not UTF-8: Encoding is "windows-1252"'],
  { xml: PAGE },
);
rule(
  "encoding",
  { xml: new Uint8Array([...new TextEncoder().encode(PAGE.slice(0, -9)), 0xff, 0x3c, 0x2f]) },
  ["error", "1 place with bytes that are invalid in the encoding"],
  { xml: urlset("/ä") },
);
rule(
  "bom",
  { xml: `\ufeff${PAGE}` },
  ["info", "Begins with a byte order mark"],
  { xml: PAGE },
);
rule(
  "element-unknown",
  { xml: images(2, "<image:size>9</image:size>") },
  ["info", "2 elements outside of the format"],
  { xml: PAGE },
);
rule(
  "element-unknown",
  { xml: PAGE.replace("</urlset>", `<loc>${ORIGIN}/b</loc></urlset>`) },
  ["info", "1 element in an unexpected position"],
  { xml: PAGE },
);
rule(
  "element-repeated",
  {
    xml: urlset("<loc>https://example.com/a</loc><priority>0.5</priority><priority>0.6</priority>"),
  },
  ["warning", "1 repeated field"],
  { xml: urlset("<loc>https://example.com/a</loc><priority>0.5</priority>", "/b") },
);
rule(
  "text-line",
  { xml: `${ORIGIN}/a\nnot a URL\n`, url: `${ORIGIN}/sitemap.txt` },
  ["error", "1 line without an absolute URL"],
  { xml: `${ORIGIN}/a\n\n${ORIGIN}/b`, url: `${ORIGIN}/sitemap.txt` },
);
rule(
  "loc-missing",
  { xml: urlset("/a", "<priority>1</priority>", "mailto:a@example.com") },
  ["error", "2 entries without a usable URL"],
  { xml: urlset("/a", "<loc> https://example.com/b\n</loc>") },
);
rule(
  "loc-missing",
  { xml: urlset("www.example.com/a", "https:///example.com/b") },
  ["error", "2 URLs with line breaks, quotes, wrong slashes or no scheme"],
  { xml: urlset("HTTPS://example.com/b") },
);
rule(
  "loc-relative",
  { xml: urlset("<loc>/a</loc>", "<loc>b</loc>") },
  ["error", "2 relative URLs"],
  { xml: urlset("/a") },
);
rule(
  "loc-long",
  { xml: urlset(`/${"a".repeat(2048 - ORIGIN.length - 1)}`) },
  ["error", "1 URL of 2,048 characters or more"],
  { xml: urlset(`/${"a".repeat(2047 - ORIGIN.length - 1)}`) },
);
rule(
  "loc-entity",
  { xml: urlset("/a?b=1&c=2", "/d?e=1&f=2") },
  ["error", "2 `&` not escaped"],
  { xml: urlset("/a?b=1&amp;c=2") },
);
rule(
  "loc-encoding",
  { xml: urlset("/a b", "/c|d", "/100%", "/%zz", "/ä") },
  [
    "warning",
    "2 URLs with characters that URLs must not have; 2 URLs with a `%` that encodes nothing; " +
    "1 URL with letters outside of ASCII",
  ],
  { xml: urlset("/a%20b", "/c%7Cd", "/100%25", "/%C3%A4", "/~a!$'()*+,;=:@-._?b[]=/?") },
);
rule(
  "loc-encoding",
  { xml: urlset("/ä") },
  ["info", "1 URL with letters outside of ASCII"],
  { xml: urlset("/%C3%A4") },
);
rule(
  "loc-fragment",
  { xml: urlset("/a#b", "https://user:word@example.com/c") },
  ["warning", "1 URL with a fragment; 1 URL with a user name"],
  { xml: urlset("/a%23b", "/user@example.com") },
);
rule(
  "loc-outside-path",
  { site: { "/sitemap/sitemap.xml": urlset("/a", "/sitemap/b") } },
  ["warning", "1 page outside of the folder of the sitemap"],
  // robots.txt declares it
  declaring({ "/sitemap/sitemap.xml": urlset("/a", "/sitemap/b") }, "/sitemap/sitemap.xml"),
);
rule(
  "loc-outside-path",
  {
    xml: urlset("/catalogue", "/catalog/b"),
    url: `${ORIGIN}/catalog/a.xml`,
    change: notingRobots("User-agent: *"),
  },
  ["warning", "1 page outside of the folder of the sitemap"],
  // an index at the root lists it
  { site: { "/sitemap.xml": index("/maps/a.xml"), "/maps/a.xml": urlset("/a") } },
);
rule(
  "loc-other-host",
  { xml: urlset("/a", "https://other.test/b") },
  ["warning", "1 page of another host, whose robots.txt was not read"],
  { xml: urlset("/a", "https://EXAMPLE.com:443/b") },
);
rule(
  "loc-other-host",
  {
    xml: urlset("/a", "https://other.test/b", "https://third.test/c"),
    change: notingRobots("User-agent: *", "https://other.test"),
  },
  [
    "error",
    "1 page of another host, whose robots.txt does not declare the sitemap; " +
    "1 page of another host, whose robots.txt was not read",
  ],
  {
    xml: urlset("/a", "https://other.test/b"),
    change: notingRobots(`Sitemap: ${ORIGIN}/sitemap.xml`, "https://other.test"),
  },
);
rule(
  "loc-other-host",
  declaring({ "/i.xml": index(OTHER), [OTHER]: urlset("https://third.test/") }, "/i.xml"),
  ["warning", "1 page of another host, whose robots.txt was not read"],
  // the site declares an index that leads to a sitemap on another host
  declaring({ "/i.xml": index(OTHER), [OTHER]: urlset("/a") }, "/i.xml"),
);
rule(
  "loc-mixed-origin",
  { xml: urlset("/a", "http://example.com/b", "https://www.example.com/c") },
  ["warning", "1 URL with another scheme; 1 URL that differs by `www.`"],
  { xml: urlset("/a", "https://www.other.test/b") },
);
rule(
  "loc-mixed-origin",
  { xml: urlset("http://other.test/a", "https://other.test/b") },
  ["warning", "1 URL with another scheme"],
  { xml: urlset("http://other.test/a", "http://other.test/b") },
);
rule(
  "loc-duplicate",
  { xml: urlset("/a", "/a", "/a") },
  ["warning", "2 repeated URLs in this sitemap"],
  { xml: urlset("/a", "/A", "/a?") },
);
rule(
  "loc-duplicate",
  declaring({ "/a.xml": urlset("/1", "/2"), "/b.xml": urlset("/2", "/3") }, "/a.xml", "/b.xml"),
  ["info", "1 URL that another sitemap lists, too"],
  // the same sitemap again
  declaring({ "/a.xml": PAGE, "/i.xml": index("/a.xml") }, "/a.xml", "/i.xml"),
);
rule(
  "loc-equivalent",
  {
    xml: urlset(
      ...["/a", "/a/", "/%7Eb", "/~b", "/%c3%a4", "/%C3%A4", "/ä", "/d/../e", "/e"],
      ...["https://example.com", "https://EXAMPLE.com:443/", "/日本", "/%E6%97%A5%E6%9C%AC"],
      ...["/😀", "/%f0%9f%98%80"],
    ),
  },
  ["warning", "8 URLs equivalent to another one that is listed"],
  {
    xml: urlset(
      ...["/a", "/a?", "/a//", "/b?c=/", "/b?c=", "/%2F", "/d..", "/.d", "/%41"],
      ...["http://example.com/a", "https://www.example.com/a", "/%E6%97%A5", "/日本", "/%25"],
    ),
  },
);
rule(
  "loc-parameters",
  { xml: urlset("/a?utm_source=x", "/b;jsessionid=1", "/c?d=1&amp;PHPSESSID=2") },
  ["info", "3 URLs with session or tracking parameters"],
  { xml: urlset("/a?source=x", "/utm_source=1", "/c?sid=1", "/d?xgclid=1") },
);
rule(
  "loc-leak",
  {
    xml: urlset(
      ...["http://localhost:3000/a", "https://10.0.0.1/", "https://staging.example.com/"],
      ...["/admin", "/wp-admin/x", "/.env", "/dump.sql", "/site.zip", "/.git/config"],
    ),
  },
  [
    "warning",
    "3 URLs with a local, private or staging host; " +
    "6 URLs of an administration page, a backup or a configuration file",
  ],
  {
    xml: urlset(
      ...["https://10.example.com/", "https://stagecoach.example.com/", "https://dev.test/"],
      ...["/administration", "/docs/admin", "/environment", "/sql", "/zip", "/.well-known/a"],
    ),
  },
);
rule(
  "loc-leak",
  { xml: urlset("http://localhost/"), url: "http://127.0.0.1/sitemap.xml" },
  ["warning", "1 URL with a local, private or staging host"],
  // a check of a local site
  { xml: urlset("http://localhost:3000/"), url: "http://localhost:3000/sitemap.xml" },
);
rule(
  "loc-sitemap",
  { xml: urlset("/sitemap-1.xml", "/news_sitemap.xml.gz") },
  ["warning", "2 sitemaps listed as a page"],
  { xml: urlset("/sitemap.html", "/sitemaps/", "/data.xml", "/sitemap.xml/about") },
);
rule(
  "lastmod-invalid",
  { xml: urlset(dated("/a", "yesterday")) },
  ["error", "1 unreadable date"],
  { xml: urlset(dated("/a", "2024")) },
);
rule(
  "lastmod-format",
  { xml: urlset(dated("/a", "1 May 2024"), dated("/b", "2024-05-01T10:11:12")) },
  ["warning", "1 date in another format; 1 date without a known zone"],
  { xml: PAGE },
);
rule(
  "lastmod-future",
  { xml: urlset(dated("/a", "2024-06-01T12:10:00.001Z"), dated("/b", "2024-06-03")) },
  ["warning", "2 dates in the future"],
  // exactly now, a clock that is ten minutes fast, and a day that has begun in some zone
  {
    xml: urlset(
      dated("/a", "2024-06-01T12:00:00Z"),
      dated("/b", "2024-06-01T12:10:00Z"),
      dated("/c", "2024-06-02"),
      dated("/d", "2024"),
    ),
  },
);
rule(
  "lastmod-future",
  { xml: index(dated("/a.xml", "2024-07-01")) },
  ["warning", "1 date in the future"],
  { xml: index(dated("/a.xml", "2024-06-01")) },
);
rule(
  "lastmod-identical",
  { xml: urlset(...many(20, (at) => dated(`/${at}`, "2024-05-01T10:11:12Z"))) },
  ["warning", "20 pages with the same date"],
  { xml: urlset(...many(19, (at) => dated(`/${at}`, "2024-05-01T10:11:12Z"))) },
);
rule(
  "lastmod-identical",
  { xml: urlset(...many(100, (at) => dated(`/${at}`, at < 10 ? `2024-04-1${at}` : "2024-05-01"))) },
  ["warning", "90 pages with the same date"],
  {
    xml: urlset(
      ...many(100, (at) => dated(`/${at}`, at < 11 ? `2024-04-${at + 10}` : "2024-05-01")),
    ),
  },
);
rule(
  "lastmod-identical",
  { xml: urlset(...many(20, (at) => dated(`/${at}`, "2024-05-01T00:00:01+02:00"))) },
  ["warning", "20 pages with the same date"],
  // the start of a day
  { xml: urlset(...many(99, (at) => dated(`/${at}`, "2024-05-01T00:00:00+02:00"))) },
);
rule(
  "lastmod-missing",
  { xml: urlset("/a", "/b") },
  ["info", "2 pages without a date"],
  { xml: urlset("/a", dated("/b", "2024")) },
);
rule(
  "lastmod-missing",
  { xml: urlset("/a", "<loc>https://example.com/b</loc><lastmod></lastmod>") },
  ["info", "2 pages without a date"],
  // it is unreadable
  { xml: urlset("/a", dated("/b", "yesterday")) },
);
rule(
  "lastmod-missing",
  { xml: index("/a.xml", "/b.xml") },
  ["info", "2 sitemaps without a date"],
  { xml: index("/a.xml", dated("/b.xml", "2024")) },
);
function indexed(date: string, pageDate: string): Subject {
  return declaring(
    { "/i.xml": index(dated("/a.xml", date)), "/a.xml": urlset(dated("/a", pageDate)) },
    "/i.xml",
  );
}
rule(
  "lastmod-index",
  indexed("2024-05-01", "2024-05-03"),
  ["info", "Is newer than its date in the index: 2024-05-03 after 2024-05-01"],
  indexed("2024-05-01", "2024-05-02T13:00:00Z"),
);
rule(
  "lastmod-index",
  indexed("2024-05-01T10:00:00Z", "2024-05-01T10:00:01Z"),
  [
    "info",
    "Is newer than its date in the index: 2024-05-01T10:00:01.000Z after 2024-05-01T10:00:00.000Z",
  ],
  indexed("2024-05-01T10:00:00Z", "2024-05-01T12:00:00+02:00"),
);
rule(
  "hint-invalid",
  {
    xml: urlset(
      "<loc>https://example.com/a</loc><changefreq>often</changefreq><priority>1.1</priority>",
    ),
  },
  ["warning", "2 invalid values"],
  {
    xml: urlset(
      "<loc>https://example.com/a</loc><changefreq>never</changefreq><priority>1.0</priority>",
    ),
  },
);
rule(
  "hint-invalid",
  { xml: urlset(`${dated("/a", "2024")}<changefreq>Daily</changefreq>`) },
  ["info", "1 `changefreq` not in lower case"],
  { xml: PAGE },
);
/** Returns an entry with alternates, `hreflang path` each. */
function alternates(path: string, ...links: readonly string[]): string {
  const elements = links.map((link) => {
    const [hreflang, href] = link.split(" ") as [string, string];
    return `<xhtml:link rel="alternate" hreflang="${hreflang}" href="${ORIGIN}${href}"/>`;
  });
  return `<loc>${ORIGIN}${path}</loc>${elements.join("")}`;
}
const SET = ["en /en", "de /de", "x-default /en"];
const PAIR = urlset(alternates("/en", ...SET), alternates("/de", ...SET));
rule(
  "hreflang-code",
  {
    xml: urlset(
      alternates(
        "/a",
        ...["en_US", "en-UK", "english", "eng", "xx", "en-EU"].map((code) => `${code} /a`),
      ),
    ),
  },
  ["error", "6 alternates with an invalid language code"],
  {
    xml: urlset(
      alternates(
        "/a",
        ...["en", "EN-gb", "zh-Hant-TW", "zh-Hans", "es-419", "X-Default"].map((code) =>
          `${code} /a`
        ),
      ),
    ),
  },
);
rule(
  "hreflang-return",
  { xml: urlset(alternates("/en", ...SET), alternates("/de", "de /de", "x-default /de")) },
  ["error", "1 alternate that does not link back"],
  { xml: PAIR },
);
rule(
  "hreflang-return",
  {
    xml: urlset(
      alternates("/en", ...SET, "fr /fr"),
      alternates("/de", ...SET),
      alternates("/fr", "en /en", "fr /fr", "x-default /en"),
    ),
  },
  ["error", "2 pairs of pages with different alternates"],
  // in any order, one for two languages, and another page for all others
  {
    xml: urlset(
      alternates("/en", "en /en", "en-gb /en", "de /de", "x-default /en"),
      alternates("/de", "de /de", "en-gb /en", "en /en", "x-default /choose"),
    ),
  },
);
rule(
  "hreflang-return",
  { xml: urlset(alternates("/en", ...SET)) },
  ["info", "1 alternate outside of the sitemaps, whose links back are unknown"],
  // it may be in the sitemap that was not read
  declaring(
    { "/a.xml": urlset(alternates("/en", ...SET)), "/b.xml": { status: 500 } },
    "/a.xml",
    "/b.xml",
  ),
);
rule(
  "hreflang-return",
  // the link back is in another file
  declaring(
    {
      "/a.xml": urlset(alternates("/en", ...SET)),
      "/b.xml": urlset(alternates("/de", "de /de", "x-default /de")),
    },
    "/a.xml",
    "/b.xml",
  ),
  ["error", "1 alternate that does not link back"],
  declaring(
    { "/a.xml": urlset(alternates("/en", ...SET)), "/b.xml": urlset(alternates("/de", ...SET)) },
    "/a.xml",
    "/b.xml",
  ),
);
rule(
  "hreflang-set",
  { xml: urlset(alternates("/en", "de /de", "de /d", "x-default /")) },
  ["warning", "1 page without a link to itself; 1 page with two links for one language"],
  { xml: PAIR },
);
rule(
  "hreflang-set",
  { xml: urlset(alternates("/en", "en /en", "de /de"), alternates("/de", "en /en", "de /de")) },
  ["info", "2 pages without x-default"],
  { xml: PAIR },
);
rule(
  "hreflang-set",
  { xml: PAIR.replace('hreflang="de"', "").replace('"alternate"', '"canonical"') },
  ["warning", "1 alternate without a language or a URL; 1 link that is not `alternate`"],
  { xml: PAIR },
);
function news(
  path: string,
  date: string,
  language = "en",
  name = "<news:name>N</news:name>",
): string {
  return `<loc>${ORIGIN}${path}</loc><news:news><news:publication>${name}` +
    `<news:language>${language}</news:language></news:publication>` +
    `<news:publication_date>${date}</news:publication_date><news:title>T</news:title></news:news>`;
}
rule(
  "news-fields",
  { xml: urlset(news("/a", "2024-06-01", "english"), news("/b", "2024-06-01", "en", "")) },
  ["error", "2 news stories with a missing or bad field"],
  { xml: urlset(news("/a", "2024-06-01", "zh-tw"), news("/b", "2024-06-01", "fil")) },
);
rule(
  "news-fields",
  { xml: urlset(news("/a", "soon")) },
  ["error", "1 news story without title or readable date"],
  // stories of feeds are not of the extension
  {
    xml:
      "<rss><channel><item><title>T</title><link>https://example.com/a</link></item></channel></rss>",
  },
);
rule(
  "news-limits",
  { xml: urlset(...many(1001, (at) => news(`/${at}`, "2024-06-01"))) },
  ["error", "Has more than 1,000 news stories: 1,001"],
  { xml: urlset(...many(1000, (at) => news(`/${at}`, "2024-06-01"))) },
);
rule(
  "news-limits",
  { xml: urlset(news("/a", "2024-05-30T11:59:59Z"), news("/b", "2024-05-28")) },
  ["warning", "2 news stories older than two days"],
  { xml: urlset(news("/a", "2024-05-30T12:00:00Z"), news("/b", "2024-05-29")) },
);
function IMAGE(more = ""): string {
  return `<image:image><image:loc>${ORIGIN}/i.png</image:loc>${more}</image:image>`;
}
function images(count: number, more = ""): string {
  return urlset(
    `<loc>${ORIGIN}/a</loc>${
      many(count, (at) => IMAGE(more).replace("i.png", `${at}.png`)).join("")
    }`,
  );
}
rule(
  "image-limits",
  { xml: images(1001) },
  ["error", "1 page with more than 1,000 images"],
  { xml: images(1000) },
);
rule(
  "image-limits",
  { xml: images(2, "<image:caption>C</image:caption>") },
  ["info", "2 images with tags that Google no longer reads"],
  { xml: images(2) },
);
rule(
  "image-limits",
  { xml: urlset("/a").replace("</url>", "<image:image></image:image></url>") },
  ["error", "1 image without a URL"],
  { xml: images(1) },
);
const REQUIRED: Readonly<Record<string, string>> = {
  thumbnail_loc: `${ORIGIN}/t.jpg`,
  title: "T",
  description: "D",
  content_loc: `${ORIGIN}/v.mp4`,
};
function videos(...all: readonly Readonly<Record<string, string>>[]): string {
  const elements = all.map((fields) =>
    `<video:video>${
      Object.entries({ ...REQUIRED, ...fields }).filter(([, value]) => value !== "").map((
        [name, value],
      ) => `<video:${name}>${value}</video:${name}>`).join("")
    }</video:video>`
  );
  return urlset(`<loc>${ORIGIN}/a</loc>${elements.join("")}`);
}
rule(
  "video-fields",
  {
    xml: videos(
      { thumbnail_loc: "" },
      { title: "" },
      { description: "" },
      { content_loc: "" },
      { description: "D".repeat(2049) },
      { duration: "28801" },
      { duration: "0" },
      { content_loc: `${ORIGIN}/a` },
    ),
  },
  ["error", "8 videos with a missing or bad field"],
  {
    xml: videos(
      {},
      { content_loc: "", player_loc: `${ORIGIN}/p` },
      { description: "D".repeat(2048) },
      { duration: "28800", rating: "5.0" },
      { duration: "1", rating: "0" },
    ),
  },
);
rule(
  "video-fields",
  { xml: videos({}).replace("</video:video>", `${"<video:tag>t</video:tag>".repeat(33)}$&`) },
  ["error", "1 video with a missing or bad field"],
  { xml: videos({}).replace("</video:video>", `${"<video:tag>t</video:tag>".repeat(32)}$&`) },
);

rule(
  "robots-unreadable",
  declaring({
    "/robots.txt": `${robots("/a.xml")}${"# 9 bytes\n".repeat(52_000)}`,
    "/a.xml": PAGE,
  }),
  ["warning", "robots.txt is too large"],
  declaring({
    "/robots.txt": `${robots("/a.xml")}${"# 9 bytes\n".repeat(51_000)}`,
    "/a.xml": PAGE,
  }),
);
function warning(code: WarningCode, message: string): Change {
  return (event) =>
    event.type === "sitemap-entered"
      ? [event, { type: "warning", code, message, sitemap: event.sitemap }]
      : [event];
}
rule(
  "compression",
  // the `fetch` of these tests has decoded bodies
  { xml: PAGE, change: warning("content-encoding", "Not gzip") },
  ["error", "Does not have its declared Content-Encoding: Not gzip"],
  { xml: PAGE },
);
/** Returns a change that makes a document unusable, by a limit of the walk. */
function invalidated(code: "too-large" | "too-deep"): Change {
  return (event) =>
    event.type === "sitemap-entered"
      ? [{
        type: "invalid",
        sitemap: { ...event.sitemap, type: "InvalidSitemap" },
        code,
        reason: "Limit",
      }]
      : event.type === "finished"
      ? [event]
      : [];
}
rule(
  "size-over-limit",
  { xml: PAGE, change: invalidated("too-large") },
  ["error", "Is too large to be read"],
  { xml: PAGE, change: invalidated("too-deep") },
);
rule(
  "index-nested",
  { xml: PAGE, change: invalidated("too-deep") },
  ["warning", "Is nested too deep to be read"],
  { xml: PAGE, change: invalidated("too-large") },
);
rule(
  "encoding",
  { xml: new TextEncoder().encode(PAGE.replace("UTF-8", "UTF-16")) },
  [
    "error",
    'Declares another encoding than it has: Content is not in its encoding "UTF-16"',
  ],
  { xml: new TextEncoder().encode(PAGE.replace("UTF-8", "utf8")) },
);
function linking(href: string): Change {
  const alternates = ["en", "x-default"].map((hreflang) => ({ hreflang, href }));
  return (event) =>
    event.type === "page" ? [{ ...event, page: { ...event.page, alternates } }] : [event];
}
rule(
  "hreflang-set",
  { xml: PAGE, change: linking("/a") },
  ["warning", "1 page without a link to itself; 2 alternates with a relative URL"],
  { xml: PAGE, change: linking(`${ORIGIN}/a`) },
);
rule(
  "lastmod-index",
  indexed("2024-04", "2024-05-03"),
  ["info", "Is newer than its date in the index: 2024-05-03 after 2024-04"],
  indexed("2024-05", "2024-05-03"),
);
/** Returns a page that was requested. */
function answered(path: string, more: Partial<PageAnswer> = {}): PageAnswer {
  return {
    url: ORIGIN + path,
    ...{ method: "HEAD", status: 200, redirects: [], attempts: 1 },
    ...more,
  } as PageAnswer;
}
const GONE = { status: 410, code: "http-status", reason: "410 Gone" } as const;
const BLOCKED = { code: "blocked", reason: "Host is not allowed by the hosts policy" } as const;

rule(
  "page-status",
  { xml: PAGE, answers: [answered("/a", GONE)] },
  ["error", "1 page that fails"],
  { xml: PAGE, answers: [answered("/a")] },
);
rule(
  "page-status",
  {
    xml: PAGE,
    answers: [
      answered("/a", { redirects: [`${ORIGIN}/b`], noindex: true }),
      answered("/b", { redirects: ["https://other.test/"], ...BLOCKED }),
    ],
  },
  ["warning", "2 pages that redirect"],
  { xml: PAGE, answers: [answered("/a", BLOCKED)] },
);
rule(
  "page-status",
  { xml: PAGE, answers: [answered("/a", { noindex: true })] },
  ["warning", "1 page with `X-Robots-Tag: noindex`"],
  { xml: PAGE },
);
rule(
  "page-status",
  { xml: PAGE, answers: [answered("/a", { disallowed: true, noindex: true })] },
  ["warning", "1 page disallowed by robots.txt"],
  // page-disallowed has it
  {
    xml: PAGE,
    change: notingRobots("User-agent: *\nDisallow: /a"),
    answers: [answered("/a", { disallowed: true })],
  },
);
rule(
  "page-status",
  {
    xml: PAGE,
    answers: [
      answered("/a", { redirects: [`${ORIGIN}/b`] }),
      answered("/b", { redirects: [`${ORIGIN}/c`], ...GONE }),
      answered("/c", GONE),
    ],
  },
  ["error", "2 pages that fail; 1 page that redirects"],
  { xml: PAGE, answers: [] },
);
rule(
  "page-status",
  { xml: PAGE, answers: [answered("/a", { redirects: [`${ORIGIN}/b`] })] },
  ["warning", "1 page that redirects"],
  { xml: PAGE, answers: [answered("/b")] },
);

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

rule(
  "video-fields",
  { xml: videos({ duration: "long" }) },
  ["error", "1 unreadable field of videos"],
  { xml: videos({ duration: "60" }) },
);

Deno.test("every rule has a subject that breaks it, and one that just does not", async () => {
  assertEquals([...new Set(cases.map(({ code }) => code))].sort(), Object.keys(RULES).sort());
  for (const { code, broken, severity, message, fine } of cases) {
    const { findings, counts } = await checked(broken);
    const found = findings.filter((finding) => finding.code === code);
    assertEquals(found.map((finding) => [code, finding.severity, finding.message]), [
      [code, severity, message],
    ]);
    assert(found[0]!.examples.length <= 5);
    assertEquals(found[0]!.help, RULES[code].help);
    assertEquals(counts.error, findings.filter(({ severity }) => severity === "error").length);
    const passed = await checked(fine);
    assertEquals(passed.findings.filter((finding) => finding.code === code), [], message);
  }
});

/** Codes that no rule judges, and why. */
const NOT_JUDGED: Readonly<Record<string, string>> = {
  "warning too-large": "a limit of the caller; the size itself is judged",
  "warning too-many-entries": "a limit of the caller; the number itself is judged",
  "warning too-many-attributes": "a limit of the reader",
  "warning too-deep-elements": "a limit of the reader",
  "warning value-too-long": "a limit of the reader",
  "warning max-sitemaps": "a limit of the walk",
  "warning max-pages": "a limit of the walk",
  "warning deadline": "a limit of the walk",
  "warning probe-failed": "nothing declares what is not there",
  "warning mass-removal": "about a synchronisation",
  "invalid unfetched": "was not requested",
  "invalid blocked": "was not requested, by the policy of the caller",
  "note robots-txt": "what sitemap-disallowed and page-disallowed judge by",
};

Deno.test("every aspect of every rule has a subject", () => {
  for (const [code, { aspects }] of Object.entries(RULES)) {
    const messages = cases.filter((test) => test.code === code)
      .map(({ message }) => message.toLowerCase()).join("\n");
    for (const { noun = "", text } of Object.values(aspects)) {
      const clause = (text || noun).replace(": {}", "").toLowerCase();
      assert(messages.includes(clause), `${code}: ${clause}`);
    }
  }
});

Deno.test("every warning, invalid and note code is judged by one rule, or for a reason by none", () => {
  const judged = Object.values(RULES).flatMap(({ aspects }) =>
    Object.values(aspects).flatMap(({ warnings = [], invalid = [], notes = [] }) => [
      ...warnings.map((code) => `warning ${code}`),
      ...invalid.map((code) => `invalid ${code}`),
      ...notes.map((code) => `note ${code}`),
    ])
  );
  const all = [
    ...Object.keys(WARNING_CODES).map((code) => `warning ${code}`),
    ...Object.keys(INVALID_CODES).map((code) => `invalid ${code}`),
    ...Object.keys(NOTE_CODES).map((code) => `note ${code}`),
  ];
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
    [{ only: ["loc"] }, 'Cannot use option "only": loc is not a list of rule codes'],
    [{ skip: "bom" }, 'Cannot use option "skip": "bom" is not a list of rule codes'],
    [
      { severities: { bom: "fatal" } },
      'Cannot use option "severities": [object Object] is not an object of rule codes with ' +
      '"error", "warning" or "info"',
    ],
    [{ agent: "" }, 'Cannot use option "agent": "" is not a product token, or `*`'],
  ];
  for (const [options, message] of faults) {
    assertThrows(() => new Checker(options), TypeError, message);
  }
});
