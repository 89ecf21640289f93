/** Where sitemaps are looked for, step by step, on scripted sites, with the number of requests. @module */

import { assert, assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { collect, sitemapFromJson, type WalkOptions } from "../../mod.ts";
import { FOLDER_PATHS, FURTHER_PATHS, KNOWN_PATHS } from "../../src/walk/known_paths.ts";
import {
  type Answer,
  broken,
  bytes,
  redirect,
  refused,
  status,
  text,
  TrackedBody,
} from "../http/scripted_fetch.ts";
import { chunked } from "../support/chunked.ts";
import {
  HOME,
  index,
  numbered,
  type Page,
  type Pages,
  robots,
  short,
  sitemapsAt,
  urlset,
} from "./site.ts";
import { searched, sitemapsOf, Walked } from "./walked.ts";

const WWW = "https://www.site.test/";
/** Requests of a site without any sitemap: robots.txt, both lists of known paths, the homepage. */
const NOTHING = 1 + KNOWN_PATHS.length + FURTHER_PATHS.length + 1;
/** Requests of a folder. */
const FOLDER = FOLDER_PATHS.length;
/** Requests of a site with everything in robots.txt, besides its sitemaps. */
const DECLARED = 1 + KNOWN_PATHS.length;

const HTML = { "content-type": "text/html" };
const WELCOME = html("<title>Welcome</title>");

function html(head: string, headers: HeadersInit = {}): Answer {
  const body = `<!DOCTYPE html><html><head>${head}</head><body>Hello</body></html>`;
  return text(body, { ...HTML, ...headers });
}

function link(href: string): string {
  return `<link rel="sitemap" href="${href}">`;
}

class Found extends Walked {
  /** Sitemaps below the website: how each was found, and its path. */
  get found(): string[] {
    return this.refs(0).map(({ foundBy, url }) => `${foundBy} ${short(url)}`);
  }

  /** Steps of the discovery, as step and path. */
  get steps(): string[] {
    return this.finished.discovery.map(({ step, url }) => `${step} ${short(url)}`);
  }
}

async function look(site: Pages, options: WalkOptions = {}, homepage = HOME): Promise<Found> {
  const { events, requests } = await searched(site, options, { homepage });
  return new Found(events, requests);
}

function knownPaths(...lists: (readonly string[])[]): string[] {
  return lists.flat().map((path) => `/${path}`);
}

/** Returns a site with the same response for all paths of these lists. */
function everywhere(answer: Page, ...lists: (readonly string[])[]): Pages {
  return Object.fromEntries(knownPaths(...lists).map((path) => [path, answer]));
}

// ---------------------------------------------------------------------------------- known paths

Deno.test("a site with everything in robots.txt makes no additional request", async () => {
  const site = { "/robots.txt": robots("/s.xml"), "/s.xml": urlset("/a"), "/": html(link("/x")) };
  const { paths, found, finished, verdict, stats, steps } = await look(site);
  assertEquals(paths, ["/robots.txt", "/s.xml", ...knownPaths(KNOWN_PATHS)]);
  assertEquals([paths.length, stats.requests], [DECLARED + 1, DECLARED + 1]);
  assertEquals([found, verdict], [["robots /robots.txt"], "complete"]);
  assertEquals(steps, [
    "robots /robots.txt",
    ...knownPaths(KNOWN_PATHS).map((path) => `known-path ${path}`),
    "homepage /",
  ]);
  const last = finished.discovery.at(-1);
  assertEquals(last?.reason, "Not requested: sitemaps were found before");
});

Deno.test("a site with nothing is asked for both lists of known paths and its homepage", async () => {
  for (const concurrency of [1, 4]) {
    const { paths, stats, verdict, messages } = await look({}, { concurrency });
    const expected = ["/robots.txt", ...knownPaths(KNOWN_PATHS, FURTHER_PATHS), "/"];
    if (concurrency === 1) assertEquals(paths, expected);
    assertEquals(paths.toSorted(), expected.toSorted(), "each once");
    assertEquals(stats.probes, NOTHING - 2);
    assertEquals([verdict, messages], ["none", []]);
  }
});

for (const path of FURTHER_PATHS) {
  Deno.test(`a sitemap at /${path} is found if nothing else is`, async () => {
    const body = path.endsWith(".txt") ? `${HOME}a\n` : urlset("/a");
    const { found, paths, verdict } = await look({ [`/${path}`]: body });
    assertEquals(found, [`known-path /${path}`]);
    assertEquals([paths.length, verdict], [NOTHING - 1, "complete"]);
    const both = await look({ [`/${path}`]: body, "/sitemap.xml": urlset("/b") });
    assertEquals([both.found, both.paths.length], [["known-path /sitemap.xml"], DECLARED]);
  });
}

Deno.test("a site that answers 200 to everything costs few requests", async () => {
  const pages: Readonly<Record<string, Answer>> = {
    "the same page": WELCOME,
    "a page with the path": (url, init) => html(`<link rel="canonical" href="${url}">`)(url, init),
    "nothing": text("", HTML),
    "another page of 200 KB": html(`<title>x</title>${"<meta>".repeat(33_000)}`),
  };
  const soft = ["/robots.txt", "/sitemap_index.xml", "/control", "/sitemap-index.xml"];
  const rest = ["/sitemap.xml", "/sitemap.txt", "/wp-sitemap.xml"];
  for (const [what, page] of Object.entries(pages)) {
    const none = await look({ "*": page });
    assertEquals(none.paths, [...soft, ...rest, "/"], what);
    assertEquals([none.verdict, none.messages], ["none", []]);
    const one = await look({ "*": page, "/sitemap.xml": urlset("/a") });
    assertEquals(one.paths, [...soft, ...rest], what);
    assertEquals([one.found.at(-1), one.pages], ["known-path /sitemap.xml", ["/a"]]);
    assertEquals(one.verdict, "complete");
    const wordPress = await look({ "*": page, "/wp-sitemap.xml": urlset("/a") });
    assertEquals(wordPress.found.at(-1), "known-path /wp-sitemap.xml");
    assertEquals(wordPress.paths.length, 7);
  }
});

Deno.test("a site that answers 200 to everything in small chunks is recognised", async () => {
  const chunks = chunked(bytes(`<!DOCTYPE html><title>${"x".repeat(3000)}</title>`), 1);
  const answer = () =>
    new Response(new TrackedBody((at) => chunks[at]).stream(), { headers: HTML });
  assertEquals((await look({ "*": answer, "/": html("") })).paths.length, 8);
});

Deno.test("a site with a real index that answers 200 to everything else is recognised", async () => {
  const site = { "*": WELCOME, "/sitemap_index.xml": index("/s.xml"), "/s.xml": urlset("/a") };
  const { paths, found } = await look(site);
  assertEquals(found, ["known-path /sitemap_index.xml"]);
  const asked = ["/robots.txt", "/sitemap_index.xml", "/s.xml", "/sitemap-index.xml", "/control"];
  assertEquals(paths, [...asked, "/sitemap.xml", "/sitemap.txt", "/wp-sitemap.xml"]);
});

Deno.test("a site that redirects everything to its homepage costs few requests", async () => {
  const site = { "*": redirect("/"), "/": WELCOME };
  const { paths, verdict } = await look(site);
  const common = ["/sitemap-index.xml", "/sitemap.xml", "/sitemap.txt", "/wp-sitemap.xml"];
  const first = ["/robots.txt", "/", "/sitemap_index.xml", "/", "/control"];
  assertEquals(paths, [...first, ...common, "/"], "its homepage is not requested for each of them");
  assertEquals(verdict, "none");
  const real = await look({ ...site, "/sitemap.xml": urlset("/a") });
  assertEquals([real.found, real.paths.length], [["known-path /sitemap.xml"], 9]);
  const forbidden = await look({ ...site, "/": status(403) });
  assertEquals([forbidden.paths.length, forbidden.verdict], [10, "blocked"]);
});

Deno.test("one HTML page among the known paths costs one control request, and no path", async () => {
  const result = await look({ "/sitemap": html("<title>Sitemap</title>") });
  assertEquals([result.paths.length, result.count("/control")], [NOTHING + 1, 1]);
  assertEquals(result.steps.filter((step) => step.startsWith("control")).length, 1);
});

Deno.test("an HTML page among the further known paths may end them", async () => {
  const site = { ...everywhere(404, KNOWN_PATHS), "/robots.txt": "", "*": WELCOME };
  const { paths } = await look(site, { concurrency: 1 });
  const last = [`/${FURTHER_PATHS[0]}`, "/control", "/"];
  assertEquals(paths, ["/robots.txt", ...knownPaths(KNOWN_PATHS), ...last]);
});

Deno.test("the control request differs by status, redirect, media type or content", async () => {
  const others: readonly Page[] = [
    () => new Response("<!DOCTYPE html>", { status: 203, headers: HTML }),
    "-> /elsewhere",
    "<!DOCTYPE html><html><head><title>Welcome</title></head><body>Hello</body></html>",
    html("<title>Other</title>"),
    404,
    500,
    refused(),
  ];
  for (const other of others) {
    const site = { "*": WELCOME, "/robots.txt": "", "/elsewhere": html("other") };
    const result = await look({ ...site, "/control": other }, { concurrency: 1 });
    const known = knownPaths(KNOWN_PATHS, FURTHER_PATHS);
    for (const path of [...known, "/control"]) assertEquals(result.count(path), 1, path);
    assertEquals(
      [result.verdict, result.messages],
      ["none", []],
      "it has no effect on the verdict",
    );
  }
});

Deno.test("each walk asks for another path that cannot exist", async () => {
  const names = new Set<string>();
  for (let walks = 0; walks < 3; walks++) {
    const { finished } = await look({ "*": html("") });
    names.add(finished.discovery.find(({ step }) => step === "control")!.url);
  }
  assertEquals(names.size, 3);
});

Deno.test("extraKnownPaths are probed on a site that answers all paths alike", async () => {
  const site = { "*": html(""), "/my.xml": urlset("/a") };
  const { found, paths } = await look(site, { extraKnownPaths: ["my.xml"] });
  assertEquals([found, paths.length], [["known-path /my.xml"], 8]);
});

Deno.test("extraKnownPaths alone need no control request", async () => {
  const options = { sitemaps: [], extraKnownPaths: ["a.xml", "b.xml"] };
  assertEquals((await look({ "*": html("") }, options)).paths, ["/a.xml", "/b.xml"]);
});

Deno.test("useKnownPaths may decide by URL", async () => {
  const useKnownPaths = (url: string) => url.endsWith(".txt");
  const { paths } = await look({}, { useKnownPaths });
  assertEquals(paths, ["/robots.txt", "/sitemap.txt", "/urllist.txt", "/"]);
});

// --------------------------------------------------------------------------------------- folder

Deno.test("a homepage with a path has its folder probed after the known paths", async () => {
  const folders: readonly (readonly [string, string])[] = [
    ["shop", "/shop/"],
    ["shop/?q=1#top", "/shop/"],
    ["shop/de/index.html", "/shop/de/"],
    ["shop//de", "/shop/de/"],
    ["a.b/shop", "/a.b/shop/"],
  ];
  for (const [path, folder] of folders) {
    const site = { [`${folder}sitemap.xml`]: urlset("/a") };
    const { paths, found, messages } = await look(site, { concurrency: 1 }, HOME + path);
    const known = knownPaths(KNOWN_PATHS, FURTHER_PATHS);
    const below = [`${folder}sitemap.xml`, `${folder}sitemap_index.xml`];
    assertEquals(paths, ["/robots.txt", ...known, ...below], path);
    assertEquals([found, messages], [[`known-path ${folder}sitemap.xml`], []]);
  }
});

Deno.test("the folder is probed also if robots.txt has sitemaps, and not without known paths", async () => {
  const site = { "/robots.txt": robots("/s.xml"), "/s.xml": urlset("/a") };
  const homepage = `${HOME}shop/`;
  assertEquals((await look(site, {}, homepage)).paths.length, DECLARED + 1 + 2);
  assertEquals((await look(site, { useKnownPaths: false }, homepage)).paths.length, 2);
  assertEquals((await look(site, {}, `${HOME}index.html`)).paths.length, DECLARED + 1);
  const kept = await look({}, { normalizeHomepageUrl: false }, homepage);
  assertEquals(kept.paths.length, NOTHING, "the known paths are in the folder");
});

/** What the homepage redirects to in turn, and the folders that are probed. */
const REDIRECTED: Readonly<
  Record<
    string,
    readonly [
      chain: readonly string[],
      folders: readonly string[],
      options?: WalkOptions,
      homepage?: string,
    ]
  >
> = {
  "a folder": [["/en/"], ["/en/"]],
  "a folder, one request at a time": [["/en/"], ["/en/"], { concurrency: 1 }],
  "a folder without its slash": [["/en"], ["/en/"]],
  "a file in a folder": [["/en/index.html"], ["/en/"]],
  "a folder with a query": [["/en/?from=de"], ["/en/"]],
  "a folder in a folder": [["/a/b/"], ["/a/b/"]],
  "a folder by several redirects": [["/start", "/de/", "/de/home.php"], ["/de/"]],
  "a folder by another origin": [[WWW, `${HOME}en/`], ["/en/"]],
  "the homepage as a file": [["/index.html"], []],
  "the homepage with a query": [["/?lang=en"], []],
  "a loop": [["/en/", "/"], []],
  "a folder of another site": [["https://other.test/en/"], []],
  "a folder of a variant": [[`${WWW}en/`], []],
  "a login page": [["/login/?next=/"], []],
  "a folder that is not HTML": [["/en/", "/en/a.txt"], ["/en/"]],
  "a folder besides the one that was given": [["/en/"], ["/shop/", "/en/"], {}, `${HOME}shop/`],
  "the folder that was given": [["/shop/"], ["/shop/"], {}, `${HOME}shop/`],
  "a folder, with useHomepage": [["/en/"], ["/en/"], { useHomepage: true }],
  "a folder, without useHomepage": [["/en/"], [], { useHomepage: false }],
  "a folder, without robots.txt": [["/en/"], ["/en/"], { useRobots: false }],
  "a folder, without known paths": [
    ["/en/"],
    [],
    { useKnownPaths: false, useHomepage: "fallback" },
  ],
  "a folder, with a function": [
    ["/en/"],
    [],
    { useKnownPaths: (url) => !url.includes("/en/") },
  ],
};

Deno.test("a folder of the same origin that the homepage redirects to is probed", async () => {
  for (const [what, [chain, folders, options, homepage]] of Object.entries(REDIRECTED)) {
    const from = ["/", ...chain];
    const site: Pages = Object.fromEntries(from.map((url, at) => [
      url,
      at < chain.length ? redirect(chain[at]!) : html(""),
    ]));
    const { paths } = await look(site, options, homepage);
    const known = knownPaths(KNOWN_PATHS, FURTHER_PATHS);
    const asked = paths.filter((path) =>
      /^\/.+\/sitemap(?:_index)?\.xml$/.test(path) && !known.includes(path)
    );
    const probed = folders.flatMap((folder) => FOLDER_PATHS.map((path) => folder + path));
    assertEquals(asked.toSorted(), probed.toSorted(), what);
    const last = probed.at(-1);
    if (last === undefined) continue;
    const { found, steps, verdict } = await look(
      { ...site, [last]: urlset("/a") },
      options,
      homepage,
    );
    assertEquals([found, verdict], [[`known-path ${last}`], "complete"], what);
    assert(steps.includes(`known-path ${last}`), what);
  }
});

Deno.test("a folder that the homepage redirects to is not probed if something was found", async () => {
  const site = { "/": redirect("/en/"), "/en/": html(link("/s.xml")), "/s.xml": urlset("/a") };
  const below = { "/en/sitemap.xml": urlset("/b") };
  const declared = { "/robots.txt": robots("/s.xml") };
  const rows: readonly (readonly [Pages, WalkOptions?])[] = [
    [site],
    [{ ...site, ...declared }, { useHomepage: true }],
    [{ ...site, "/sitemap.xml": urlset("/c") }, { useHomepage: true }],
    // pages that are not wanted were found too
    [{ ...site, ...declared }, { useHomepage: true, includeCallback: () => false }],
  ];
  for (const [pages, options] of rows) {
    const { paths } = await look({ ...pages, ...below }, options);
    assertEquals(paths.filter((path) => path.startsWith("/en/")), ["/en/"]);
  }
});

Deno.test("folders keep to the root of a homepage that has one, to hosts and to robots.txt", async () => {
  const options = { normalizeHomepageUrl: false };
  const shop = `${HOME}shop/`;
  for (const [target, folder] of [["/shop/en/", "/shop/en/"], ["/shop/index.php", ""], ["/", ""]]) {
    const site = { "/shop/": redirect(target!), [target!]: html("") };
    const { paths } = await look(site, options, shop);
    const expected = folder === "" ? [] : FOLDER_PATHS.map((path) => folder + path);
    const known = knownPaths(KNOWN_PATHS, FURTHER_PATHS).map((path) => `/shop${path}`);
    const asked = paths.filter((path) => /sitemap|urllist/.test(path) && !known.includes(path));
    assertEquals(asked, expected, target);
  }
  const site = { "/": redirect("/en/"), "/en/": html(""), "/en/sitemap.xml": urlset("/a") };
  const disallowed = { ...site, "/robots.txt": "User-agent: *\nDisallow: /en/sitemap\n" };
  const obeying = await look(disallowed, { respectRobots: true });
  assertEquals([obeying.count("/en/sitemap.xml"), obeying.verdict], [0, "blocked"]);
  assertEquals(obeying.messages, ["probe-failed 2 known paths are disallowed by robots.txt"]);
  const failing = await look({ ...site, "/en/sitemap.xml": 403, "/sitemap.php": 500 });
  assertEquals(failing.messages, [
    `probe-failed Cannot read "${HOME}sitemap.php": 500 Internal Server Error`,
    `probe-failed Cannot read "${HOME}en/sitemap.xml": 403 Forbidden`,
  ]);
});

// ------------------------------------------------------------------------------------- homepage

Deno.test("a sitemap that only the homepage names is found", async () => {
  const sites: Readonly<Record<string, Answer>> = {
    "a link": html(link("/shop.xml")),
    "a relative link": html(link("shop.xml")),
    "a header": html("", { link: `</shop.xml>; rel="sitemap"` }),
    "base": html(`<base href="https://site.test/x/y">${link("../shop.xml")}`),
    "XHTML": html(link("/shop.xml"), { "content-type": "Application/XHTML+xml; charset=utf-8" }),
  };
  for (const [what, home] of Object.entries(sites)) {
    const site = { "/": home, "/shop.xml": urlset("/a") };
    const { paths, found, finished, verdict } = await look(site);
    assertEquals([paths.length, paths.at(-1)], [NOTHING + 1, "/shop.xml"], what);
    assertEquals([found, verdict], [["homepage /shop.xml"], "complete"]);
    const { step, status, sitemaps } = finished.discovery.at(-1)!;
    assertEquals([step, status, sitemaps], ["homepage", 200, 1]);
  }
});

Deno.test("a compressed homepage is read, and compressed pages are compared", async () => {
  const headers = { ...HTML, "content-encoding": "gzip" };
  const gzipped = (head: string): Answer => () =>
    new Response(new Uint8Array(gzipSync(`<!DOCTYPE html><head>${head}</head>`)), { headers });
  const named = await look({ "/": gzipped(link("/shop.xml")), "/shop.xml": urlset("/a") });
  assertEquals(named.found, ["homepage /shop.xml"]);
  // the path in each page makes other bytes of it
  const site: Answer = (url, init) => gzipped(`<link rel="canonical" href="${url}">`)(url, init);
  assertEquals((await look({ "*": site })).paths.length, 8);
});

Deno.test("a homepage in another encoding is decoded, and one that breaks off is used", async () => {
  const type = "text/html; charset=windows-1252";
  const bytes = Uint8Array.from(`<link rel=sitemap href="/\u00fc.xml">`, (c) => c.charCodeAt(0));
  const home: Answer = () => new Response(bytes, { headers: { "content-type": type } });
  const { found } = await look({ "/": home, "/%C3%BC.xml": urlset("/a") });
  assertEquals(found, ["homepage /%C3%BC.xml"]);
  const brokenHome = (text: string) => () => new Response(broken(text).stream(), { headers: HTML });
  const used = await look({ "/": brokenHome(link("/s.xml")), "/s.xml": urlset("/a") });
  assertEquals([used.found, used.verdict], [["homepage /s.xml"], "complete"]);
  const lost = await look({ "/": brokenHome("<html><head>") });
  assertEquals([lost.verdict, lost.finished.blockedBy?.code], ["blocked", "truncated"]);
});

Deno.test("links of a homepage that redirects are resolved by its final URL", async () => {
  const site = { "/": redirect("/en/"), "/en/": html(link("s.xml")), "/en/s.xml": urlset("/a") };
  const { paths, found } = await look(site);
  assertEquals([paths.length, found], [NOTHING + 2, ["homepage /en/s.xml"]]);
});

Deno.test("a homepage that is not an HTML document, or not a success, is not read", async () => {
  const named = link("/shop.xml");
  const replies: readonly (readonly [Answer, string])[] = [
    [text(named, { "content-type": "text/plain" }), "none"],
    [text(named), "none"],
    [() => new Response(named, { status: 404, headers: HTML }), "none"],
    [() => new Response(named, { status: 403, headers: HTML }), "blocked"],
  ];
  for (const [home, expected] of replies) {
    const { paths, verdict } = await look({ "/": home, "/shop.xml": urlset("/a") });
    assertEquals([paths.length, verdict], [NOTHING, expected]);
  }
});

Deno.test("a homepage that fails counts like a known path", async () => {
  const { finished, verdict, messages, paths } = await look({ "/": 500 });
  assertEquals([verdict, finished.blockedBy?.url], ["blocked", HOME]);
  assertEquals(messages, ["probe-failed Cannot read the homepage: 500 Internal Server Error"]);
  assertEquals(paths.length, NOTHING + 1, "it is attempted twice");
});

Deno.test("the body of the homepage is cancelled after its head", async () => {
  const head = bytes(`<html><head>${link("/shop.xml")}</head><body>`);
  const body = new TrackedBody((at) => at === 0 ? head : new Uint8Array(1000).fill(0x20));
  const home = () => new Response(body.stream(), { headers: HTML });
  const { found } = await look({ "/": home, "/shop.xml": urlset("/a") });
  assertEquals([found, body.cancelled !== undefined], [["homepage /shop.xml"], true]);
  assert(body.pulled < 20, `${body.pulled} chunks`);
});

Deno.test("no more than 256 KiB of a homepage are read", async () => {
  const pad = (length: number) => `<html><head>${" ".repeat(length)}${link("/shop.xml")}`;
  for (const [length, isFound] of [[200_000, true], [256 * 1024, false]] as const) {
    const { found } = await look({ "/": text(pad(length), HTML), "/shop.xml": urlset("/a") });
    assertEquals(found.length === 1, isFound);
  }
});

Deno.test("the homepage is requested as useHomepage says", async () => {
  const site = { "/": html(link("/shop.xml")), "/shop.xml": urlset("/a") };
  const declared = { ...site, "/robots.txt": robots("/s.xml"), "/s.xml": urlset("/b") };
  const always = await look(declared, { useHomepage: true });
  assertEquals(always.found, ["robots /robots.txt", "homepage /shop.xml"]);
  assertEquals(always.paths.length, DECLARED + 3);
  assertEquals((await look(site, { useHomepage: false })).paths.length, NOTHING - 1);
  const alone = { useRobots: false, useKnownPaths: false };
  assertEquals((await look(site, alone)).paths, []);
  assertEquals((await look(site, { ...alone, useHomepage: "fallback" })).paths, ["/", "/shop.xml"]);
  const given = { sitemaps: [`${HOME}nothing.xml`] };
  assertEquals((await look(site, given)).paths, ["/nothing.xml"]);
  assertEquals((await look(site, { ...given, useHomepage: true })).found, ["homepage /shop.xml"]);
});

Deno.test("sitemaps that the homepage names are read once, and at most 20 of them", async () => {
  const names = numbered(30, (at) => `/${at}.xml`);
  const home = html([...names.slice(0, 3), ...names].map(link).join(""));
  const { found, stats } = await look({ ...sitemapsAt(names), "/": home });
  assertEquals(found, names.slice(0, 20).map((name) => `homepage ${name}`));
  assertEquals(stats.requests, NOTHING + 20);
  const { "/0.xml": sitemap } = sitemapsAt(names);
  const site = { "/robots.txt": robots("/0.xml"), "/0.xml": sitemap!, "/": html(link("/0.xml")) };
  const twice = await look(site, { useHomepage: true });
  assertEquals(twice.found, ["robots /robots.txt"], "the first way counts");
});

Deno.test("a sitemap that the homepage names and that does not exist is left out", async () => {
  const site = { "/": html(link("/a.xml") + link("/b.xml") + link("/c.html")) };
  const missing = await look({ ...site, "/b.xml": urlset("/b"), "/c.html": html("") });
  assertEquals([missing.found, missing.verdict], [["homepage /b.xml"], "complete"]);
  assertEquals(missing.invalid, []);
  const refused = await look({ ...site, "/b.xml": 403 });
  assertEquals(refused.verdict, "blocked");
  assertEquals(refused.messages, [`probe-failed Cannot read "${HOME}b.xml": 403 Forbidden`]);
});

Deno.test("the callbacks are called for sitemaps that the homepage names", async () => {
  const names = ["/a.xml", "/b.xml", "/c.xml"];
  const site = { "/": html(names.map(link).join("")), ...sitemapsAt(names) };
  const calls: unknown[] = [];
  const { found } = await look(site, {
    recurseListCallback(urls, level, parents) {
      calls.push([urls.length, level, parents]);
      return [...urls].reverse();
    },
    recurseCallback(url, level, parents) {
      calls.push([new URL(url).pathname, level, parents]);
      return Promise.resolve(!url.endsWith("b.xml"));
    },
  });
  assertEquals(found, ["homepage /c.xml", "homepage /a.xml"]);
  assertEquals(calls, [[3, -1, []], ["/c.xml", -1, []], ["/b.xml", -1, []], ["/a.xml", -1, []]]);
  const included = await look(site, { includeCallback: (url) => url.endsWith("b.xml") });
  assertEquals(included.found, ["homepage /b.xml"]);
});

Deno.test("an index that the homepage names is read with everything below it", async () => {
  const site = { "/": html(link("/i.xml")), "/i.xml": index("/s.xml"), "/s.xml": urlset("/a") };
  const result = await look(site);
  assertEquals([result.found, result.pages], [["homepage /i.xml"], ["/a"]]);
});

// ---------------------------------------------------------------------------------------- feeds

const FEED = `<rss><channel><item><link>${HOME}post</link></item></channel></rss>`;
const ATOM = `<feed><entry><link href="${HOME}entry"/></entry></feed>`;

Deno.test("feeds that the homepage names are read only with useFeeds, if nothing else was found", async () => {
  const alternate = (type: string, href: string) =>
    `<link rel="alternate" type="${type}" href="${href}">`;
  const feeds = alternate("application/rss+xml", "/1.rss") +
    alternate("application/rss+xml", "/2.rss") + alternate("application/atom+xml", "/1.atom") +
    alternate("text/html", "/de/");
  const site = { "/": html(feeds), "/1.rss": FEED, "/2.rss": FEED, "/1.atom": ATOM };
  const without = await look(site);
  assertEquals([without.found, without.paths.length], [[], NOTHING]);
  const result = await look(site, { useFeeds: true });
  assertEquals(result.found, ["homepage /1.rss", "homepage /1.atom"]);
  assertEquals([result.paths.length, result.pages], [NOTHING + 2, ["/post", "/entry"]]);
  const named = { ...site, "/": html(feeds + link("/s.xml")), "/s.xml": urlset("/a") };
  assertEquals((await look(named, { useFeeds: true })).found, ["homepage /s.xml"]);
});

// ------------------------------------------------------------------------------------- variants

Deno.test("robots.txt and known paths of the origin that the homepage redirects to are read", async () => {
  const site = {
    "/": redirect(WWW),
    [WWW]: html(""),
    [`${WWW}robots.txt`]: `Sitemap: ${WWW}s.xml\n`,
    [`${WWW}s.xml`]: urlset("/a"),
    [`${WWW}sitemap.xml`]: urlset("/b"),
  };
  const { found, paths, verdict, stats, steps } = await look(site);
  assertEquals(found, [`variant ${WWW}robots.txt`, `variant ${WWW}sitemap.xml`]);
  assertEquals([paths.length, verdict], [NOTHING + 1 + DECLARED + 1, "complete"]);
  assertEquals(stats.sitemaps, 2, "its robots.txt does not count");
  assertEquals(steps.filter((step) => step.startsWith("variant")).length, DECLARED);
});

Deno.test("variants are another scheme, or another host of the same site", async () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["https://site.test/", "https://www.site.test/", true],
    ["https://www.site.test/", "https://site.test/", true],
    ["http://site.test/", "https://site.test/", true],
    ["https://site.test/", "https://shop.site.test/en/", true],
    ["https://site.test/", "https://site.test/en/", false],
    ["https://site.test/", "https://other.test/", false],
    ["https://a.co.uk/", "https://b.co.uk/", false],
    ["https://a.github.io/", "https://b.github.io/", false],
  ];
  for (const [homepage, target, isVariant] of cases) {
    const result = await look({ [short(homepage)]: redirect(target) }, {}, homepage);
    const origin = new URL("/", target).href;
    const isAsked = result.count(short(`${origin}robots.txt`)) > 0 && !homepage.startsWith(origin);
    assertEquals(isAsked, isVariant, `${homepage} ${target}`);
    const more = isVariant ? NOTHING - 1 : target.startsWith(homepage) ? FOLDER : 0;
    assertEquals(result.paths.length, NOTHING + 1 + more);
  }
});

