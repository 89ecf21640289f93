/** `sitetree check`: exit codes, configuration, several sites and interruption. @module */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { FaultServer, ok, silence, status } from "../support/fault_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { test, testOnUnix } from "./folder_cases.ts";
import { ALL_PERMISSIONS, HAS_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import { TextReader } from "./text_reader.ts";
import { assertTranscript, type CommandLine } from "./transcript.ts";

const SITEMAP = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>{{origin}}/a</loc><lastmod>2024-13-45</lastmod></url>
<url><loc>{{origin}}/b</loc><lastmod>2024-05-01</lastmod></url>
</urlset>`;

const MISSING = status(404);

/** Serves a site by what its walk ends with; each but the one without a sitemap has a finding. */
const SITES = {
  complete: () =>
    new FaultServer({
      "*": MISSING,
      "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
      "/s.xml": ok(SITEMAP),
    }),
  partial: () =>
    new FaultServer({
      "*": MISSING,
      "/robots.txt": ok("Sitemap: {{origin}}/s.xml\nSitemap: {{origin}}/missing.xml\n"),
      "/s.xml": ok(SITEMAP),
    }),
  none: () => new FaultServer({ "*": MISSING }),
  blocked: () =>
    new FaultServer({
      "*": MISSING,
      "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
      "/s.xml": status(403),
    }),
} as const;

/** The rule that finds something in each site, and one that does not. */
const FINDING = {
  complete: "lastmod-invalid",
  partial: "lastmod-invalid",
  none: "hint-invalid",
  blocked: "sitemap-failed",
} as const;
const NO_FINDING = "hint-invalid";

const SEVERITIES = ["error", "warning", "notice"] as const;

test("the exit code is that of the walk, and 11 for findings as serious as --fail-on", async (folder) => {
  for (const [name, serve] of Object.entries(SITES)) {
    await using server = serve();
    const site = name as keyof typeof SITES;
    const code = FINDING[site];
    const run = async (rule: string, severity: string, failOn: string | undefined) => {
      const path = `${folder}/${site}-${severity}-${failOn}.json`;
      const severities = { [rule]: severity };
      await Deno.writeTextFile(path, JSON.stringify({ check: { severities } }));
      const options = failOn === undefined ? [] : ["--fail-on", failOn];
      const args = ["check", server.url, "--only", rule, "--config", path, ...options];
      return await runCli([...args, "-f", "json", "-q"], { permissions: ALL_PERMISSIONS });
    };
    const codes = await Promise.all(
      SEVERITIES.map((severity) =>
        Promise.all(
          [undefined, ...SEVERITIES].map(async (failOn) => {
            const result = await run(code, severity, failOn);
            const { verdict, counts } = JSON.parse(result.stdout);
            assertEquals([verdict, counts[severity]], [site, code === NO_FINDING ? 0 : 1]);
            return result.code;
          }),
        )
      ),
    );
    const kept = { none: 4, blocked: 5 }[site as string];
    const expected = kept === undefined
      // by default, error, warning, notice
      ? [[11, 11, 11, 11], [0, 0, 11, 11], [0, 0, 0, 11]]
      : SEVERITIES.map(() => [kept, kept, kept, kept]);
    assertEquals(codes, expected, site);
    assertEquals((await run(NO_FINDING, "error", "notice")).code, kept ?? 0, site);
  }
});

Deno.test("the exit code of several sites is the worst one, findings before none", async () => {
  await using servers = new AsyncDisposableStack();
  const urlOf = (name: keyof typeof SITES) => servers.use(SITES[name]()).url;
  const [complete, partial, none, blocked] = [
    ...[urlOf("complete"), urlOf("partial"), urlOf("none"), urlOf("blocked")],
  ];
  const cases: readonly (readonly [sites: readonly string[], skip: string, code: number])[] = [
    [[complete!, partial!], "bom", 11],
    [[complete!, partial!], "lastmod-invalid,sitemap-failed", 0],
    [[complete!, none!], "bom", 4],
    [[none!, complete!, blocked!], "bom", 5],
    [[complete!, "./missing.xml", blocked!], "bom", 1],
    [[complete!, "--fail-on", "nothing"], "bom", 2],
  ];
  await Promise.all(cases.map(async ([sites, skip, code]) => {
    const { code: actual, stderr } = await runCli(["check", ...sites, "--skip", skip], {
      permissions: ALL_PERMISSIONS,
    });
    assertEquals(actual, code, `${sites}\n${stderr}`);
  }));
});

Deno.test("a limit that the user set leaves the findings to decide", async () => {
  await using server = SITES.complete();
  const args = ["check", server.url, "-q", "--max-pages", "1"];
  const [found, healthy] = await Promise.all([
    runCli(args),
    runCli([...args, "--only", NO_FINDING]),
  ]);
  assertEquals([found.code, healthy.code], [11, 0]);
});

Deno.test("findings fail the check even if the reader of the output has closed it", async () => {
  await using server = SITES.complete();
  const child = startCli(["check", server.url, "-q"]);
  await child.stdout.cancel();
  const stderr = await new Response(child.stderr).text();
  assertEquals([(await child.status).code, stderr], [11, ""]);
});

/** Configurations with the options beside them; the first are valid. */
const CONFIGS: readonly (readonly [content: string | undefined, ...args: string[]])[] = [
  ["{}"],
  ['\ufeff{"check":{}}'],
  ['{"check":{"skip":["lastmod-invalid"]}}'],
  ['{"check":{"skip":["lastmod-invalid"]}}', "--skip", "bom"],
  ['{"check":{"skip":["lastmod-invalid"]}}', "--only", "lastmod-invalid"],
  ['{"check":{"only":["bom","hint-invalid"]}}'],
  ['{"check":{"only":["bom"]}}', "--only", "hint-invalid, lastmod-invalid"],
  ['{"check":{"severities":{"lastmod-invalid":"warning"}}}'],
  ['{"check":{"severities":{"lastmod-invalid":"warning"},"failOn":"warning"}}'],
  [
    '{"check":{"severities":{"lastmod-invalid":"warning"},"failOn":"notice"}}',
    "--fail-on",
    "error",
  ],
  // invalid
  [""],
  ["{check: {}}"],
  ["[]"],
  ["null"],
  ['{"chekc":{}}'],
  ['{"check":[]}'],
  ['{"check":{"fail-on":"error"}}'],
  ['{"check":{"failOn":"fatal"}}'],
  ['{"check":{"failOn":["error"]}}'],
  ['{"check":{"skip":"bom"}}'],
  ['{"check":{"skip":[1]}}'],
  ['{"check":{"skip":["lastmd-invalid"]}}'],
  ['{"check":{"only":["__proto__"]}}'],
  ['{"check":{"severities":[]}}'],
  ['{"check":{"severities":{"bom":"high"}}}'],
  ['{"check":{"severities":{"\\u001b[31m":"error"}}}'],
  [undefined, "--config", "missing.json"],
  [undefined, "--config", "."],
  [undefined, "--config"],
  [undefined, "--only", "lastmod-invalid", "--skip", "lastmod-invalid"],
  [undefined, "--only", "lastmod-invald"],
  [undefined, "--skip", "bom,,hint-invalid"],
  [undefined, "--fail-on", "errors"],
];

test("sitetree.json and --config set what options do not, and are checked", async (folder) => {
  await using server = SITES.complete();
  const commands: CommandLine[] = [];
  for (const [at, [content, ...args]] of CONFIGS.entries()) {
    const cwd = `${folder}/${at}`;
    await Deno.mkdir(cwd);
    if (content !== undefined) await Deno.writeTextFile(`${cwd}/sitetree.json`, content);
    const shown = content === undefined ? {} : { CONFIG: content };
    const options = { cwd, permissions: ALL_PERMISSIONS };
    commands.push({ args: ["check", server.url, "-q", "-f", "github", ...args], options, shown });
  }
  const results = await assertTranscript("check_config", { site: server.url }, commands);
  const codes = results.map(({ code }) => code);
  assertEquals(codes.slice(0, 10), [11, 11, 0, 11, 11, 0, 11, 0, 11, 0]);
  for (const { code, stdout, stderr } of results.slice(10)) {
    assertEquals([code, stdout], [2, ""]);
    assertMatch(stderr, /^error: .+\n(?: {2}.+\n)?$/);
  }
});

Deno.test("sitetree.json is not read without permission, and never asked for", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  await using server = SITES.complete();
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

Deno.test("JSON is one object for one site, an array for several or a list", async () => {
  await using server = SITES.complete();
  const one = ["check", "-f", "json", "-q", server.url];
  const [object, several, list, failed] = await Promise.all([
    runCli(one),
    runCli([...one, server.url]),
    runCli(["check", "-f", "json", "-q", "-"], { stdin: `${server.url}\n` }),
    runCli([...one, "./missing.xml"], { permissions: ALL_PERMISSIONS }),
  ]);
  const { site, verdict, findings } = JSON.parse(object.stdout);
  assertEquals([site, verdict], [server.url, "complete"]);
  assert(findings.some(({ code }: { code: string }) => code === "lastmod-invalid"));
  assertEquals(JSON.parse(several.stdout).length, 2);
  assertEquals(JSON.parse(list.stdout).length, 1);
  // a site that failed has no report
  assertEquals([failed.code, JSON.parse(failed.stdout).length], [1, 1]);
});

Deno.test("--only help lists the rules", async () => {
  const { code, stdout } = await runCli(["check", "--only", "help"]);
  assertEquals(code, 0);
  assertMatch(stdout, /^lastmod-invalid +A date /m);
});

Deno.test("Ctrl-C reports what was seen, and exits with 130", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using server = new FaultServer({
    "*": MISSING,
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

function datedSitemap(...dates: readonly string[]): string {
  const entries = dates.map((date, at) =>
    `<url><loc>https://mill.example/${at}</loc><lastmod>${date}</lastmod></url>\n`
  );
  return '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("")}</urlset>\n`;
}

