import { assertEquals } from "@std/assert";
import { DEFAULT_USER_AGENT, isCurrent, RequestHeaders } from "../../src/http/headers.ts";
import { withBrowserRequest } from "../platform/browser_request.ts";

const HOME = new URL("https://a.test/");
const ELSEWHERE = [
  "https://b.test/",
  "http://a.test/",
  "https://a.test:8443/",
  "https://www.a.test/",
]
  .map((url) => new URL(url));

/** Headers for a compressed body that Deno's `fetch` does not decompress. */
const COMPRESSED = { "accept-encoding": "gzip", "range": "bytes=0-" };
const DEFAULTS = { ...COMPRESSED, "user-agent": "sitetree/0" };

function headersOf(homepage: string, headers: HeadersInit | undefined, url: URL): object {
  return new RequestHeaders(new URL(homepage), headers, "sitetree/0").for(url, false);
}

Deno.test("RequestHeaders sends the user agent with every request", () => {
  for (const url of [HOME, ...ELSEWHERE]) {
    assertEquals(headersOf("https://a.test/", undefined, url), DEFAULTS);
  }
  const own = headersOf("https://a.test/", { "User-Agent": "own" }, HOME);
  assertEquals(own, { ...COMPRESSED, "user-agent": "own" });
});

Deno.test("RequestHeaders sends credentials only to the origin of the homepage", () => {
  const harmless = { "x-trace": "1", "accept-language": "de" };
  const secret = {
    "authorization": "Bearer t",
    "x-api-key": "k",
    "private-token": "p",
    "cf-access-client-secret": "s",
    "cookie": "a=b",
    "proxy-authorization": "Basic p",
  };
  const all = Object.entries({ ...harmless, ...secret });
  const headers = new Headers(
    all.map(([name, value]): [string, string] => [name.toUpperCase(), value]),
  );
  const sent = headersOf("https://a.test/", headers, new URL("https://a.test/deep?x"));
  assertEquals(sent, { ...DEFAULTS, ...harmless, ...secret });
  for (const url of ELSEWHERE) {
    assertEquals(headersOf("https://a.test/", headers, url), { ...DEFAULTS, ...harmless });
  }
});

Deno.test("RequestHeaders turns user info of the homepage into an Authorization", () => {
  const cases: Readonly<Record<string, string>> = {
    "https://ann:secret@a.test/": "ann:secret",
    "https://ann@a.test/": "ann:",
    "https://:secret@a.test/": ":secret",
    "https://%C3%A4nn:p%40ss%3A@a.test/": "änn:p@ss:",
    "https://100%:x%zz@a.test/": "100%:x%zz",
  };
  for (const [homepage, expected] of Object.entries(cases)) {
    const { authorization } = headersOf(homepage, undefined, HOME) as Record<string, string>;
    const decoded = Uint8Array.from(atob(authorization!.slice(6)), (char) => char.charCodeAt(0));
    assertEquals(authorization!.slice(0, 6), "Basic ");
    assertEquals(new TextDecoder().decode(decoded), expected);
    assertEquals(headersOf(homepage, undefined, ELSEWHERE[0]!), DEFAULTS);
  }
  const own = headersOf("https://ann:secret@a.test/", { authorization: "Bearer t" }, HOME);
  assertEquals((own as Record<string, string>).authorization, "Bearer t");
});

Deno.test("RequestHeaders requests an unencoded body on demand", () => {
  const headers = new RequestHeaders(HOME, { "accept-encoding": "gzip" }, "x");
  assertEquals(headers.for(HOME, false)["accept-encoding"], "gzip");
  assertEquals(headers.for(HOME, true)["accept-encoding"], "identity");
  assertEquals(headers.for(HOME, false)["accept-encoding"], "gzip");
});

Deno.test("RequestHeaders sends only the headers of the caller in a browser", () => {
  const inBrowser = (headers: HeadersInit | undefined, userAgent: string) =>
    withBrowserRequest(() => new RequestHeaders(HOME, headers, userAgent));
  const rest = { offset: 10, etag: '"a"', total: undefined };
  const silent = inBrowser(undefined, DEFAULT_USER_AGENT);
  assertEquals(silent.for(HOME, true), {});
  assertEquals(silent.for(HOME, true, rest), {});
  const own = { "x-trace": "1", "user-agent": "own" };
  assertEquals(inBrowser({ "X-Trace": "1" }, "own").for(HOME, true, rest), own);
  assertEquals(inBrowser(own, DEFAULT_USER_AGENT).for(HOME, true), own);
});

/** ETags that were stored and that a 304 has, and whether it is about the stored document. */
const CURRENT: readonly (readonly [stored: string | undefined, etag: string, boolean])[] = [
  ['"1"', "", true],
  ['"1"', '"1"', true],
  ['"1"', 'W/"1"', true],
  ['W/"1"', '"1"', true],
  ['W/"1"', 'W/"1"', true],
  ['"1"', '"2"', false],
  ['"1"', 'W/"2"', false],
  [undefined, "", true],
  [undefined, '"1"', true],
];

for (const [etag, answered, expected] of CURRENT) {
  Deno.test(`isCurrent() is ${expected} for ${etag} and a 304 with ${answered || "no ETag"}`, () => {
    const headers = new Headers(answered === "" ? {} : { etag: answered });
    const validators = { url: HOME.href, etag, lastModified: "Mon, 01 Jan 2024 00:00:00 GMT" };
    assertEquals(isCurrent(HOME, headers, validators), expected);
    assertEquals(isCurrent(ELSEWHERE[0]!, headers, validators), false, "of another URL");
  });
}
