import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { withoutPassword, withoutPasswords } from "../../src/data/url.ts";
import { type Failure, permittedCommand, UsageError } from "../../src/cli/run/failure.ts";
import { databaseFailure } from "../../src/cli/database.ts";
import { SiteList } from "../../src/cli/site_list.ts";
import { progressParts, statusLines, summaryOf } from "../../src/fleet/run_status.ts";
import { fittingLine } from "../../src/write/layout.ts";
import type { FleetProgress } from "../../src/fleet/mod.ts";
import { HAS_PERMISSIONS, runCli } from "./run_cli.ts";
import { assertTranscript } from "./transcript.ts";

Deno.test("fleet and its commands have help texts", async () => {
  const none = { permissions: [] };
  const lines = [["--help"], ["work", "--help"], ["status", "-h"], ["help", "drop"]];
  await assertTranscript("fleet_help", {}, [
    ...lines.map((words) => ({ args: ["fleet", ...words], options: none })),
    { args: ["fleet"], options: none },
    { args: ["help", "fleet", "enqueue"], options: none },
  ]);
});

Deno.test("invalid usage of fleet is reported before a database is opened", async () => {
  const database = ["--database", "postgres://a.test/b"];
  await assertTranscript("fleet_usage", {}, [
    ["fleet", "statsu"],
    ["fleet", "run", "sites.txt", "-o", "pages.ndjson.gz"],
    ["help", "fleet", "run"],
    ["fleet", "dead", "nov"],
    ["fleet", "redrive", "nov"],
    ["fleet", "--database", "postgres://a.test/b", "work"],
    ["fleet", "enqueue", "nov", ...database],
    ["fleet", "sites", ...database],
    ["fleet", "sites", "nov", "dec", ...database],
    ["fleet", "sites", "nov"],
    ["fleet", "sites", "nov", "--data", "fleet"],
    ["fleet", "sites", "nov", ...database, "-o", "sites.xml"],
    ["fleet", "sites", "nov", "--database", "mysql://me:secret@a.test/b"],
    ["fleet", "work", ...database, "--lease", "5s"],
    ["fleet", "work", ...database, "--retry-wait", "1s"],
    ["fleet", "work", ...database, "--connections", "1"],
    ["fleet", "enqueue", "nov", "-", ...database, "--every", "10ms"],
    ["fleet", "sites", "nov", ...database, "--verdict", "dead"],
    ["fleet", "sites", "nov", ...database, "--code", "timeuot"],
    ["fleet", "work", ...database, "--serve", "db.example"],
    ["fleet", "work", ...database, "--serve", "70000"],
    ["fleet", "work", ...database, "--log", "xml"],
    ["fleet", "retry", "nov", ...database, "--verdict", "failed", "--site", "https://a.test/"],
    ["fleet", "retry", "nov", ...database, "--site", "a.test"],
    ["snapshot", "sites", "--pooled", "sites.db"],
    ["fleet", "status", "--watch", ...database],
    ["ls", "--database", "x", "a.test"],
    ["ls", "https://me:secret@a.test/", "--run", "nov"],
    ["ls", "postgres://me:secret@a.test/b", "sites.db", "--run", "nov"],
    ["ls", "postgres://me:secret@a.test/b", "--run", "nov", "--strip-url"],
    ["ls", "postgres://me:secret@a.test/b", "--run", "nov", "--site", "a.test"],
  ]);
});

Deno.test("fleet prints the permissions that it lacks, without a password", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  const url = "postgres://me:secret@a.test/b";
  const { code, stderr } = await runCli(["fleet", "status", "--database", url], {
    permissions: ["--allow-net"],
  });
  const [first, second = ""] = stderr.split("\n");
  assertEquals([code, first], [
    1,
    "error: Cannot open the database: no permission for read, write, env",
  ]);
  assert(second.startsWith("  run: deno run --allow-net --allow-read --allow-write --allow-env "));
  assert(second.endsWith(" fleet status --database postgres://me@a.test/b"), second);
});

Deno.test("withoutPasswords() keeps everything but passwords of URLs in a text", () => {
  const cases = [
    ['Cannot read "https://me:pw@a.test/b": no', 'Cannot read "https://me@a.test/b": no'],
    ["to postgres://me:p@w@a.test/b?password=c", "to postgres://me@a.test/b?password=…"],
    ["at 12:30 to https://a.test:80/b", "at 12:30 to https://a.test:80/b"],
    ["at 12:30 to https://a.test:80/@b", "at 12:30 to https://a.test:80/@b"],
  ] as const;
  for (const [text, expected] of cases) assertEquals(withoutPasswords(text), expected);
});

