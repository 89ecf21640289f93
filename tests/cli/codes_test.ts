import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import {
  type Answer,
  FaultServer,
  type FaultServerOptions,
  type FaultSite,
  head,
  ok,
  raw,
  redirect,
  reset,
  silence,
  status,
} from "../support/fault_server.ts";
import { selfSigned } from "../support/self_signed.ts";
import { runCli } from "./run_cli.ts";

const ROOT = new URL("../../", import.meta.url);
const WORDED = new URL("worded_library.ts", import.meta.url).href;
const WORD = "xyzzy";

/** Returns an import map that puts `worded_library.ts` between the library and the command line. */
function importMap(): string {
  const { imports } = JSON.parse(Deno.readTextFileSync(new URL("deno.json", ROOT)));
  const replaced = ["src/walk/walk.ts", "src/walk/parse_sitemap.ts"].map((path) =>
    new URL(path, ROOT).href
  );
  const entries = (target: (url: string) => string) =>
    Object.fromEntries(replaced.map((url) => [url, target(url)]));
  return JSON.stringify({
    imports: { ...imports, ...entries(() => WORDED) },
    scopes: { [WORDED]: entries((url) => url) },
  });
}

const FLAGS = [
  "--no-lock",
  "--allow-all",
  `--import-map=data:application/json,${encodeURIComponent(importMap())}`,
];

/** Runs the command line; returns its exit code and standard error without times. */
async function run(
  args: readonly string[],
  env: Record<string, string>,
  stdin: string,
): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await runCli(args, { permissions: FLAGS, env, stdin });
  return { code, stderr: stderr.replace(/\d+(?:\.\d+)? s\b/g, "{{time}}") };
}

/** File of the messages that the library has sent; the same, so that one process writes them. */
const MESSAGES = Deno.makeTempFileSync();
globalThis.addEventListener("unload", () => Deno.removeSync(MESSAGES));

/** Runs a command with and without the words of the library, and compares all but these words. */
async function assertSame(
  args: readonly string[],
  stdin: string,
): Promise<{ code: number; stderr: string }> {
  await Deno.truncate(MESSAGES);
  const [plain, worded] = await Promise.all([
    run(args, { MESSAGES }, stdin),
    run(args, { WORD }, stdin),
  ]);
  const messages = (await Deno.readTextFile(MESSAGES)).split("\n").filter((line) => line !== "");
  const stderr = messages.toSorted((a, b) => b.length - a.length)
    .reduce((text, message) => text.replaceAll(message, WORD), plain.stderr);
  assertEquals(worded, { code: plain.code, stderr });
  return plain;
}

const PAGES = ok(
  "<urlset><url><loc>{{origin}}/a</loc></url><url><loc>{{origin}}/b</loc></url></urlset>",
);
const HTML = ok("<!doctype html><html><body>Welcome</body></html>");
const CUT = raw(head(200, { "Content-Length": "99" }), "<urlset><url><loc>/a</loc></url>");
const DENIED = /access denied/;
const RESET = /the server closes connections/;

function declaring(...paths: string[]): Answer {
  return ok(paths.map((path) => `Sitemap: {{origin}}${path}\n`).join(""));
}

/** A kind of failure, the exit code and a part of what is printed. */
interface Row {
  readonly name: string;
  /** Default: a server that refuses connections. */
  readonly site?: FaultSite;
  readonly server?: FaultServerOptions;
  /** Returns the operand for an origin. Default: the homepage. */
  readonly operand?: (origin: string) => string;
  readonly args?: readonly string[];
  readonly exit: number;
  readonly prints: RegExp;
}

/** Returns a row for a site with one declared sitemap. */
function declared(name: string, answer: Answer, exit: number, prints: RegExp): Row {
  const site = { "/robots.txt": declaring("/s.xml"), "/s.xml": answer };
  return { name: `a sitemap ${name}`, site, exit, prints };
}

/** Returns a row for a site whose every response has a status. */
function everywhere(code: number, prints: RegExp, headers: Record<string, string> = {}): Row {
  const name = `every response has status ${[code, ...Object.entries(headers).flat()].join(" ")}`;
  return { name, site: { "*": status(code, headers) }, exit: 5, prints };
}

