/**
 * The commands and their options: what the parser, the help and the completions go by.
 *
 * @module
 */

import { CSV_COLUMNS } from "../write/csv.ts";

/** The commands. */
export const COMMANDS = {
  ls: "list the sitemaps of a site and the pages in them",
  stats: "report on the sitemaps of a site",
  parse: "read one sitemap from a file or from standard input",
  replay: "read saved events as if walking",
  demo: "walk a small site that comes with sitetree",
  completions: "print completions for bash, zsh or fish",
} as const;

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** The formats of `ls`, `parse` and `replay`. */
export const FORMATS = {
  "tree": "the tree as it grows",
  "tabtree": "sitemaps and pages, nested by tabs",
  "pages": "a URL a line",
  "ndjson": "a page a line, as JSON",
  "json": "all pages as one JSON array",
  "csv": "a page a row",
  "xml": "one XML sitemap with all pages",
  "events": "every event of the walk, as NDJSON",
  "sitemaps": "a table of the sitemaps",
  "sitemaps-csv": "a sitemap a row",
  "sitemaps-ndjson": "a sitemap a line, as JSON",
} as const;

/** The name of a format. */
export type FormatName = keyof typeof FORMATS;

/** The formats of `stats`. */
export const REPORT_FORMATS = {
  text: "a report to read",
  json: "the same figures as one JSON object",
} as const;

/** The name of a format of `stats`. */
export type ReportFormatName = keyof typeof REPORT_FORMATS;

/** The hosts that sitemaps may come from. */
export const HOSTS = {
  "any": "every host",
  "same-host": "the host of the site alone",
  "same-site": "the site with all its subdomains",
} as const;

/** The name of a rule about hosts. */
export type HostsName = keyof typeof HOSTS;

/** The orders of a walk. */
export const ORDERS = {
  document: "as the sitemaps declare",
  arrival: "as the responses arrive",
} as const;

/** When colors are used. */
export const COLORS = {
  auto: "on a terminal, unless NO_COLOR is set",
  always: "everywhere",
  never: "nowhere",
} as const;

/** The shells that completions are made for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** The name of a shell. */
export type ShellName = typeof SHELLS[number];

/** The headings of the help, in order. */
export const GROUPS = [
  "Output",
  "Where to start",
  "Which sitemaps and pages",
  "Limits",
  "Requests",
  "Messages",
] as const;

/** An option. */
export interface OptionSpec {
  /** Its name without dashes. */
  readonly name: string;
  /** Its letter. */
  readonly short?: string;
  /** Name of its value in the help; absent for a flag. */
  readonly value?: string;
  /** Whether it may be given several times. */
  readonly many?: boolean;
  /** The words it may have for a value, with their meanings. */
  readonly choices?: Readonly<Record<string, string>>;
  /** The words that it takes a list of, separated by commas. */
  readonly items?: readonly string[];
  /** Its effect, in a few words. */
  readonly about: string;
  /** Heading of the help below which it is listed. */
  readonly group: typeof GROUPS[number];
  /** The commands that have it. */
  readonly commands: readonly CommandName[];
}

const LISTS: readonly CommandName[] = ["ls", "parse", "replay"];
const WALKS: readonly CommandName[] = ["ls", "stats"];
const READS: readonly CommandName[] = ["ls", "stats", "parse", "replay"];
const ALL: readonly CommandName[] = ["ls", "stats", "parse", "replay", "demo", "completions"];

type Row = Omit<OptionSpec, "group" | "commands">;

function group(
  name: OptionSpec["group"],
  commands: readonly CommandName[],
  rows: readonly Row[],
): OptionSpec[] {
  return rows.map((row) => ({ ...row, group: name, commands }));
}

