import { assertEquals, assertThrows } from "@std/assert";
import type { RequestReport } from "../../mod.ts";
import { Metrics, runSamples } from "../../src/fleet/metrics.ts";
import type { FleetProgress, WorkEvent } from "../../src/fleet/mod.ts";
import { codeSpans, readText, section, tableRows } from "../docs/markdown.ts";
import { parseMetrics } from "../cli/prometheus.ts";

const PROGRESS: FleetProgress = {
  ...{
    run: "nov",
    paused: false,
    total: 100,
    round: 2,
    done: 7,
    waiting: 3,
    suspects: 2,
    active: 5,
  },
  ...{ pages: 0, pagesPerSecond: 0, sitesPerSecond: 0, etaMs: undefined },
  verdicts: { complete: 1, partial: 1, none: 2, blocked: 2, failed: 1 },
};

/** All values that differ from those of a process that has done nothing. */
function changesOf(change: (metrics: Metrics) => void): Record<string, number> {
  const valuesOf = (metrics: Metrics) =>
    new Map(
      [...parseMetrics(metrics.text([]))].flatMap(([name, { values }]) =>
        [...values].map(([labels, value]) => [`${name} ${labels}`.trim(), value])
      ),
    );
  const before = valuesOf(new Metrics()), metrics = new Metrics();
  change(metrics);
  const after = [...valuesOf(metrics)].filter(([name, value]) => before.get(name) !== value);
  return Object.fromEntries(after.map(([name, value]) => [name.replace(/^sitetree_/, ""), value]));
}

const site = "https://a.test/";
const walked = { type: "walked", site, pages: 3, bytes: 100, isGivenUp: false } as const;
const read = { pages_total: 3, read_bytes_total: 100 };
const url = "https://a.test/s.xml";
const request = { url, sitemap: url, attempt: 1 };

Deno.test("events of work change metrics", () => {
  const rows: readonly (readonly [event: WorkEvent, changes: Record<string, number>])[] = [
    [{ type: "pulse", walks: 7, late: 1 }, { active_walks: 7 }],
    [{ type: "claimed", sites: 5 }, {}],
    [{ ...walked, verdict: "none" }, { "sites_total verdict=none": 1, ...read }],
    [{ ...walked, verdict: "failed" }, { "sites_total verdict=failed": 1, ...read }],
    [{ ...walked, verdict: "partial", retryAfter: 0 }, { site_retries_total: 1, ...read }],
    [{ type: "lease-lost", site, reason: "" }, { lease_losses_total: 1 }],
    [{ type: "database-lost", reason: "" }, {}],
    [{ type: "database-found" }, {}],
    [{ type: "fault", reason: "" }, {}],
  ];
  for (const [event, changes] of rows) {
    assertEquals([event.type, changesOf((metrics) => metrics.add(event))], [event.type, changes]);
  }
});

Deno.test("reports of requests change metrics", () => {
  const rows: readonly (readonly [report: RequestReport, changes: Record<string, number>])[] = [
    [{ ...request, phase: "request" }, {}],
    [{ ...request, phase: "response", status: 200 }, { "requests_total status=2xx": 1 }],
    [{ ...request, phase: "response", status: 404 }, { "requests_total status=4xx": 1 }],
    [{ ...request, phase: "redirect", status: 301 }, { "requests_total status=3xx": 1 }],
    [{ ...request, phase: "redirect" }, { "requests_total status=3xx": 1 }],
    [
      { ...request, phase: "failure", code: "timeout" },
      { "request_failures_total code=timeout": 1 },
    ],
    [{ ...request, phase: "retry", delayMs: 5 }, { request_retries_total: 1 }],
    [{ ...request, phase: "slow-down", status: 429 }, { rate_limited_hosts: 1 }],
  ];
  for (const [report, changes] of rows) {
    const found = changesOf((metrics) => metrics.addRequest(report));
    assertEquals([report.phase, found], [report.phase, changes]);
  }
  const twice = changesOf((metrics) => {
    for (const path of ["1", "2"]) {
      const slow = { ...request, url: `https://a.test/${path}` };
      metrics.addRequest({ ...slow, phase: "slow-down", status: 429, delayMs: 60_000 });
    }
    metrics.addRequest({ ...request, phase: "slow-down", status: 429, delayMs: -20_000 });
  });
  assertEquals(twice, {}, "the host is one, and not slow any more");
});

Deno.test("the sites of a run add up to all of them, and labels are bounded", () => {
  const runs = Array.from({ length: 25 }, (_, at) => ({ ...PROGRESS, run: `${at}` }));
  const metrics = parseMetrics(new Metrics().text(runSamples(runs)));
  const { values } = metrics.get("sitetree_run_sites")!;
  assertEquals(values.size, 20 * 7);
  const first = [...values].filter(([labels]) => labels.startsWith("run=0 round=2 "));
  assertEquals(first.map(([labels, value]) => `${labels.split("=").at(-1)} ${value}`), [
    ...["complete 1", "partial 1", "none 2", "blocked 2", "failed 1", "waiting 3", "pending 90"],
  ]);
  assertEquals(first.reduce((sum, [, value]) => sum + value, 0), PROGRESS.total);
  assertEquals(metrics.get("sitetree_run_suspects")!.values.get("run=7 round=2"), 2);
});

Deno.test("labels are escaped", () => {
  const run = 'a"b\\c\nd{e="f"},\\n';
  const metrics = parseMetrics(new Metrics().text(runSamples([{ ...PROGRESS, run }])));
  assertEquals([...metrics.get("sitetree_run_suspects")!.values], [[`run=${run} round=2`, 2]]);
});

Deno.test("fleet.md has every metric, its type and its labels", () => {
  const metrics = new Metrics();
  metrics.addRequest({ ...request, phase: "failure", code: "dns" });
  const all = parseMetrics(metrics.text([
    ...runSamples([PROGRESS]),
    ...([
      "slots",
      "repeated_commits_total",
      "database_up",
      "lease_losses_total",
      "last_claim_age_seconds",
    ] as const).map((name) => [name, 1] as const),
  ]));
  const rows = tableRows(section(readText("docs/fleet.md"), "Monitoring"))
    .filter(([name = ""]) => name.startsWith("`sitetree_"));
  assertEquals(
    rows.map(([name = "", type, labels = ""]) => [
      codeSpans(name)[0],
      type,
      codeSpans(labels).filter((label) => !/^\d/.test(label)).join(),
    ]),
    [...all].map(([name, { type, values }]) => {
      const [labels = ""] = [...values.keys()];
      return [name, type, [...labels.matchAll(/(\w+)=/g)].map(([, label]) => label).join()];
    }),
  );
});

Deno.test("parseMetrics() refuses what is not of the format", () => {
  const head = "# HELP sitetree_a Text.\n# TYPE sitetree_a gauge\n";
  assertEquals([...parseMetrics(`${head}sitetree_a{b="c"} 1.5\n`).get("sitetree_a")!.values], [
    ["b=c", 1.5],
  ]);
  const faults = [
    head,
    `${head}sitetree_a 1`,
    `${head}sitetree_b 1\n`,
    `${head}sitetree_a NaN\n`,
    `${head}sitetree_a 1\nsitetree_a 2\n`,
    `${head}sitetree_a{b="c"d"} 1\n`,
    `${head}sitetree_a{b="c\\d"} 1\n`,
    `${head}sitetree_a 1\n${head}sitetree_a 1\n`,
    head.replace("gauge", "counter") + "sitetree_a 1\n",
    "sitetree_a 1\n",
  ];
  for (const text of faults) assertThrows(() => parseMetrics(text), Error, undefined, text);
});
