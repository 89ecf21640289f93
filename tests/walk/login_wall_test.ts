/** Sites that redirect every path to a login page, and those that only look so. @module */

import { assertEquals, assertRejects } from "@std/assert";
import { BlockedError, pages, type WalkOptions } from "../../mod.ts";
import { type Answer, redirect, status, text } from "../http/scripted_fetch.ts";
import { HOME, type Pages, robots, short, siteFetch, urlset } from "./site.ts";
import { searched } from "./walked.ts";

const HTML = { "content-type": "text/html" };
const PAGE: Answer = text("<!DOCTYPE html><title>Log in</title><form>", HTML);

/** Redirects each URL of the site to what a function returns, and answers all others. */
function wall(target: (url: URL) => string, page: Answer = PAGE): Pages {
  const answer: Answer = (href, init) => {
    const url = new URL(href);
    const to = new URL(target(url), url);
    const isPage = url.origin === to.origin && url.pathname === to.pathname ||
      url.origin !== new URL(HOME).origin;
    return (isPage ? page : redirect(to.href))(href, init);
  };
  return { "*": answer };
}

function encoded(url: string): string {
  return encodeURIComponent(url);
}

/** Targets of all redirects, and whether they are taken for a login page. */
const TARGETS: Readonly<Record<string, readonly [target: (url: URL) => string, isLogin: boolean]>> =
  {
    // the page with the path requested
    "?next": [({ pathname }) => `/start?next=${pathname}`, true],
    "?next, encoded": [({ pathname }) => `/start?a=1&next=${encoded(pathname)}`, true],
    "?next, without a slash": [({ pathname }) => `/start?next=${pathname.slice(1)}`, true],
    "?next, absolute": [({ href }) => `/start?next=${encoded(href)}`, true],
    "?next, but not of the homepage": [
      ({ pathname }) => pathname === "/" ? "/start" : `/start?next=${pathname}`,
      true,
    ],
    "?next, another path": [() => "/start?next=/account/", false],
    "?next, empty": [() => "/start?next=", false],
    "the path in the path": [({ pathname }) => `/start${pathname}`, false],
    "login with ?next": [({ pathname }) => `/login?next=${pathname}`, true],
    "login with the path in the path": [({ pathname }) => `/login${pathname}`, false],
    "another origin": [() => "https://sso.example/login", true],
    "another origin with a parameter": [
      ({ href }) => `https://id.example/?return=${encoded(href)}`,
      true,
    ],
    "another origin without": [() => "https://id.example/start", false],
    "a query": [() => "/index.php?route=account/login", true],
    "a parameter": [() => "/index.php?logIn=1", true],
    "no login": [() => "/welcome", false],
    // the homepage
    "the homepage": [() => "/", false],
    "the homepage with a login": [() => "/?login=1", false],
    "the homepage with the path": [({ pathname }) => `/?from=${pathname}`, false],
    "the homepage of www.": [
      ({ pathname }) => `https://www.site.test/?from=${pathname}`,
      false,
    ],
  };

for (const [what, [target, isLogin]] of Object.entries(TARGETS)) {
  Deno.test(`a site that redirects every path is ${isLogin ? "" : "not "}blocked: ${what}`, async () => {
    const { verdict } = await searched(wall(target));
    assertEquals(verdict, isLogin ? "blocked" : "none");
  });
}

/** Paths of pages, and whether they name a login. */
const NAMES: Readonly<Record<"login" | "other", readonly string[]>> = {
  login: [
    ...["/login", "/login/", "/en/login", "/Login.aspx", "/login.php", "/wp-login.php", "/log-in"],
    ...["/users/log_in", "/account/LogIn", "/customer/account/login/", "/userlogin", "/loginForm"],
    ...["/signin", "/sign-in", "/users/sign_in", "/SignIn", "/accounts/signin/v2"],
    ...["/auth", "/auth/realms/a", "/oauth", "/oauth2/start", "/oauth/authorize", "/auth0/a"],
    ...["/OAuth/x", "/authenticate", "/authentication/", "/sso", "/saml/sso.php", "/_sso-1"],
  ],
  other: [
    ...["/author/", "/authors/jane", "/authority", "/authentic", "/unauthorised", "/coauthor"],
    ...[
      "/signing",
      "/signings/",
      "/design-interior",
      "/lesson",
      "/lessons/1",
      "/ssoft",
      "/espresso",
    ],
    ...["/blogindex", "/blog/index", "/catalog-in", "/logins", "/start", "/welcome.html", "/de/"],
  ],
};

Deno.test("a login page is known by the words of its path", async () => {
  for (const [kind, paths] of Object.entries(NAMES)) {
    for (const path of paths) {
      const { verdict } = await searched(wall(() => path));
      assertEquals(verdict, kind === "login" ? "blocked" : "none", path);
    }
  }
});