Deno.test("what was redirected to the other origin by itself is not requested again there", async () => {
  const move: Answer = (url, init) => redirect(url.replace(HOME, WWW))(url, init);
  const lists = [["robots.txt", ""], KNOWN_PATHS, FURTHER_PATHS];
  const { paths } = await look(everywhere(move, ...lists));
  assertEquals([paths.length, new Set(paths).size], [2 * NOTHING, 2 * NOTHING]);
  const onlyRobots = await look({
    "/": move,
    "/robots.txt": move,
    [`${WWW}robots.txt`]: "",
    [`${WWW}sitemap.xml`]: urlset("/a"),
  });
  assertEquals(onlyRobots.count(`${WWW}robots.txt`), 1);
  assertEquals(onlyRobots.found, [`robots ${WWW}robots.txt`, `variant ${WWW}sitemap.xml`]);
  assertEquals(onlyRobots.paths.length, NOTHING + 2 + KNOWN_PATHS.length);
});

Deno.test("the variant has further known paths and a control request of its own", async () => {
  const missing = everywhere(404, ["robots.txt"], KNOWN_PATHS, FURTHER_PATHS);
  const { paths, verdict } = await look({ ...missing, "/": redirect(WWW), "*": WELCOME });
  assertEquals([paths.length, verdict], [NOTHING + 1 + 7, "none"]);
});