/** Every option. */
export const OPTIONS: readonly OptionSpec[] = [
  ...group("Output", LISTS, [
    { name: "format", short: "f", value: "FORMAT", choices: FORMATS, about: "output format" },
  ]),
  ...group("Output", ["stats"], [
    {
      name: "format",
      short: "f",
      value: "FORMAT",
      choices: REPORT_FORMATS,
      about: "output format",
    },
  ]),
  ...group("Output", READS, [
    {
      name: "output",
      short: "o",
      value: "FILE",
      about: "write FILE atomically; .gz is compressed",
    },
    { name: "discard-partial", about: "drop FILE.part when interrupted" },
  ]),
  ...group("Output", LISTS, [
    { name: "split", value: "DIR", about: "write XML sitemaps and their index into DIR" },
    {
      name: "columns",
      value: "LIST",
      items: ["all", "help", ...CSV_COLUMNS],
      about: "columns of csv: names, or all; help lists them",
    },
    { name: "unique", about: "write each page URL once" },
    { name: "strip-url", short: "u", about: "omit the origin of the site in URLs" },
  ]),
  ...group("Where to start", READS, [
    { name: "from", value: "FILE", many: true, about: "read operands from FILE, one a line" },
  ]),
  ...group("Where to start", WALKS, [
    { name: "no-robots", short: "r", about: "do not read robots.txt" },
    { name: "no-known", short: "k", about: "do not probe known paths" },
    { name: "known-path", value: "PATH", many: true, about: "probe PATH too" },
  ]),
  ...group("Where to start", ["ls", "stats", "parse"], [
    { name: "url", value: "URL", about: "URL that a file was downloaded from" },
  ]),
  ...group("Which sitemaps and pages", WALKS, [
    { name: "include", value: "REGEX", many: true, about: "only pages of sitemaps that match" },
    { name: "exclude", value: "REGEX", many: true, about: "skip sitemaps that match" },
  ]),
  ...group("Which sitemaps and pages", READS, [
    { name: "match", value: "REGEX", many: true, about: "only pages that match" },
    { name: "ignore", value: "REGEX", many: true, about: "no pages that match" },
    { name: "ignore-case", short: "i", about: "match regular expressions in any case" },
    { name: "since", value: "DATE", about: "only pages modified since DATE" },
    { name: "undated", about: "with --since, keep pages without a date" },
  ]),
  ...group("Which sitemaps and pages", WALKS, [
    { name: "no-prune", about: "with --since, read sitemaps dated earlier too" },
  ]),
  ...group("Limits", READS, [
    { name: "max-pages", value: "N", about: "stop after N pages" },
  ]),
  ...group("Limits", WALKS, [
    { name: "max-sitemaps", value: "N", about: "stop after N sitemaps" },
    { name: "max-depth", value: "N", about: "deepest level to read" },
  ]),
  ...group("Limits", ["ls", "stats", "parse"], [
    { name: "max-bytes", value: "SIZE", about: "read at most SIZE of each sitemap" },
  ]),
  ...group("Limits", WALKS, [
    { name: "deadline", value: "TIME", about: "stop after TIME" },
  ]),
  ...group("Requests", WALKS, [
    { name: "hosts", value: "WHICH", choices: HOSTS, about: "hosts to contact" },
    { name: "respect-robots", about: "obey Disallow and Crawl-delay" },
    { name: "concurrency", value: "N", about: "requests at once" },
    { name: "order", value: "ORDER", choices: ORDERS, about: "order of the output" },
    { name: "wait", value: "TIME", about: "pause between requests to a host" },
    { name: "random-wait", about: "vary --wait from half to one and a half" },
    { name: "timeout", value: "TIME", about: "give up a request after TIME without a byte" },
    { name: "retries", value: "N", about: "retries of a sitemap" },
    { name: "header", short: "H", value: "LINE", many: true, about: 'send "Name: value"' },
    { name: "user-agent", short: "A", value: "TEXT", about: "User-Agent to send" },
    {
      name: "proxy",
      value: "URL",
      about: "proxy to use; else HTTP_PROXY, HTTPS_PROXY and NO_PROXY are honoured",
    },
    { name: "insecure", about: "accept invalid certificates" },
  ]),
  ...group("Messages", READS, [
    { name: "quiet", short: "q", about: "no progress and no summary" },
    { name: "verbose", short: "v", many: true, about: "log sitemaps; -vv requests too" },
    { name: "log-file", short: "l", value: "LOG_FILE", about: "append the log to LOG_FILE" },
  ]),
  ...group("Messages", ALL, [
    { name: "color", value: "WHEN", choices: COLORS, about: "use colors" },
    { name: "help", short: "h", about: "print help" },
  ]),
];

/** The options of a command. */
export function optionsOf(command: CommandName): readonly OptionSpec[] {
  return OPTIONS.filter(({ commands }) => commands.includes(command));
}
