/** `sitetree check`: findings, exit codes, configuration, pages and interruption. @module */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { FaultServer, ok, redirect, silence, status } from "../support/fault_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { ALL_PERMISSIONS, HAS_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import { robots } from "./sites.ts";
import { TextReader } from "./text_reader.ts";
import { answersOf, type Site, transcripts } from "./transcript.ts";

/** Returns a sitemap as it should be, of URLs each with a date. */
function sitemap(...pages: readonly string[]): string {
  const entries = pages.map((page) => {
    const [url, date] = page.split(" ");
    return `<url><loc>${url}</loc><lastmod>${date}</lastmod></url>\n`;
  });
  return '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("")}</urlset>\n`;
}

const SITEMAP = sitemap("{{origin}}/a 2024-13-45", "{{origin}}/b 2024-05-01");
const ROBOTS = robots("{{origin}}/s.xml");
const COMPLETE: Site = { "/robots.txt": ROBOTS, "/s.xml": SITEMAP };

/** Sites by what a walk ends with; each but the one without a sitemap has a finding. */
const ENDINGS = {
  complete: COMPLETE,
  partial: { "/robots.txt": `${ROBOTS}${robots("{{origin}}/missing.xml")}`, "/s.xml": SITEMAP },
  none: {},
  blocked: { "/robots.txt": ROBOTS, "/s.xml": 403 },
};

const PATHS = ["a", "gone", "moved", "noindex", "private", "a#again", "refused"];

/** A site of pages that answer in different ways. */
const PAGES: Site = {
  "/robots.txt": `User-agent: *\nDisallow: /private\n${ROBOTS}`,
  "/s.xml": ok(sitemap(...PATHS.map((path) => `{{origin}}/${path} 2024-05-01`)), {
    "Content-Type": "text/xml",
  }),
  "/a": 200,
  "/gone": 410,
  "/moved": redirect("/a", 301),
  "/noindex": status(200, { "X-Robots-Tag": "none" }),
  "/private": 200,
  "/refused": (wire) => status(wire.request.method === "HEAD" ? 405 : 200)(wire),
};

const RULES = ["lastmod-invalid", "hint-invalid", "sitemap-failed"];
const GOOD = sitemap("https://mill.example/0 2024-05-01", "https://mill.example/1 2024-05-02");
const BAD = sitemap("https://mill.example/0 2024-05-01", "https://mill.example/1 soon");

transcripts("check", {
  exit_codes: {
    sites: ENDINGS,
    files: Object.fromEntries(
      ["error", "warning", "notice"].map((severity) => {
        const severities = Object.fromEntries(RULES.map((rule) => [rule, severity]));
        return [`${severity}.json`, JSON.stringify({ check: { severities } })];
      }),
    ),
  },
  config: { sites: { site: COMPLETE } },
  files: {
    sites: { site: COMPLETE },
    files: {
      "good/robots.txt": robots("https://mill.example/sitemap.xml"),
      "good/sitemap.xml": GOOD,
      "bad/robots.txt": robots("https://mill.example/maps/1%C3%A9%20a.xml", "/gone.xml"),
      "bad/maps/1é a.xml": BAD,
      "linked/robots.txt": robots("https://mill.example/sitemap.xml"),
      "linked/sitemap.xml": { link: "../good/sitemap.xml" },
      "dist/robots.txt": robots("https://mill.example/a%20b.xml"),
      "dist/a b.xml": BAD,
    },
    ignore: Deno.build.os === "windows",
  },
  formats: {
    sites: {
      site: {
        ...COMPLETE,
        "/robots.txt": `User-agent: millbot\nDisallow: /a\n\n${ROBOTS}`,
      },
      healthy: { "/robots.txt": ROBOTS, "/s.xml": sitemap("{{origin}}/b 2024-05-01") },
    },
  },
  pages: {
    sites: {
      site: PAGES,
      healthy: PAGES,
      small: {
        ...PAGES,
        "/s.xml": sitemap("{{origin}}/moved 2024-05-01", "{{origin}}/gone 2024-05-01"),
      },
    },
  },
});

Deno.test("findings fail the check even if the reader of the output has closed it", async () => {
  await using server = new FaultServer(answersOf(COMPLETE));
  const child = startCli(["check", server.url, "-q"]);
  await child.stdout.cancel();
  const stderr = await new Response(child.stderr).text();
  assertEquals([(await child.status).code, stderr], [11, ""]);
});

Deno.test("sitetree.json is not read without permission, and never asked for", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  await using server = new FaultServer(answersOf(COMPLETE));
  await inFolder(async (cwd) => {
    await Deno.writeTextFile(`${cwd}/sitetree.json`, "invalid");
    const args = ["check", server.url, "-q"];
    const [without, given, allowed] = await Promise.all([
      runCli(args, { cwd }),
      runCli([...args, "--config", "sitetree.json"], { cwd }),
      runCli(args, { cwd, permissions: ALL_PERMISSIONS }),
    ]);
    assertEquals([without.code, without.stderr], [11, ""]);
    assertEquals(given.code, 1);
    assertMatch(
      given.stderr,
      /^error: Cannot read "sitetree.json": no permission to read files\n/,
    );
    assertEquals(allowed.code, 2);
  });
});

Deno.test("Ctrl-C reports what was seen, and exits with 130", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using server = new FaultServer({
    "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
    "/s.xml": silence(
      "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n",
      "<urlset><url><loc>http://a.test/a</loc><lastmod>2024-13-45</lastmod></url><url>",
    ),
  });
  const child = startCli(["check", "-vvv", "-f", "json", server.url]);
  const log = new TextReader(child.stderr);
  await log.until("page http://a.test/a");
  child.kill("SIGINT");
  const { verdict, findings } = JSON.parse(await new Response(child.stdout).text());
  await log.all();
  assertEquals([(await child.status).code, verdict], [130, "interrupted"]);
  assert(findings.some(({ code }: { code: string }) => code === "lastmod-invalid"));
});