Deno.test("a failure of the variant counts like that of a known path", async () => {
  const site = { "/": redirect(WWW), [WWW]: html(""), [`${WWW}robots.txt`]: 403 };
  const { finished, verdict, messages } = await look(site);
  assertEquals([verdict, finished.robots], ["blocked", undefined]);
  assertEquals(messages, [`probe-failed Cannot read "${WWW}robots.txt": 403 Forbidden`]);
});

// --------------------------------------------------------------------------- policies and limits

Deno.test("nothing is looked for on a host that was given up", async () => {
  const down = await look({ "*": refused() }, { retries: 0 });
  assertEquals(down.paths, ["/robots.txt", "/sitemap.xml"]);
  assertEquals(down.verdict, "blocked");
  const refusal = status(429, { "retry-after": "9999" });
  const limited = await look({ "*": refusal, "/robots.txt": robots("/s.xml") });
  assertEquals(limited.paths, ["/robots.txt", "/s.xml"]);
  const last = limited.finished.discovery.at(-1);
  assertEquals([last?.step, last?.reason], ["homepage", "Not requested: the host was given up"]);
});

/** Answers of a site that denies requests, and how many are made. */
const DENYING: Readonly<
  Record<
    string,
    readonly [site: Pages, requests: number, verdict: string, options?: WalkOptions, home?: string]
  >
