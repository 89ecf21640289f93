import { assertEquals } from "@std/assert";
import { parseArguments } from "../../src/cli/arguments.ts";
import { type Log, openLog } from "../../src/cli/run/log.ts";
import { Monitor } from "../../src/cli/run/monitor.ts";
import { Messages } from "../../src/cli/run/terminal.ts";
import { VERSION } from "../../src/data/version.ts";
import type { WorkProgress } from "../../src/fleet/open_runs.ts";
import { codeSpans, readText, section, tableRows } from "../docs/markdown.ts";

class RecordedMessages extends Messages {
  override isTerminal: boolean = false;
  readonly printed: string[] = [];

  override printLine(line: string): void {
    this.printed.push(line);
  }
}

/** Returns the log of a command line, and what it prints, without times. */
function logOf(words: string[], isTerminal = false): { log: Log; printed: () => string[] } {
  const args = parseArguments("sync", [...words, "sites.db"]);
  const messages = new RecordedMessages(args.has("quiet"), "never");
  messages.isTerminal = isTerminal;
  return { log: openLog(args, messages), printed: () => timeless(messages.printed) };
}

function timeless(lines: readonly string[]): string[] {
  return lines.map((line) =>
    line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /, "").replace(/"time":"[^"]+",/, "")
  );
}

const site = "https://a.test/";
const walked = { type: "walked", site, pages: 3, bytes: 100 } as const;
const progress: WorkProgress = {
  ...{ sites: 33, total: 1060, pages: 620_000, pagesPerSecond: 71.26, waiting: 2 },
};

/** What is written, its line elsewhere than on a terminal, and whether a terminal has it. */
const LINES: readonly (readonly [
  event: Parameters<Monitor["write"]>[0],
  line: string,
  isShown?: boolean,
])[] = [
  [
    { type: "started", version: "1.2.3", database: "postgres://me@db.test/a", slots: 50 },
    "INFO started: sitetree 1.2.3, postgres://me@db.test/a, 50 slots",
  ],
  [
    { type: "serving", url: "http://127.0.0.1:9090/" },
    "INFO serving /healthz and /metrics at http://127.0.0.1:9090/",
    true,
  ],
  [
    { type: "progress", ...progress },
    "INFO 33 of 1,060 sites, 620,000 pages, 71 pages/s, 2 waiting",
  ],
  [
    { type: "progress", ...progress, run: "nov", round: 2, runs: 1, suspects: 1 },
    "INFO nov, round 2: 33 of 1,060 sites, 620,000 pages, 71 pages/s, 2 waiting, 1 suspect",
  ],
  [
    { type: "progress", ...progress, runs: 3, suspects: 0 },
    "INFO 3 runs: 33 of 1,060 sites, 620,000 pages, 71 pages/s, 2 waiting, 0 suspects",
  ],
  [{ type: "progress", ...progress, runs: 0, suspects: 0 }, "INFO waiting for sites"],
  [
    { type: "database-lost", reason: "connect ECONNREFUSED" },
    "WARN lost the connection to the database: connect ECONNREFUSED",
    true,
  ],
  [
    { type: "database-found", seconds: 12.3 },
    "INFO connected to the database again after 12.3 s",
    true,
  ],
  [
    { type: "lease-lost", site, reason: "the lease has ended" },
    "WARN lost the lease of https://a.test/: the lease has ended",
    true,
  ],
  [
    { type: "given-up", site, verdict: "blocked", code: "http-status", reason: "503 \x1b[1m" },
    "WARN gave up https://a.test/ (blocked): 503 \\x1b[1m",
  ],
  [
    { type: "given-up", site, verdict: "failed" },
    "WARN gave up https://a.test/ (failed): no reason",
  ],
  [{ type: "fault", reason: "Cannot claim sites: no" }, "WARN Cannot claim sites: no"],
  [{ type: "fault", site, reason: "Cannot walk: no" }, "WARN https://a.test/: Cannot walk: no"],
];

Deno.test("each event that is logged has a line, and some have one on a terminal", () => {
  for (const [event, line, isShown = false] of LINES) {
    const pipe = logOf([]), terminal = logOf([], true);
    new Monitor(pipe.log).write(event);
    new Monitor(terminal.log).write(event);
    assertEquals(pipe.printed(), [line]);
    assertEquals(terminal.printed(), isShown ? [line.replace(/^\w+ /, "")] : [], line);
  }
});

Deno.test("pulses, claims and sites that are not given up have no line", () => {
  const { log, printed } = logOf([]);
  const monitor = new Monitor(log);
  monitor.add({ type: "pulse", walks: 1, late: 1 });
  monitor.add({ type: "claimed", sites: 3 });
  monitor.add({ ...walked, verdict: "blocked", reason: "404", isGivenUp: false });
  monitor.add({ ...walked, verdict: "partial", retryAfter: 5, isGivenUp: false });
  assertEquals(printed(), []);
  monitor.add({ ...walked, verdict: "partial", reason: "timeout", isGivenUp: true });
  monitor.add({ type: "database-lost", reason: "no" });
  monitor.add({ type: "database-found" });
  const [gaveUp, , found = ""] = printed();
  assertEquals(gaveUp, "WARN gave up https://a.test/ (partial): timeout");
  assertEquals(
    found.replace(/[\d.]+ s$/, "(time)"),
    "INFO connected to the database again after (time)",
  );
});

Deno.test("--log json has the fields of an event", () => {
  const { log, printed } = logOf(["--log", "json"]);
  for (const [event] of LINES) new Monitor(log).write(event);
  for (const [at, [{ type, ...fields }, line]] of LINES.entries()) {
    const { level, event, message, ...rest } = JSON.parse(printed()[at]!);
    assertEquals([level, event], [line.split(" ", 1)[0]!.toLowerCase(), type]);
    assertEquals(message.replaceAll("\x1b", "\\x1b"), line.replace(/^\w+ /, ""));
    assertEquals(rest, fields);
  }
});

Deno.test("cli.md has each event of the log", () => {
  const documented = tableRows(section(readText("docs/cli.md"), "Logs, health and metrics"))
    .flatMap(([cell = ""]) => codeSpans(cell)).filter((name) => !name.startsWith("/"));
  assertEquals(documented, [...new Set(LINES.map(([{ type }]) => type))]);
});

// the sanitizers find a timer that goes on
Deno.test("progress is written again and again, until the end", async () => {
  const { log, printed } = logOf([]);
  {
    using monitor = new Monitor(log, 1);
    let sites = 0;
    monitor.start("sites.db", () => ({ ...progress, sites: sites++ }), 1);
    while (printed().length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assertEquals(printed().slice(0, 3), [
    `INFO started: sitetree ${VERSION}, sites.db, 1 slot`,
    "INFO 0 of 1,060 sites, 620,000 pages, 71 pages/s, 2 waiting",
    "INFO 1 of 1,060 sites, 620,000 pages, 71 pages/s, 2 waiting",
  ]);
});
