import { assertEquals } from "@std/assert";
import { adviceFor, type Cause, loginAdvice, missingAdvice } from "../../src/cli/run/advice.ts";
import { REQUEST_CODES, type RequestCode } from "../../src/data/codes.ts";
import { type Answer, FaultServer, ok, redirect, status } from "../support/fault_server.ts";
import { robots, urlset } from "./sites.ts";
import { transcripts } from "./transcript.ts";

const DENIED = "access denied: try another --user-agent, --header or --proxy";
const SITE = "https://example.com/robots.txt";

const login = (site: string) =>
  `login missing or wrong: write ${site}, or use -H "Authorization: …"`;
const CHALLENGED =
  "the site demands a browser: no option gets past that, but its owner can admit your User-Agent";
const PROXY = "check the proxy: --proxy http://user:password@host:port/ logs in";
const LIMITED = "or slower by --wait 2s and --concurrency 1";
const BUSY = "the site is overloaded or in maintenance: try again";
const CHECK_PORT = "check the port, or try http://example.com/";

/** Causes, each with the advice; `undefined` for none. */
const ADVICE: readonly (readonly [cause: Partial<Cause>, advice: string | undefined])[] = [
  [{ status: 401 }, login("https://user:password@example.com/")],
  [
    { status: 401, url: "http://example.com:8080/a/b.xml" },
    login("http://user:password@example.com:8080/"),
  ],
  [{ status: 403 }, DENIED],
  [{ status: 406 }, DENIED],
  [{ status: 403, code: "browser-challenge" }, CHALLENGED],
  [{ status: 503, code: "browser-challenge", retryAfterMs: 5000 }, CHALLENGED],
  [{ status: 404 }, undefined],
  [{ status: 410 }, undefined],
  [{ status: 407 }, PROXY],
  [{ code: "proxy" }, PROXY],
  [{ status: 429 }, `too many requests: try again later, ${LIMITED}`],
  [{ status: 429, retryAfterMs: 90_000 }, `too many requests: try again in 90 s, ${LIMITED}`],
  [{ status: 451 }, "not available here for legal reasons: try --proxy"],
  [{ status: 500 }, "server error: try again later"],
  [{ status: 502, retryAfterMs: 1 }, "server error: try again in 1 s"],
  [{ status: 503 }, `${BUSY} later`],
  [{ status: 503, retryAfterMs: 121_000 }, `${BUSY} in 3 min`],
  [{ status: 503, retryAfterMs: 7_200_000 }, `${BUSY} in 2 h`],
  [{ status: 503, retryAfterMs: 259_200_000 }, `${BUSY} in 3 days`],
  [{ status: 503, retryAfterMs: Infinity }, `${BUSY} later`],
  // a redirect without a location
  [{ status: 302 }, undefined],
  [{ code: "timeout" }, "no response in time: try again later, or with a longer --timeout"],
  [{ code: "connection-refused" }, `no server at example.com:443: ${CHECK_PORT}`],
  [
    { code: "connection-refused", url: "http://example.com/" },
    "no server at example.com:80: check the port",
  ],
  [
    { code: "connection-refused", url: "https://example.com:8443/" },
    "no server at example.com:8443: check the port",
  ],
  [{ code: "tls-certificate" }, "--insecure accepts any certificate; or try http://example.com/"],
  [{ code: "tls-handshake" }, `no TLS at example.com:443: ${CHECK_PORT}`],
  [{ code: "network" }, "site unreachable: check its URL and the network"],
  [
    { code: "content-encoding" },
    "the body is not what its Content-Encoding says: only the server can mend that",
  ],
  // the user or the site said so
  [{ code: "blocked" }, undefined],
  [{ code: "redirect" }, undefined],
];

Deno.test("adviceFor() depends on code and status", () => {
  for (const [cause, advice] of ADVICE) {
    assertEquals(adviceFor({ url: SITE, ...cause }), advice, JSON.stringify(cause));
  }
});