> = {
  "401": [{ "*": 401 }, 5, "blocked"],
  "403": [{ "*": 403 }, 5, "blocked"],
  "403, one request at a time": [{ "*": 403 }, 5, "blocked", { concurrency: 1 }],
  "403, many requests at a time": [{ "*": 403 }, 5, "blocked", { concurrency: 32 }],
  "403 and 401": [{ "*": 403, "/sitemap_index.xml": 401, "/": 401 }, 5, "blocked"],
  "403 with extra paths": [{ "*": 403 }, 5, "blocked", { extraKnownPaths: ["a.xml"] }],
  "403 below a folder": [
    { "*": 403 },
    5,
    "blocked",
    { normalizeHomepageUrl: false },
    `${HOME}shop/`,
  ],
  "403 for a homepage with a path": [{ "*": 403 }, 5, "blocked", {}, `${HOME}shop/`],
  "403 after a redirect of the homepage": [{ "*": 403, "/": redirect("/en/") }, 6, "blocked"],
  "a browser challenge": [
    { "*": () => new Response("", { status: 403, headers: { "cf-mitigated": "challenge" } }) },
    5,
    "blocked",
  ],
  "403 by the other origin": [
    {
      "*": (url, init) =>
        url.startsWith(HOME) ? redirect(url.replace(HOME, WWW))(url, init) : status(403)(url, init),
    },
    10,
    "blocked",
  ],
  "a variant alone": [
    {
      ...everywhere(404, ["robots.txt"], KNOWN_PATHS, FURTHER_PATHS),
      "/": redirect(WWW),
      "*": 403,
    },
    NOTHING + 1 + 4,
    "blocked",
  ],
  // all known paths
  "another robots.txt": [{ "*": 403, "/robots.txt": 404 }, NOTHING, "blocked"],
  "a robots.txt that fails": [{ "*": 403, "/robots.txt": 429 }, NOTHING, "blocked", { retries: 0 }],
  "no robots.txt": [{ "*": 403 }, NOTHING - 1, "blocked", { useRobots: false }],
  "the first path missing": [{ "*": 403, "/sitemap_index.xml": 404 }, NOTHING, "blocked"],
  "the second path missing": [{ "*": 403, "/sitemap-index.xml": 410 }, NOTHING, "blocked"],
  "the third path limited": [
    { "*": 403, "/sitemap_index.xml.gz": 429 },
    NOTHING,
    "blocked",
    { retries: 0 },
  ],
  "the third path an error": [
    { "*": 403, "/sitemap_index.xml.gz": 500 },
    NOTHING + 1,
    "blocked",
  ],
  "the third path a sitemap": [
    { "*": 403, "/sitemap_index.xml.gz": urlset("/a") },
    DECLARED,
    "complete",
  ],
  "a later sitemap": [
    { "*": 403, "/": 404, "/sitemap.xml": urlset("/a") },
    DECLARED + 1,
    "complete",
  ],
  "another homepage": [{ "*": 403, "/": html("") }, NOTHING, "blocked"],
  "a homepage that names a sitemap": [
    { "*": 403, "/": html(link("/s.xml")), "/s.xml": urlset("/a") },
    NOTHING + 1,
    "complete",
  ],
  "a homepage that fails": [{ "*": 403, "/": 404 }, NOTHING, "blocked"],
  "no homepage": [{ "*": 403 }, NOTHING - 1, "blocked", { useHomepage: false }],
  "no known paths": [{ "*": 403 }, 1, "blocked", { useKnownPaths: false }],
  "two paths that the caller wants": [
    { "*": 403 },
    4,
    "blocked",
    { useKnownPaths: (url) => url.endsWith(".txt") },
  ],
  "five paths that the caller wants": [
    { "*": 403 },
    5,
    "blocked",
    { useKnownPaths: (url) => /news.*xml$|\.txt$/.test(url) },
  ],
  "a sitemap that was given": [
    { "*": 403, "/s.xml": urlset("/a") },
    DECLARED + 1,
    "complete",
    { sitemaps: [`${HOME}s.xml`], useRobots: true, useKnownPaths: true },
  ],
  "rules alone": [{ "*": 403 }, 5, "blocked", { useRobots: false, respectRobots: true }],
};