const ROWS: readonly Row[] = [
  {
    name: "a host does not exist",
    operand: () => `http://${"x".repeat(64)}.test/`,
    exit: 5,
    prints: /Cannot find host .*\n.*spelling/,
  },
  { name: "connections are refused", exit: 5, prints: /Cannot connect to/ },
  {
    name: "connections are refused by https and http",
    operand: (origin) => origin.replace("http://", ""),
    exit: 5,
    prints: /Cannot connect to "https:.*; trying http:.*\n.*Cannot connect to "http:/,
  },
  {
    name: "connections for a sitemap are refused",
    operand: (origin) => `${origin}/s.xml`,
    exit: 5,
    prints: /Cannot connect to/,
  },
  {
    name: "a certificate is not trusted",
    site: {},
    server: { certificate: await selfSigned("x.test") },
    exit: 5,
    prints: /--insecure accepts any certificate/,
  },
  {
    name: "a TLS handshake fails",
    site: {},
    server: { tls: "garbage" },
    operand: (origin) => origin.replace("http:", "https:"),
    exit: 5,
    prints: /no TLS at 127\.0\.0\.1:\d+/,
  },
  { name: "connections are reset", site: { "*": reset() }, exit: 5, prints: RESET },
  {
    name: "no response arrives in time",
    site: { "*": silence() },
    args: ["--timeout", "300ms"],
    exit: 5,
    prints: /no response in time/,
  },
  everywhere(401, /login missing or wrong: write http:\/\/user:password@127\.0\.0\.1:\d+\//),
  everywhere(403, DENIED),
  everywhere(403, /the site demands a browser/, { "cf-mitigated": "challenge" }),
  everywhere(202, /the site demands a browser/, { "x-amzn-waf-action": "challenge" }),
  everywhere(407, /check the proxy/),
  everywhere(429, /too many requests: try again later/),
  everywhere(500, /server error: try again later/),
  everywhere(503, /overloaded or in maintenance: try again later/),
  {
    name: "every response has status 404",
    site: {},
    exit: 4,
    prints: /none is declared in robots\.txt/,
  },
  declared("is forbidden", status(403), 5, DENIED),
  declared("fails", status(500), 5, /server error/),
  declared("does not exist", status(404), 3, /^partial: .*1 invalid/),
  declared("is a page of HTML", HTML, 3, /\(not-a-sitemap\)/),
  declared("is truncated", CUT, 3, /\(body-cut\)/),
  declared("redirects to itself", redirect("/s.xml"), 3, /\(redirect\)/),
  declared("is reset", reset(), 5, RESET),
  {
    name: "a sitemap is on a host that is not allowed",
    site: { "/robots.txt": ok("Sitemap: http://other.test/s.xml") },
    args: ["--hosts", "same-host"],
    exit: 5,
    prints: /--hosts same-host refuses other hosts/,
  },
  {
    name: "the operand is a page of HTML",
    site: { "/robots.txt": declaring("/s.xml"), "/s.xml": PAGES, "/blog": HTML },
    operand: (origin) => `${origin}/blog`,
    exit: 0,
    prints: /is not a sitemap .*: walking/,
  },
  {
    name: "the deadline has passed",
    site: { "/robots.txt": declaring("/s.xml", "/t.xml"), "/s.xml": PAGES, "/t.xml": silence() },
    args: ["--deadline", "6s"],
    exit: 3,
    prints: /--deadline reached.*\n.*still pending: waiting for \/t\.xml/,
  },
  {
    name: "the deadline of a sitemap passes before its response",
    site: { "*": silence() },
    operand: (origin) => `${origin}/s.xml`,
    args: ["--deadline", "0s"],
    exit: 3,
    prints: /^partial: .*\n.*--deadline reached/,
  },
  {
    name: "there are enough pages",
    site: { "/robots.txt": declaring("/s.xml"), "/s.xml": PAGES },
    args: ["--max-pages", "1"],
    exit: 0,
    prints: /^partial: 1 sitemap, 1 page, \{\{time\}\}\n.*--max-pages 1 reached/,
  },
  {
    name: "there are enough pages, and a sitemap failed",
    site: { "/robots.txt": declaring("/gone.xml", "/s.xml"), "/s.xml": PAGES },
    args: ["--max-pages", "1"],
    exit: 3,
    prints: /1 invalid, .*\n.*\(http-status\)\n.*--max-pages 1 reached/,
  },
  {
    name: "there are enough sitemaps",
    site: { "/robots.txt": declaring("/s.xml", "/t.xml"), "*": PAGES },
    args: ["--max-sitemaps", "1"],
    exit: 0,
    prints: /--max-sitemaps 1 reached/,
  },
  ...[[403, 0], [429, 0], [500, 3]].map(([code, exit]): Row => ({
    name: `robots.txt has status ${code}, and there are enough pages`,
    site: { "/robots.txt": status(code!), "/sitemap.xml": PAGES },
    args: ["--known-path", "sitemap.xml", "--max-pages", "1"],
    exit: exit!,
    prints: /--max-pages 1 reached/,
  })),
  {
    name: "only a known path is forbidden",
    site: { "/sitemap.xml": status(403) },
    args: ["--known-path", "sitemap.xml"],
    exit: 5,
    prints: DENIED,
  },
];

for (const { name, site, server = {}, operand, args = [], exit, prints } of ROWS) {
  Deno.test(`exit code and advice do not depend on messages if ${name}`, async () => {
    const serving = new FaultServer(site ?? {}, server);
    // closed at once, the port refuses connections
    if (site === undefined) await serving[Symbol.asyncDispose]();
    try {
      const { origin } = serving;
      const fixed = ["ls", "-k", "-f", "pages", "--concurrency", "1", "--retries", "1"];
      const { code, stderr } = await assertSame(
        [...fixed, ...args, operand?.(origin) ?? `${origin}/`],
        "",
      );
      assertEquals(code, exit, stderr);
      assertMatch(stderr, prints);
    } finally {
      if (site !== undefined) await serving[Symbol.asyncDispose]();
    }
  });
}

Deno.test("exit code and advice of ls of a document do not depend on messages", async () => {
  const parse = (stdin: string) => assertSame(["ls", "-", "-f", "pages"], stdin);
  const cut = await parse("<urlset><url><loc>https://a.test/</loc></url>");
  const html = await parse("<!doctype html><html><body>Welcome</body></html>");
  const empty = await parse("");
  assertEquals([cut, html, empty].map(({ code }) => code), [3, 3, 3]);
  assertMatch(cut.stderr, /\(xml-cut\)/);
});

Deno.test("the words of the library reach the command line", async () => {
  await using server = new FaultServer({ "/robots.txt": status(403) });
  const args = ["ls", "-k", "-f", "pages", server.url];
  const [plain, worded] = await Promise.all([
    run(args, { MESSAGES }, ""),
    run(args, { WORD }, ""),
  ]);
  assertMatch(plain.stderr, /Cannot read robots\.txt: 403 Forbidden/);
  assertNotEquals(plain.stderr, worded.stderr);
  assertMatch(worded.stderr, new RegExp(`^ {2}${WORD}$`, "m"));
});
