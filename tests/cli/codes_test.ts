/** Exit codes and advice by what went wrong, which do not depend on the messages of the library. @module */

import { assert, assertEquals } from "@std/assert";
import { head, raw, redirect, reset, silence, status } from "../support/fault_server.ts";
import { selfSigned } from "../support/self_signed.ts";
import { IS_DENO } from "./run_cli.ts";
import { robots, urlset } from "./sites.ts";
import { play, readTranscript, type Reply, type Site, transcripts, withTls } from "./transcript.ts";

const PAGES = urlset("{{origin}}/a", "{{origin}}/b");
const HTML = "<!doctype html><html><body>Welcome</body></html>";
const CUT = raw(head(200, { "Content-Length": "99" }), "<urlset><url><loc>/a</loc></url>");

/** Returns a site with one declared sitemap. */
function declared(sitemap: Reply): Site {
  return { "/robots.txt": robots("{{origin}}/s.xml"), "/s.xml": sitemap };
}

const SITES = {
  untrusted: withTls({}, { certificate: await selfSigned("x.test") }),
  reset: { "*": reset() },
  silent: { "*": silence() },
  login: { "*": 401 },
  forbidden: { "*": 403 },
  challenge: { "*": status(403, { "cf-mitigated": "challenge" }) },
  browser: { "*": status(202, { "x-amzn-waf-action": "challenge" }) },
  limited: { "*": 429 },
  failing: { "*": 500 },
  busy: { "*": 503 },
  missing: {},
  declaredforbidden: declared(403),
  declaredfailing: declared(500),
  declaredgone: declared(404),
  declaredhtml: declared(HTML),
  declaredcut: declared(CUT),
  declaredloop: declared(redirect("/s.xml")),
  declaredreset: declared(reset()),
  elsewhere: { "/robots.txt": robots("http://other.test/s.xml") },
  blog: { ...declared(PAGES), "/blog": HTML },
  pending: {
    "/robots.txt": robots("{{origin}}/s.xml", "{{origin}}/t.xml"),
    "/s.xml": PAGES,
    "/t.xml": silence(),
  },
  dead: { "/robots.txt": robots("{{origin}}/gone.xml", "{{origin}}/s.xml"), "/s.xml": PAGES },
  two: { "/robots.txt": robots("{{origin}}/s.xml", "{{origin}}/t.xml"), "*": PAGES },
  robots403: { "/robots.txt": 403, "/sitemap.xml": PAGES },
  robots429: { "/robots.txt": 429, "/sitemap.xml": PAGES },
  robots500: { "/robots.txt": 500, "/sitemap.xml": PAGES },
  knownforbidden: { "/sitemap.xml": 403 },
};

transcripts("codes", {}, { sites: SITES });

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

Deno.test("exit codes and advice do not depend on the messages of the library", {
  ignore: !IS_DENO,
}, async () => {
  const text = readTranscript("codes", "failures");
  const path = await Deno.makeTempFile();
  try {
    const scene = { sites: SITES, permissions: FLAGS };
    const [plain, worded] = await Promise.all([
      // the messages follow
      play(`${text}\n$ cat ${path}\n`, { ...scene, env: { MESSAGES: path } }),
      play(text, { ...scene, env: { WORD } }),
    ]);
    const at = plain.lastIndexOf("\n$ cat ");
    const messages = plain.slice(at).split("\n").slice(2, -2).filter((line) => line !== "");
    const replaced = messages.toSorted((a, b) => b.length - a.length)
      .reduce((output, message) => output.replaceAll(message, WORD), plain.slice(0, at));
    assertEquals(worded, replaced);
    assert(messages.length > 50 && worded.includes(`\n2>   ${WORD}\n`), worded);
  } finally {
    await Deno.remove(path);
  }
});