Deno.test("a site that denies robots.txt, three known paths and the homepage is asked no more", async () => {
  for (const [what, [site, requests, verdict, options, home]] of Object.entries(DENYING)) {
    const result = await look(site, options, home);
    assertEquals([result.paths.length, result.verdict], [requests, verdict], what);
    assertEquals(
      new Set(result.finished.discovery.map(({ url }) => url)).size,
      result.finished.discovery.length,
      what,
    );
  }
});

Deno.test("a walk says that a site denies all requests", async () => {
  const { paths, steps, stats, messages, finished } = await look({
    "*": 403,
    "/sitemap-index.xml": 401,
  });
  const [first, second, third, ...others] = knownPaths(KNOWN_PATHS);
  assertEquals(paths, ["/robots.txt", first, second, third, "/"]);
  assertEquals(steps, [
    "robots /robots.txt",
    ...[first, second, third].map((path) => `known-path ${path}`),
    "homepage /",
    ...others.map((path) => `known-path ${path}`),
  ]);
  const { code, status, reason } = finished.discovery.at(-1)!;
  assertEquals([code, status, reason], [
    undefined,
    undefined,
    "Not requested: the site denies all requests",
  ]);
  assertEquals(stats.probes, 3);
  assertEquals(messages, [
    "robots-unreadable Cannot read robots.txt: 403 Forbidden",
    `probe-failed Cannot read 2 known paths, such as "${HOME}sitemap_index.xml": 403 Forbidden; ` +
    "15 other known paths were not requested",
    `probe-failed Cannot read "${HOME}sitemap-index.xml": 401 Unauthorized`,
    "probe-failed Cannot read the homepage: 403 Forbidden",
  ]);
  assertEquals(finished.blockedBy?.url, `${HOME}robots.txt`);
});

