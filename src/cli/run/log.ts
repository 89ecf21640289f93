import type { RequestReport } from "../../../mod.ts";
import { count, excerpt, startOf } from "../../data/text.ts";
import { size } from "../../data/words.ts";
import { openSync, writeSync } from "../../platform/host.ts";
import { isTerminal } from "../../platform/process.ts";
import { escapeControls, escapeControlsInJson } from "../../write/escape.ts";
import type { Arguments } from "../arguments.ts";
import { isChange } from "../../sync/change_rows.ts";
import type { SourceEvent } from "./event_writer.ts";
import { writeFailure } from "./failures.ts";
import type { FormatName } from "../format_names.ts";
import { Messages } from "./terminal.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** A line of the log. */
interface LogEntry {
  readonly level: LogLevel;
  /** What it is about, as a code. */
  readonly event: string;
  /** The same as a sentence. */
  readonly message: string;
  /** Details for programs, which only JSON has. */
  readonly [field: string]: string | number | boolean | undefined;
}

export interface Log {
  /** 0 for nothing, 1 for sitemaps, 2 for requests too, 3 for pages too. */
  readonly level: number;
  /** Writes an entry, if the level is high enough. */
  write(level: number, entry: LogEntry): void;
  /**
   * Writes an entry whatever the level, on a terminal only its message if `isShown`:
   *
   * | standard error is | `--log-file`  | and standard error                               |
   * | ----------------- | ------------- | ------------------------------------------------ |
   * | a terminal        | has the entry | the message, if `isShown` and unless `--quiet`   |
   * | a terminal        | is not given  | the same, but the entry with `-v`                |
   * | a file, a pipe    | has the entry | the entry, unless `--quiet`                      |
   * | a file, a pipe    | is not given  | the entry, unless `--quiet` is without `-v`      |
   */
  announce(entry: LogEntry, isShown: boolean): void;
}

/** Longest text in a field: lines are read by programs with a limit, and URLs may be long. */
const MAX_FIELD = 2000;

const FORMATS: Readonly<Record<FormatName<"log">, (entry: LogEntry) => string>> = {
  text: ({ level, message }) =>
    `${new Date().toISOString()} ${level.toUpperCase()} ${escapeControls(message)}`,
  json: ({ level, event, message, ...fields }) => {
    const shown = { time: new Date().toISOString(), level, event, message, ...fields };
    const short = (_: string, value: unknown) =>
      typeof value === "string" ? startOf(value, MAX_FIELD) : value;
    return escapeControlsInJson(JSON.stringify(shown, short));
  },
};

/** Returns how messages are printed, if every line on standard error is to be JSON. */
export function messageFormat(
  args: Pick<Arguments, "value">,
): ((line: string) => string) | undefined {
  if (args.value("log") !== "json" || isTerminal("stderr")) return undefined;
  return (line) => FORMATS.json({ level: "info", event: "message", message: line.trim() });
}

/** Prints the error that ends a command with `--log json`. */
export function printJsonError(message: string, hint: string | undefined): void {
  new Messages().printLine(FORMATS.json({ level: "error", event: "failed", message, hint }));
}

export function openLog(args: Arguments, messages: Messages): Log {
  const path = args.value("log-file");
  const level = Math.max(args.all("verbose").length, path === undefined ? 0 : 1);
  const format = FORMATS[args.value<FormatName<"log">>("log") ?? "text"];
  const toFile = path === undefined ? undefined : fileWriter(path);
  const toScreen = (line: string) => messages.printLine(line);
  const write = toFile ?? toScreen;
  return {
    level,
    write(entryLevel, entry) {
      if (entryLevel <= level) write(format(entry));
    },
    announce(entry, isShown) {
      const line = format(entry);
      toFile?.(line);
      const isVerbose = level > 0 && toFile === undefined;
      if (isVerbose || !messages.isTerminal && !messages.quiet) toScreen(line);
      else if (isShown) messages.note(entry.message);
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
    throw writeFailure(path, error);
  }
}

const REQUESTS: Readonly<
  Record<RequestReport["phase"], (report: RequestReport, url: string) => string>
> = {
  "request": ({ method = "GET", attempt }, url) =>
    `${method} ${url}${attempt > 1 ? ` (attempt ${attempt})` : ""}`,
  "redirect": ({ status, location = "" }, url) => `${status} ${url} -> ${excerpt(location)}`,
  "response": ({ status }, url) => `${status} ${url}`,
  "retry": ({ delayMs, reason = "" }, url) => `retry ${url} in ${delayMs} ms: ${excerpt(reason)}`,
  "slow-down": ({ url, reason = "", intervalMs = 0 }) =>
    `slow down ${excerpt(new URL(url).host)}: ${excerpt(reason)}, ` +
    `${Math.round(intervalMs)} ms between requests`,
  "failure": ({ reason = "" }, url) => `failed ${url}: ${excerpt(reason)}`,
};

export function logRequest(log: Log, report: RequestReport): void {
  if (log.level < 2) return;
  const { phase, ...fields } = report;
  const message = REQUESTS[phase](report, excerpt(report.url));
  log.write(2, { level: "debug", event: phase, message, ...fields });
}

export function logEvent(log: Log, event: SourceEvent): void {
  const { type } = event;
  const write = (level: number, severity: LogLevel, message: string, fields: object) =>
    log.write(level, { level: severity, event: type, message, ...fields });
  if (type === "page" || isChange(event)) {
    const { url } = event.page;
    if (log.level >= 3) write(3, "debug", `${type} ${excerpt(url)}`, { url });
    return;
  }
  const { url = "" } = "sitemap" in event ? event.sitemap : {};
  const shown = excerpt(url);
  switch (event.type) {
    case "sitemap-entered": {
      const { type: kind } = event.sitemap;
      return write(1, "info", `reading ${shown} (${kind})`, { url, kind });
    }
    case "sitemap-unchanged": {
      const { by, pages } = event;
      const message = `unchanged ${shown} (${by}): ${count(pages, "page")}`;
      return write(1, "info", message, { url, by, pages });
    }
    case "sitemap-left": {
      const { pages, bytes, complete } = event;
      const truncated = complete ? "" : ", truncated";
      const message = `read ${shown}: ${count(pages, "page")}, ${size(bytes)}${truncated}`;
      return write(1, "info", message, { url, pages, bytes, complete });
    }
    case "invalid": {
      const { code, reason } = event;
      return write(1, "error", `${shown}: ${excerpt(reason)} (${code})`, { url, code, reason });
    }
    case "warning": {
      const { code, line } = event;
      const place = line === undefined ? "" : `:${line}`;
      const message = `${shown}${place}: ${excerpt(event.message)} (${code})`;
      return write(1, "warn", message, { url, code, line });
    }
    case "note": {
      const { code } = event;
      return write(2, "debug", `${shown}: ${excerpt(event.message)} (${code})`, { url, code });
    }
    case "finished": {
      const { verdict, stats: { requests, retries, probes } } = event;
      const message = `${verdict}: requests ${requests}, retries ${retries}`;
      write(1, "info", message, { verdict, requests, retries });
      const asked = `${count(probes, "known path")} requested`;
      return log.write(2, { level: "debug", event: "probed", message: asked, probes });
    }
  }
}