/** What is answered by a site that redirects to `/login` otherwise; none is taken for a wall. */
const OTHERS: Readonly<Record<string, readonly [Pages, string, WalkOptions?]>> = {
  "robots.txt": [{ "/robots.txt": "" }, "none"],
  "a missing robots.txt": [{ "/robots.txt": 404 }, "none"],
  "the homepage": [{ "/": PAGE }, "none"],
  "a missing homepage": [{ "/": 404 }, "none"],
  "a homepage elsewhere": [{ "/": redirect("/welcome"), "/welcome": PAGE }, "none"],
  "a known path": [{ "/sitemap.xml": 404 }, "none"],
  "a known path elsewhere": [{ "/sitemap.txt": redirect("/signin"), "/signin": PAGE }, "none"],
  "a known path that is HTML": [{ "/wp-sitemap.xml": PAGE }, "none"],
  "a page that refreshes": [
    { "/": text('<meta http-equiv="refresh" content="0;url=/login">', HTML) },
    "none",
  ],
  "a login page of JSON": [{ "/login": text('{"error":"login"}') }, "none"],
  "a missing login page": [{ "/login": 404 }, "none"],
  "a sitemap": [{ "/sitemap.xml": urlset("/a") }, "complete"],
  "declared sitemaps": [{ "/robots.txt": robots("/a.xml") }, "partial"],
  "no request for the homepage": [{}, "none", { useHomepage: false }],
  "a walk that a limit ended": [{}, "partial", { deadline: 0 }],
};

Deno.test("one path that is answered otherwise is enough, and so is one sitemap", async () => {
  for (const [what, [site, verdict, options]] of Object.entries(OTHERS)) {
    const result = await searched({ ...wall(() => "/login"), ...site }, options);
    assertEquals(result.verdict, verdict, what);
    assertEquals(result.finished.blockedBy, undefined, what);
  }
});

/** Walks that ask for less than everything, on a site that redirects all to `/login`. */
const WALKS: Readonly<Record<string, readonly [options: WalkOptions, homepage?: string]>> = {
  "everything": [{}],
  "no robots.txt": [{ useRobots: false }],
  "only the rules of robots.txt": [{ useRobots: false, respectRobots: true }],
  "no known paths": [{ useKnownPaths: false, useHomepage: "fallback" }],
  "extra paths": [{ extraKnownPaths: ["a.xml", "b/c.xml"] }],
  "a homepage with a path": [{}, `${HOME}shop/`],
  "a folder": [{ normalizeHomepageUrl: false }, `${HOME}shop/`],
  "a given sitemap": [{ sitemaps: [`${HOME}s.xml`], useRobots: true, useHomepage: true }],
  "the homepage always": [{ useHomepage: true }],
};

Deno.test("a login page has a verdict, a code and a reason, whatever is asked", async () => {
  const blockedBy = {
    url: `${HOME}login`,
    code: "login",
    reason: `Every path redirects to "${HOME}login"`,
  } as const;
  for (const answer of [PAGE, status(401), status(403)]) {
    for (const [what, [options, homepage = HOME]] of Object.entries(WALKS)) {
      const site = wall(({ pathname }) => `/login?next=${pathname}&token=secret`, answer);
      const { finished, paths } = await searched(site, options, { homepage });
      assertEquals([finished.verdict, finished.blockedBy], ["blocked", blockedBy], what);
      const below = paths.filter((path) => path.startsWith("/login/"));
      assertEquals(below, [], "not looked into as a folder");
    }
  }
});

Deno.test("a login page behind https or www. is recognised on both origins", async () => {
  const targets = ["https://site.test/", "https://www.site.test/", "https://www.site.test/de/"];
  for (const target of targets) {
    const homepage = "http://site.test/";
    const login = new URL("login", target).href;
    const move: Answer = (url, init) => {
      if (short(url) === short(login)) return PAGE(url, init);
      const { pathname } = new URL(url);
      const isMoved = url.startsWith(homepage);
      return redirect(isMoved ? new URL(pathname, target).href : login)(url, init);
    };
    const { finished } = await searched({ "*": move }, {}, { homepage });
    assertEquals([finished.verdict, finished.blockedBy?.url], ["blocked", login]);
  }
});

Deno.test("pages() throws an error that names the login page", async () => {
  const { fetch } = siteFetch(wall(() => "/login"));
  const error = await assertRejects(() => Array.fromAsync(pages(HOME, { fetch })), BlockedError);
  assertEquals(error.code, "login");
  assertEquals(
    error.message,
    `Cannot read the sitemaps of "${HOME}": Every path redirects to "${HOME}login"`,
  );
});

Deno.test("discovery names the targets of redirects", async () => {
  const { finished } = await searched({
    ...wall(() => "/login"),
    "/sitemap.txt": redirect("/a"),
    "/a": redirect("/sitemap.txt"),
    "/wp-sitemap.xml": redirect("/b"),
    "/b": 403,
  });
  const reasons = finished.discovery.map(({ url, reason }) => [short(url), reason]);
  const login = `redirected to "${HOME}login"`;
  assertEquals(reasons, [
    ["/robots.txt", `HTML page, ${login}`],
    ["/sitemap_index.xml", `HTML page, ${login}`],
    ["/control", "Answered like a known path: only the most common known paths are requested"],
    ["/sitemap-index.xml", `Redirects to "${HOME}login", which is not a sitemap`],
    ["/sitemap.xml", `Redirects to "${HOME}login", which is not a sitemap`],
    ["/sitemap.txt", `Redirect loop at "${HOME}sitemap.txt", redirected to "${HOME}a"`],
    ["/wp-sitemap.xml", `403 Forbidden, redirected to "${HOME}b"`],
    ["/", `Names 0 sitemaps, ${login}`],
  ]);
});