Deno.test("every step obeys hosts", async () => {
  const site = {
    "/": redirect(WWW),
    [WWW]: html(link("/s.xml")),
    [`${WWW}s.xml`]: urlset("/a"),
    [`${WWW}robots.txt`]: "",
  };
  const same = await look(site, { hosts: "same-host" });
  assertEquals([same.paths.length, same.verdict], [NOTHING, "blocked"]);
  assertEquals((await look(site, { hosts: "same-site" })).found, [
    `homepage ${WWW}s.xml`,
    `variant ${WWW}robots.txt`,
  ]);
  const cdn = "https://cdn.test/s.xml";
  const foreign = { "/": html(link(cdn)), [cdn]: urlset("/a") };
  assertEquals((await look(foreign)).found, [`homepage ${cdn}`]);
  const refused = await look(foreign, { hosts: "same-site" });
  assertEquals([refused.paths.length, refused.verdict], [NOTHING, "blocked"]);
});

Deno.test("every step obeys respectRobots", async () => {
  const rules = (...paths: string[]) =>
    `User-agent: *\n${paths.map((path) => `Disallow: ${path}\n`).join("")}`;
  const site = { "/": html(link("/a.xml") + link("/b.xml")), "/b.xml": urlset("/b") };
  const obeying = (site: Pages) => look(site, { respectRobots: true });
  const some = await obeying({ ...site, "/robots.txt": rules("/a.xml") });
  assertEquals(some.found, ["robots /robots.txt", "homepage /b.xml"]);
  assertEquals(some.count("/a.xml"), 0);
  assertEquals(some.messages, [
    "probe-failed 1 sitemaps that the homepage names are disallowed by robots.txt",
  ]);
  const none = await obeying({ ...site, "/robots.txt": rules("/*.xml$") });
  assertEquals(none.verdict, "blocked");
  const homepage = await obeying({ ...site, "/robots.txt": rules("/$") });
  assertEquals([homepage.paths.length, homepage.verdict], [NOTHING - 1, "blocked"]);
  const all = await obeying({ ...site, "/robots.txt": rules("/") });
  assertEquals(all.paths, ["/robots.txt"]);
  const control = await obeying({ "*": html(""), "/robots.txt": rules("/*0", "/*1", "/*a") });
  assertEquals(control.verdict, "blocked");
});