Deno.test("withoutPassword() keeps everything but the password of a word", () => {
  const cases = [
    ["postgres://me:p/w:d@x@db.test:5432/a?b=c", "postgres://me@db.test:5432/a?b=c"],
    ["postgres:///a?host=/tmp&password=p%20w&b=c", "postgres:///a?host=/tmp&password=…&b=c"],
    ["postgres://me@db.test/a", "postgres://me@db.test/a"],
    ["me:p w@a.test", "me@a.test"],
    ["//me:pw@a.test/b", "//me@a.test/b"],
    ["https://me:p/w@a.test:99999/b", "https://me@a.test:99999/b"],
    ["https://a.test:80/@b", "https://a.test:80/@b"],
    ["a.test:80/@b", "a.test:80/@b"],
    ["./a.xml", "./a.xml"],
  ] as const;
  for (const [text, expected] of cases) assertEquals(withoutPassword(text), expected);
  const command = permittedCommand("-A", undefined, ["fleet", "work", "--database", cases[0][0]]);
  assert(command.endsWith(`'${cases[0][1]}'`), command);
});

Deno.test("the package to install is that of the import map", async () => {
  const { imports } = JSON.parse(
    await Deno.readTextFile(new URL("../../deno.json", import.meta.url)),
  );
  const message = 'Cannot find package "pg"';
  const missing = Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });
  const { hint } = databaseFailure(missing) as Failure;
  assertStringIncludes(hint!, `npm install ${imports["pg"].replace("npm:", "")},`);
});

/** Returns the sites of a list, in chunks of any size. */
async function sitesOf(text: string, chunkLength = text.length || 1): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkLength) {
      yield await Promise.resolve(bytes.subarray(at, at + chunkLength));
    }
  }
  return await Array.fromAsync(new SiteList(chunks(), "sites.txt"));
}

Deno.test("lists of sites have URLs, hosts and JSON, in chunks of any size", async () => {
  const list = "\ufeffa.test\r\n\n  # comment\nhttp://b.test/x \n//c.test:81\n" +
    '{"url": "bücher.test", "wait": 5}\nd.test';
  for (const length of [1, 2, 7, 1000]) {
    assertEquals(await sitesOf(list, length), [
      { url: "a.test" },
      { url: "http://b.test/x" },
      { url: "//c.test:81" },
      { url: "bücher.test", wait: 5 },
      { url: "d.test" },
    ]);
  }
});

Deno.test("faults in lists of sites are reported with file and line", async () => {
  const faults = [
    ["# nothing\n\n", 'Empty list "sites.txt"'],
    ["./dist/", 'Cannot read line 1 of "sites.txt": "./dist/" is a path: expected a URL or a host'],
    ["a.test\n{x\n", 'Cannot read line 2 of "sites.txt": invalid JSON'],
    ['\n{"wait":5}', 'Cannot read line 2 of "sites.txt": no "url"'],
    [`a.test\n${"b".repeat(300_000)}`, 'Cannot read line 2 of "sites.txt": too long'],
  ] as const;
  for (const [text, message] of faults) {
    for (const length of [1000, text.length]) {
      const error = await assertRejects(() => sitesOf(text, length), UsageError);
      assertEquals(error.message, message);
    }
  }
});

const PROGRESS: FleetProgress = {
  run: "nov",
  paused: false,
  round: 2,
  total: 1000,
  done: 124,
  waiting: 3,
  suspects: 0,
  active: 9,
  pages: 34_000,
  verdicts: { complete: 100, partial: 12, none: 8, blocked: 1, failed: 3 },
  pagesPerSecond: 230.4,
  sitesPerSecond: 2,
  etaMs: 439_000,
};

Deno.test("the progress line of a fleet has the parts that fit", () => {
  const line = (width: number) => fittingLine(["12.0 s", ...progressParts(PROGRESS)], width);
  assertEquals(
    line(150),
    "12.0 s  nov  124/1,000 sites  34,000 pages  7:19 left  230/s  9 active  100 complete  " +
      "12 partial  8 none  1 blocked  3 failed  3 waiting  round 2",
  );
  assertEquals(line(40), "12.0 s  nov  124/1,000 sites");
  assertEquals(line(8), "12.0 s");
  const done = { ...PROGRESS, total: 124, etaMs: 0 };
  assertEquals(progressParts(done).slice(1, 4), ["124/124 sites", "34,000 pages", "230/s"]);
});

