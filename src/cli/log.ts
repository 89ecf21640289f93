import { format as formatBytes } from "@std/fmt/bytes";
import type { RequestReport } from "../../mod.ts";
import { count, excerpt } from "../data/text.ts";
import { openSync, writeSync } from "../platform/host.ts";
import { escapeControls } from "../write/escape.ts";
import type { Arguments } from "./arguments.ts";
import { isChange } from "./change_formats.ts";
import type { SourceEvent } from "./event_writer.ts";
import { fileFailure } from "./failure.ts";
import type { Screen } from "./terminal.ts";

export interface Log {
  /** 0 for nothing, 1 for sitemaps, 2 for requests too, 3 for pages too. */
  readonly level: number;
  /** Writes a line, if the level is high enough. */
  write(level: number, line: string): void;
}

export function openLog(args: Arguments, screen: Screen): Log {
  const path = args.value("log-file");
  const level = Math.max(args.all("verbose").length, path === undefined ? 0 : 1);
  const write = path === undefined ? (line: string) => screen.print(line) : fileWriter(path);
  return {
    level,
    write(lineLevel, line) {
      if (lineLevel > level) return;
      write(`${new Date().toISOString()} ${escapeControls(line)}`);
    },
  };
}

/** Unbuffered: the log must survive a crash. */
function fileWriter(path: string): (line: string) => void {
  const encoder = new TextEncoder();
  try {
    const descriptor = openSync(path, "a");
    return (line) => {
      const bytes = encoder.encode(`${line}\n`);
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    };
  } catch (error) {
    throw fileFailure("write", path, error);
  }
}

export function logRequest(log: Log, report: RequestReport): void {
  if (log.level >= 2) log.write(2, `DEBUG ${requestText(report)}`);
}

function requestText(report: RequestReport): string {
  const { phase, attempt, status, location = "", delayMs, reason = "", method = "GET" } = report;
  const url = excerpt(report.url);
  switch (phase) {
    case "request":
      return attempt > 1 ? `${method} ${url} (attempt ${attempt})` : `${method} ${url}`;
    case "redirect":
      return `${status} ${url} -> ${excerpt(location)}`;
    case "response":
      return `${status} ${url}`;
    case "retry":
      return `retry ${url} in ${delayMs} ms: ${excerpt(reason)}`;
    case "slow-down":
      return `slow down ${excerpt(new URL(report.url).host)}: ${excerpt(reason)}, ` +
        `${Math.round(report.intervalMs ?? 0)} ms between requests`;
    case "failure":
      return `failed ${url}: ${excerpt(reason)}`;
  }
}

export function logEvent(log: Log, event: SourceEvent): void {
  if (isChange(event)) {
    if (log.level >= 3) log.write(3, `DEBUG ${event.type} ${excerpt(event.page.url)}`);
    return;
  }
  const url = "sitemap" in event ? excerpt(event.sitemap.url) : "";
  switch (event.type) {
    case "sitemap-entered":
      return log.write(1, `INFO reading ${url} (${event.sitemap.type})`);
    case "sitemap-unchanged":
      return log.write(1, `INFO unchanged ${url} (${event.by}): ${count(event.pages, "page")}`);
    case "sitemap-left": {
      const { pages, bytes, complete } = event;
      const size = formatBytes(bytes) as string;
      const truncated = complete ? "" : ", truncated";
      return log.write(1, `INFO read ${url}: ${count(pages, "page")}, ${size}${truncated}`);
    }
    case "invalid":
      return log.write(1, `ERROR ${url}: ${excerpt(event.reason)} (${event.code})`);
    case "warning": {
      const line = event.line === undefined ? "" : `:${event.line}`;
      return log.write(1, `WARN ${url}${line}: ${excerpt(event.message)} (${event.code})`);
    }
    case "note":
      return log.write(2, `DEBUG ${url}: ${excerpt(event.message)} (${event.code})`);
    case "page":
      if (log.level >= 3) log.write(3, `DEBUG page ${excerpt(event.page.url)}`);
      return;
    case "finished": {
      const { requests, retries, probes } = event.stats;
      log.write(1, `INFO ${event.verdict}: requests ${requests}, retries ${retries}`);
      return log.write(2, `DEBUG ${count(probes, "known path")} requested`);
    }
  }
}
