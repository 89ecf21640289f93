import { assertEquals } from "@std/assert";
import { parseArguments } from "../../src/cli/arguments.ts";
import { type Log, openLog } from "../../src/cli/run/log.ts";
import { Monitor } from "../../src/cli/run/monitor.ts";
import { Messages } from "../../src/cli/run/terminal.ts";
import { VERSION } from "../../src/data/version.ts";
import type { WorkEvent } from "../../src/fleet/mod.ts";
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

/** Events with what their entries have besides time and level, and whether a terminal has the message. */
const LINES: readonly (readonly [
  event: WorkEvent,
  line: string,
  fields: Readonly<Record<string, unknown>>,
  isShown?: boolean,
])[] = [
  [
    { type: "database-lost", reason: "connect ECONNREFUSED" },
    "WARN lost the connection to the database: connect ECONNREFUSED",
    { event: "database-lost", reason: "connect ECONNREFUSED" },
    true,
  ],
  [
    { type: "database-found" },
    "INFO connected to the database again after (time)",
    { event: "database-found", seconds: "(time)" },
    true,
  ],
  [
    { type: "lease-lost", site, reason: "the lease has ended" },
    "WARN lost the lease of https://a.test/: the lease has ended",
    { event: "lease-lost", site, reason: "the lease has ended" },
    true,
  ],
  [
    { ...walked, verdict: "blocked", code: "timeout", reason: "503 \x1b[1m", isGivenUp: true },
    "WARN gave up https://a.test/ (blocked): 503 \\x1b[1m",
    { event: "given-up", site, verdict: "blocked", code: "timeout", reason: "503 \x1b[1m" },
  ],
  [
    { ...walked, verdict: "failed", isGivenUp: true },
    "WARN gave up https://a.test/ (failed): no reason",
    { event: "given-up", site, verdict: "failed" },
  ],
  [
    { type: "fault", reason: "Cannot claim sites: no" },
    "WARN Cannot claim sites: no",
    { event: "fault", reason: "Cannot claim sites: no" },
  ],
  [
    { type: "fault", site, reason: "Cannot walk: no" },
    "WARN https://a.test/: Cannot walk: no",
    { event: "fault", site, reason: "Cannot walk: no" },
  ],
];

Deno.test("each event that is logged has a line and fields, and some are shown by a terminal", () => {
  for (const [event, line, fields, isShown = false] of LINES) {
    const pipe = logOf([]), terminal = logOf([], true), json = logOf(["--log", "json"]);
    for (const { log } of [pipe, terminal, json]) new Monitor(log).add(event);
    const lineOf = (text: string) => text.replace(/[\d:]+(?:\.\d s)?$/, "(time)");
    assertEquals(pipe.printed().map(event.type === "database-found" ? lineOf : String), [line]);
    assertEquals(terminal.printed().length, isShown ? 1 : 0, line);
    const { level, message, ...rest } = JSON.parse(json.printed()[0]!);
    if ("seconds" in rest) rest.seconds = "(time)";
    assertEquals(rest, fields);
    assertEquals(level, line.split(" ", 1)[0]!.toLowerCase());
    const [shown = message] = terminal.printed();
    assertEquals(message.replaceAll("\x1b", "\\x1b"), shown.replaceAll("\x1b", "\\x1b"));
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
});

Deno.test("cli.md has each event of the log", () => {
  const documented = tableRows(section(readText("docs/cli.md"), "Logs, health and metrics"))
    .flatMap(([cell = ""]) => codeSpans(cell)).filter((name) => !name.startsWith("/"));
  const ofWork = new Set(LINES.map(([, , { event }]) => event as string));
  assertEquals(documented, ["started", "serving", "progress", ...ofWork]);
});

// the sanitizers find a timer and a server that go on
Deno.test("start, address and progress are written, the latter again and again", async () => {
  const { log, printed } = logOf(["--log", "json"]);
  {
    using monitor = new Monitor(log, 1);
    await monitor.serve({ hostname: "127.0.0.1", port: 0 });
    let sites = 0;
    monitor.start("sites.db", () => ({ ...progress, sites: sites++ }), 1);
    while (printed().length < 4) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const [serving, started, first, second] = printed().map((line) => JSON.parse(line));
  assertEquals(serving, {
    ...{ level: "info", event: "serving", url: serving.url },
    message: `serving /healthz and /metrics at ${serving.url}`,
  });
  assertEquals(started, {
    ...{ level: "info", event: "started", version: VERSION, database: "sites.db", slots: 1 },
    message: `started: sitetree ${VERSION}, sites.db, 1 slot`,
  });
  assertEquals(first, {
    ...{ level: "info", event: "progress", ...progress, sites: 0, pagesPerSecond: 71.3 },
    message: "0 of 1,060 sites, 620,000 pages, 71 pages/s, 2 waiting",
  });
  assertEquals(second.sites, 1);
});