Deno.test("the rules of the variant are those of its own robots.txt", async () => {
  const site = {
    "/": redirect(WWW),
    [WWW]: html(""),
    "/robots.txt": "User-agent: *\nDisallow: /sitemap.txt\n",
    [`${WWW}robots.txt`]: "User-agent: *\nDisallow: /sitemap.xml\n",
    [`${WWW}sitemap.xml`]: urlset("/a"),
    [`${WWW}sitemap.txt`]: `${WWW}b\n`,
  };
  const obeying = await look(site, { respectRobots: true });
  assertEquals(obeying.found.at(-1), `variant ${WWW}sitemap.txt`);
  assertEquals([obeying.count(`${WWW}sitemap.xml`), obeying.count("/sitemap.txt")], [0, 0]);
  const unread = await look(site, { respectRobots: true, useRobots: false });
  assertEquals(unread.found, [`variant ${WWW}sitemap.txt`]);
  assertEquals(unread.count(`${WWW}sitemap.xml`), 0);
});

Deno.test("sitemaps that the homepage names count for maxSitemaps", async () => {
  const names = ["/a.xml", "/b.xml", "/c.xml"];
  const site = { "/": html(names.map(link).join("")), ...sitemapsAt(names) };
  const { found, finished, verdict, paths } = await look(site, { maxSitemaps: 2 });
  assertEquals(found, ["homepage /a.xml", "homepage /b.xml"]);
  assertEquals([finished.endedBy, verdict], ["max-sitemaps", "partial"]);
  assertEquals(paths.includes("/c.xml"), false);
});

