import { assert, assertEquals } from "@std/assert";
import type { FleetProgress } from "../../src/fleet/mod.ts";
import { progressParts, statusLines, summaryOf } from "../../src/fleet/run_status.ts";
import { fittingLine } from "../../src/write/layout.ts";

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
