/**
 * The log of `-v`, on standard error or in a file.
 *
 * @module
 */

import { format as formatBytes } from "@std/fmt/bytes";
import type { TreeEvent } from "../events.ts";
import { excerpt } from "../excerpt.ts";
import { escapeControls } from "../write/escape.ts";
import type { Arguments } from "./arguments.ts";
import { fileFailure } from "./file_failure.ts";
import type { Screen } from "./screen.ts";
import { count } from "./wording.ts";

/** Takes lines for people who want to know. */
export interface Log {
  /** 0 for nothing, 1 for what is told of sitemaps, 2 for what is told of pages too. */
  readonly level: number;
  /** Writes a line, if the level is high enough. */
  tell(level: number, line: string): void;
}

/** Opens the log that the arguments ask for. */
export function openLog(args: Arguments, screen: Screen): Log {
  const path = args.value("log-file");
  const verbose = args.count("verbose");
  const level = Math.max(verbose, path === undefined ? 0 : 1);
  const write = path === undefined ? (line: string) => screen.print(line) : fileWriter(path);
  return {
    level,
    tell(lineLevel, line) {
      if (lineLevel > level) return;
      write(`${new Date().toISOString()} ${escapeControls(line)}`);
    },
  };
}

/** Appends lines to a file, each at once, so that the log is there when things go wrong. */
function fileWriter(path: string): (line: string) => void {
  const encoder = new TextEncoder();
  try {
    const file = Deno.openSync(path, { create: true, append: true });
    return (line) => {
      const bytes = encoder.encode(`${line}\n`);
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    };
  } catch (error) {
    throw fileFailure("write", path, error);
  }
}

/** Tells of an event. */
export function logEvent(log: Log, event: TreeEvent): void {
  const url = "sitemap" in event ? excerpt(event.sitemap.url) : "";
  switch (event.type) {
    case "sitemap-entered":
      return log.tell(1, `INFO reading ${url} (${event.sitemap.type})`);
    case "sitemap-left": {
      const { pages, bytes, complete } = event;
      const size = formatBytes(bytes) as string;
      const cut = complete ? "" : ", cut short";
      return log.tell(1, `INFO read ${url}: ${count(pages, "page")}, ${size}${cut}`);
    }
    case "invalid":
      return log.tell(1, `ERROR ${url}: ${excerpt(event.reason)} (${event.code})`);
    case "warning": {
      const place = event.line === undefined ? "" : `:${event.line}`;
      return log.tell(1, `WARN ${url}${place}: ${excerpt(event.message)} (${event.code})`);
    }
    case "page":
      if (log.level >= 2) log.tell(2, `DEBUG page ${excerpt(event.page.url)}`);
      return;
    case "finished": {
      const { requests, retries, probes } = event.stats;
      log.tell(1, `INFO ${event.verdict}: ${requests} requests, ${retries} retries`);
      return log.tell(2, `DEBUG ${probes} known paths were asked for`);
    }
  }
}