testOnUnix(
  "folders, files and saved walks are checked, with the file of each finding",
  async (cwd) => {
    const write = (path: string, text: string) => Deno.writeTextFileSync(`${cwd}/${path}`, text);
    const [good, bad] = [
      datedSitemap("2024-05-01", "2024-05-02"),
      datedSitemap("2024-05-01", "soon"),
    ];
    for (const folder of ["good", "bad/maps", "empty", "linked"]) {
      Deno.mkdirSync(`${cwd}/${folder}`, { recursive: true });
    }
    write("good/robots.txt", "Sitemap: https://mill.example/sitemap.xml\n");
    write("good/sitemap.xml", good);
    write(
      "bad/robots.txt",
      "Sitemap: https://mill.example/maps/1%C3%A9%20a.xml\nSitemap: /gone.xml\n",
    );
    write("bad/maps/1é a.xml", bad);
    write("linked/robots.txt", "Sitemap: https://mill.example/sitemap.xml\n");
    Deno.symlinkSync(`${cwd}/good/sitemap.xml`, `${cwd}/linked/sitemap.xml`);
    const options = { cwd, permissions: ALL_PERMISSIONS };
    const saved = await runCli(["ls", "bad", "-f", "events", "--notes"], options);
    write("walk.ndjson", saved.stdout);
    write("cut.ndjson", saved.stdout.slice(0, saved.stdout.length / 2));
    const url = ["--url", "https://mill.example/"];
    const commands = [
      ["check", "good", ...url],
      ["check", "bad", ...url],
      ["check", "./bad/", ...url, "-f", "github"],
      ["check", "bad/maps/1é a.xml", ...url, "-f", "github"],
      ["check", "walk.ndjson", "-f", "github"],
      ["check", "walk.ndjson", "good", ...url, "--only", "lastmod-invalid", "-f", "github", "-q"],
      ["check", "empty"],
      ["check", "empty", ...url],
      ["check", "linked", ...url],
      ["check", "cut.ndjson"],
      ["check", "./missing"],
    ].map((args) => ({ args, options }));
    const results = await assertTranscript("check_folder", {}, commands);
    assertEquals(results.map(({ code }) => code), [0, 11, 11, 11, 11, 11, 2, 4, 11, 1, 1]);
  },
);