Deno.test("adviceFor() knows all failures to connect", () => {
  const without = (Object.keys(REQUEST_CODES) as RequestCode[])
    .filter((code) => adviceFor({ url: SITE, code }) === undefined);
  assertEquals(
    without.filter((code) =>
      /^(?:host-not|host-un|dns|connection|tls|timeout|network|proxy)/.test(code)
    ),
    [],
  );
});

Deno.test("adviceFor() names a host that an unknown one may be meant to be", () => {
  const other = (host: string) =>
    /, or try (.*)/.exec(adviceFor({ url: `https://${host}/`, code: "host-not-found" })!)?.[1];
  assertEquals(other("example.com"), "www.example.com");
  assertEquals(other("www.example.com"), "example.com");
  assertEquals(other("example.co.uk"), "www.example.co.uk");
  assertEquals(other("www.example.co.uk"), "example.co.uk");
  for (const host of ["blog.example.com", "a.b.example.org", "localhost", "127.0.0.1", "[::1]"]) {
    assertEquals(other(host), undefined, host);
  }
});

Deno.test("missingAdvice() names another host only if there is a likely one", () => {
  const start = "every response was 404 Not Found: check the host";
  const end = "; --known-path names other paths";
  assertEquals(
    missingAdvice(new URL("https://example.com/")),
    `${start}, or try www.example.com${end}`,
  );
  assertEquals(missingAdvice(new URL("http://127.0.0.1:8080/")), start + end);
});

Deno.test("loginAdvice() names the page by its path, or by its URL on another origin", () => {
  const login = "https://example.com/users/sign_in";
  const advice = (site: string) => loginAdvice(login, site);
  assertEquals(
    advice("https://example.com/"),
    'every path redirects to /users/sign_in: use -H "Cookie: …"',
  );
  for (const site of ["https://example.org/", "http://example.com/", "walk.ndjson"]) {
    assertEquals(advice(site), `every path redirects to ${login}: use -H "Cookie: …"`);
  }
});

const HTML = { "Content-Type": "text/html" };
const LOGIN = ok("<!DOCTYPE html><title>Log in</title>", HTML);

/** Redirects all requests without a session to a login page. */
const GUARDED: Answer = async (wire) => {
  await wire.listen();
  const { path, headers } = wire.request;
  if (path.startsWith("/login?")) return await LOGIN(wire);
  const isKnown = headers.get("cookie")?.trim() === "session=1";
  const answer = path === "/sitemap.xml" ? ok(urlset("{{origin}}/a")) : status(404);
  await (isKnown ? answer : redirect(`/login?next=${encodeURIComponent(path)}`))(wire);
};

/** The site with the login page. */
let guarded: FaultServer;

/** Redirects to the login page of another site. */
const ELSEWHERE: Answer = (wire) => redirect(`${guarded.origin}/login?app=1`)(wire);

transcripts("advice", {
  refused: {
    sites: {
      login: { "*": status(401, { "WWW-Authenticate": "Basic" }) },
      forbidden: { "*": 403 },
      challenge: { "*": status(403, HTML, "<!DOCTYPE html><title>Just a moment...</title>") },
      limited: { "*": status(429, { "Retry-After": "120" }) },
      maintenance: { "*": status(503, { "Retry-After": "7200" }) },
      broken: { "*": 500 },
      missing: {},
    },
  },
  partial: {
    sites: {
      site: {
        "/robots.txt": robots("{{origin}}/a.xml", "{{origin}}/b.xml"),
        "/a.xml": urlset("{{origin}}/1"),
        "/b.xml": 401,
      },
    },
  },
  login: {
    sites: {
      site: () => guarded = new FaultServer({ "*": GUARDED }),
      other: { "*": ELSEWHERE },
      home: { "*": redirect("/"), "/": ok("<p>Hello", HTML) },
    },
  },
});