Deno.test("the status of a run names its hosts and what could not be read", () => {
  const time = new Date(Date.UTC(2024, 4, 1));
  const host = {
    host: "a.test",
    homepage: "https://a.test/",
    worker: "vm-1",
    since: new Date(time.getTime() - 72_000),
    notBefore: new Date(time.getTime() + 30_000),
  };
  const site = { verdict: "failed", pages: 0, tries: 0, code: undefined, finished: time } as const;
  const unread = [
    { ...site, homepage: "https://b.test/", reason: "stopped" },
    { ...site, homepage: "https://c.test/", reason: "https://c.test/robots.txt: 403" },
    { ...site, homepage: "https://d.test/", reason: undefined },
  ];
  const failures = ["timeout", "dns", "http-status", "network", "stopped", "maxWait"]
    .map((code, at) => ({ code, sites: 1200 - at }));
  const progress = { ...PROGRESS, suspects: 2 };
  assertEquals(statusLines({ time, progress, hosts: [host], failures, unread }), [
    "nov: active, round 2, 124 of 1,000 sites, 34,000 pages",
    "  100 complete, 12 partial, 8 none, 1 blocked, 3 failed, 3 waiting",
    "  2 sites/s, 230 pages/s, 7:19 left",
    "Suspects: 2, on a worker when it died, walked one at a time",
    "Failures: 1,200 timeout, 1,199 dns, 1,198 http-status, 1,197 network, 1,196 stopped, …; " +
    '"sitetree fleet sites nov --code CODE" lists them',
    "Active: 9",
    "     1:12  a.test, waits 30.0 s (vm-1)",
    "  and 8 more",
    "Blocked or failed: 4",
    "  https://b.test/: stopped",
    "  https://c.test/robots.txt: 403",
    "  https://d.test/: unknown reason",
    '  and 1 more; "sitetree fleet sites" lists them',
  ]);
  const idle = { ...PROGRESS, active: 0, pagesPerSecond: 0, sitesPerSecond: 0 };
  assertEquals(statusLines({ time, progress: idle, hosts: [], failures: [], unread: [] }), [
    "nov: idle, round 2, 124 of 1,000 sites, 34,000 pages",
    "  100 complete, 12 partial, 8 none, 1 blocked, 3 failed, 3 waiting",
  ]);
  for (
    const [changes, state] of [[{ paused: true }, "paused"], [{ total: 124 }, "done"]] as const
  ) {
    const progress = { ...idle, ...changes };
    const [first] = statusLines({ time, progress, hosts: [], failures: [], unread: [] });
    assert(first?.startsWith(`nov: ${state}, `), first);
  }
});

Deno.test("the summary of a run has its round and verdicts", () => {
  const verdicts = { complete: 2, partial: 0, none: 0, blocked: 0, failed: 0 };
  const done: FleetProgress = { ...PROGRESS, total: 2, done: 2, waiting: 0, pages: 1, verdicts };
  const endings = [
    [{}, "complete: 2 sites, 1 page, 1.5 s"],
    [{ none: 1, complete: 1 }, "complete: 2 sites (1 complete, 1 none), 1 page, 1.5 s"],
    [{ none: 2, complete: 0 }, "none: 2 sites, 1 page, 1.5 s"],
    [{ blocked: 2, complete: 0 }, "blocked: 2 sites, 1 page, 1.5 s"],
    [{ partial: 1, complete: 1 }, "partial: 2 sites (1 complete, 1 partial), 1 page, 1.5 s"],
    [{ failed: 1, complete: 1 }, "partial: 2 sites (1 complete, 1 failed), 1 page, 1.5 s"],
  ] as const;
  for (const [changes, expected] of endings) {
    const progress = { ...done, verdicts: { ...verdicts, ...changes } };
    assertEquals(summaryOf(progress, 1500), `nov, round 2: ${expected}`);
  }
  const none = { ...verdicts, complete: 0 };
  assertEquals(
    summaryOf({ ...PROGRESS, done: 0, waiting: 1, verdicts: none }, 1500),
    "nov, round 2: interrupted: 0 of 1,000 sites (1 waiting), 34,000 pages, 1.5 s",
  );
  assertEquals(
    summaryOf({ ...PROGRESS, done: 0, waiting: 0, paused: true, verdicts: none }, 1500),
    "nov, round 2: paused: 0 of 1,000 sites, 34,000 pages, 1.5 s",
  );
});