test("SARIF names the files of a folder and of a file, and the URLs of a site", async (cwd) => {
  await using server = SITES.complete();
  await Deno.mkdir(`${cwd}/dist`);
  await Deno.writeTextFile(`${cwd}/dist/a b.xml`, datedSitemap("2024-05-01", "soon"));
  await Deno.writeTextFile(`${cwd}/dist/robots.txt`, "Sitemap: https://mill.example/a%20b.xml\n");
  const operands = [["dist"], ["dist/a b.xml", "--url", "https://mill.example/a"], [server.url]];
  const places = await Promise.all(operands.map(async (words) => {
    const args = ["check", ...words, "-f", "sarif", "--only", "lastmod-invalid"];
    const { stdout } = await runCli(args, { cwd, permissions: ALL_PERMISSIONS });
    const [{ results, originalUriBaseIds }] = JSON.parse(stdout).runs;
    const [{ physicalLocation: { artifactLocation, region } }] = results[0].locations;
    return [artifactLocation, region, originalUriBaseIds];
  }));
  const bases = { SITE: { uri: `file://${await Deno.realPath(cwd)}/dist/` } };
  const inFolder = { uri: "a%20b.xml", uriBaseId: "SITE" };
  assertEquals(places, [
    [inFolder, { startLine: 4 }, bases],
    [inFolder, { startLine: 4 }, bases],
    [{ uri: `${server.url}s.xml` }, { startLine: 3 }, undefined],
  ]);
});

Deno.test("--agent names the crawler that robots.txt is read for", async () => {
  await using server = new FaultServer({
    "*": MISSING,
    "/robots.txt": ok("User-agent: millbot\nDisallow: /a\n\nSitemap: {{origin}}/s.xml\n"),
    "/s.xml": ok(SITEMAP),
  });
  const args = ["check", server.url, "-q", "--only", "page-disallowed", "--fail-on", "warning"];
  const results = await Promise.all([
    runCli(args),
    runCli([...args, "--agent", "MillBot"]),
    runCli([...args, "--agent", "otherbot"]),
  ]);
  assertEquals(results.map(({ code }) => code), [0, 11, 0]);
});