// ----------------------------------------------------------------------------------------- facts

Deno.test("foundBy is on the children of the root only, and survives a tree and its JSON", async () => {
  const site = {
    "/robots.txt": robots("/s.xml"),
    "/s.xml": urlset("/a"),
    "/given.xml": urlset("/b"),
    "/sitemap_index.xml": index("/t.xml"),
    "/t.xml": urlset("/c"),
    "/": html(link("/shop.xml")),
    "/shop.xml": urlset("/d"),
  };
  const options = {
    sitemaps: [`${HOME}given.xml`],
    useRobots: true,
    useKnownPaths: true,
    useHomepage: true,
  };
  const { events, found } = await look(site, options);
  const expected = [
    "robots /robots.txt",
    "given /given.xml",
    "known-path /sitemap_index.xml",
    "homepage /shop.xml",
  ];
  assertEquals(found, expected);
  for (const { foundBy, level } of sitemapsOf(events)) {
    assertEquals(foundBy !== undefined, level === 0);
  }
  const tree = await collect(events);
  for (const { subSitemaps } of [tree, sitemapFromJson(JSON.parse(JSON.stringify(tree)))]) {
    assertEquals(subSitemaps.map(({ foundBy, url }) => `${foundBy} ${short(url)}`), expected);
  }
});

Deno.test("discovery has at most 60 steps, each with a reason", async () => {
  const extraKnownPaths = Array.from({ length: 50 }, (_, at) => `${at}.xml`);
  const { finished } = await look({ "/": redirect(WWW), [WWW]: html("") }, { extraKnownPaths });
  assertEquals(finished.discovery.length, 60);
  for (const { reason, sitemaps } of finished.discovery) {
    assertEquals([reason, sitemaps], ["404 Not Found", 0]);
  }
});

Deno.test("discovery says what was asked, answered and used", async () => {
  const { finished } = await look({
    "/robots.txt": robots("/a.xml", "/sitemap.xml"),
    "/a.xml": urlset("/a"),
    "/sitemap.xml": urlset("/b"),
    "/sitemap_index.xml": redirect("/i.xml"),
    "/i.xml": index("/a.xml"),
    "/sitemap-index.xml": status(403),
    "/sitemap.txt": redirect("/i.xml"),
  });
  const steps = finished.discovery.map((step) => ({ ...step, url: short(step.url) }));
  const known = "known-path" as const;
  assertEquals(steps.slice(0, 3), [
    { url: "/robots.txt", step: "robots", status: 200, sitemaps: 2, reason: "Declares 2 sitemaps" },
    {
      url: "/sitemap_index.xml",
      step: known,
      status: 200,
      sitemaps: 1,
      reason: 'Sitemap index, redirected to "https://site.test/i.xml"',
    },
    {
      url: "/sitemap-index.xml",
      step: known,
      status: 403,
      code: "http-status",
      sitemaps: 0,
      reason: "403 Forbidden",
    },
  ]);
  assertEquals(steps.filter(({ url }) => url === "/sitemap.xml"), [
    { url: "/sitemap.xml", step: known, sitemaps: 0, reason: "Not requested: already in the tree" },
  ]);
  assertEquals(steps.filter(({ url }) => url === "/sitemap.txt"), [{
    url: "/sitemap.txt",
    step: known,
    code: "already-visited",
    sitemaps: 0,
    reason: `Sitemap is already in the tree, redirected to "${HOME}i.xml"`,
  }]);
});
