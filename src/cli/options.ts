/**
 * The table of options that parsing, help and completions derive from.
 *
 * A new option is one row: its name, its letter, the parser of its value, and its help text.
 *
 * @module
 */

import { RULE_CODES, RULES as CHECK_RULES } from "../check/rules.ts";
import { SYNC_NUMBERS, WALK_NUMBERS } from "../data/limits.ts";
import { grouped } from "../data/text.ts";
import { VERDICTS } from "../data/words.ts";
import type { FleetVerdict } from "../fleet/progress.ts";
import { defaultColumns, LIST_COLUMNS, parseColumns } from "./columns.ts";
import { COMMAND_NAMES, type CommandName, FLEET_NAMES } from "./commands.ts";
import { FORMAT_NAMES } from "./format_names.ts";
import { DIFF_FIELDS, parseFields } from "./diff_fields.ts";
import { parseSiteCode, SITE_CODES } from "./commands/fleet/codes.ts";
import type { ColorName } from "./run/terminal.ts";
import {
  listOf,
  oneOf,
  parseDatabase,
  parseHeader,
  parseHeaderValue,
  parseHttpUrl,
  parseListenAddress,
  parseOrigins,
  parseProxy,
  parseRegexp,
  parseSince,
  parseSize,
  parseTime,
  parseTimeOrNever,
  timeFrom,
  timeText,
  type ValueParser,
  wholeNumber,
} from "./values.ts";

const COLORS: Readonly<Record<ColorName, string>> = {
  auto: "on a terminal, unless NO_COLOR is set",
  always: "on files and pipes too",
  never: "without colors",
};

const FLEET_VERDICTS: Readonly<Record<FleetVerdict, string>> = {
  ...VERDICTS,
  failed: "its worker stopped again and again",
};

export interface OptionSpec {
  /** Name without dashes. */
  readonly name: string;
  readonly short?: string | undefined;
  /** Placeholder of the value in the help; absent for a flag, in brackets if it may be left out. */
  readonly value?: string | undefined;
  /** Parser of the value. Default: the text as it is. */
  readonly parse?: ValueParser;
  readonly many?: boolean;
  /** The possible values and their meanings. */
  readonly choices?: Readonly<Record<string, string>>;
  /** The words of a comma-separated value and their meanings. */
  readonly items?: Readonly<Record<string, string>>;
  /** The possible values and their meanings, if they are too many for the help. */
  readonly words?: Readonly<Record<string, string>>;
  /** Its value if it is not given, as the help writes it; absent for a flag. */
  readonly default?: string;
  /** The option of `walk()` or `sync()` that it sets. */
  readonly field?: string;
  readonly about: string;
  readonly group: string;
  readonly commands: readonly CommandName[];
}

const CHANGES: readonly CommandName[] = ["sync", "changes"];
const SNAPSHOT_TABLES: readonly CommandName[] = ["snapshot sites", "snapshot runs"];
const TABLES: readonly CommandName[] = [...SNAPSHOT_TABLES, "fleet sites"];
const SAMPLES: readonly CommandName[] = ["ls", "check"];
const CHECKS: readonly CommandName[] = ["check", "report"];
const LISTED_WALKS: readonly CommandName[] = ["ls", ...CHECKS];
const WALKS: readonly CommandName[] = [...LISTED_WALKS, "diff"];
const WORKS: readonly CommandName[] = ["fleet work"];
/** Commands that may work as a service. */
const UNATTENDED: readonly CommandName[] = ["sync", ...WORKS];
const REQUESTS: readonly CommandName[] = [...WALKS, "explain", "sync", ...WORKS];
const SELECTS: readonly CommandName[] = [...WALKS, "sync"];
const OUTPUTS: readonly CommandName[] = [
  ...[...SELECTS, "explain", "changes"] as const,
  ...TABLES,
];
/** Commands that may read or write a snapshot in PostgreSQL. */
const CONNECTS: readonly CommandName[] = [
  ...[...WALKS, ...CHANGES],
  ...COMMAND_NAMES.filter((name) => name.includes(" ")),
];

type Row = Omit<OptionSpec, "group">;
type More = Partial<Pick<Row, "parse" | "many" | "choices" | "items" | "words" | "default">>;

const USAGE_REGEXP = /^(?:-(\w), )?--([a-z-]+)(?: ([A-Z_=|]+|\[N\]))?$/;

/** Parsers of values by their placeholders. */
const PARSERS: Readonly<Record<string, ValueParser>> = {
  "N": wholeNumber(1),
  "[N]": wholeNumber(1),
  "TIME": parseTime,
  "SIZE": parseSize,
  "DATE": parseSince,
  "REGEX": parseRegexp,
  "LINE": parseHeader,
  "TEXT": parseHeaderValue,
  "ADDRESS": parseListenAddress,
  "FROM=TO": parseOrigins,
};

/**
 * Returns the row of an option by its usage, such as `-o, --output FILE`, and its default or what else
 * there is to say.
 */
function row(
  commands: Row["commands"],
  usage: string,
  about: string,
  more: string | More = {},
  parse: ValueParser | undefined = undefined,
): Row {
  const [, short, name = "", value] = USAGE_REGEXP.exec(usage) ?? [];
  parse ??= PARSERS[value ?? ""];
  return {
    ...{ name, short, value, about, commands },
    ...(parse !== undefined && { parse }),
    ...(typeof more === "string" ? { default: more } : more),
  };
}

const NUMBERS: Readonly<Record<string, readonly [min: number, usual: number]>> = {
  ...WALK_NUMBERS,
  ...SYNC_NUMBERS,
};

/**
 * Returns the row of an option that `walk()` or `syncAll()` has under the same name, in camel case, with
 * its lowest value and its default.
 */
function ruleRow(...[commands, usage, about, more]: Parameters<typeof row>): Row {
  const { name, value, parse } = row(commands, usage, about);
  const field = fieldName(name), [min = 0, usual] = NUMBERS[field] ?? [];
  const parser = value === "N" ? wholeNumber(min) : value === "TIME" ? timeFrom(min) : parse;
  return {
    field,
    ...(value !== undefined && usual !== undefined && { default: defaultText(usual, value) }),
    ...row(commands, usage, about, more, parser),
  };
}

/** Returns the name of an option in camel case. */
export function fieldName(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns a default as the user would write it, apart from commas in long numbers. */
function defaultText(value: number, placeholder: string): string {
  if (value === Infinity) return "none";
  if (placeholder === "TIME") return timeText(value);
  return placeholder === "SIZE" ? `${value / 2 ** 20}MiB` : grouped(value);
}

/** The first of the choices is the default. */
function choice(choices: Readonly<Record<string, string>>, usual?: string): More {
  const words = Object.keys(choices);
  return { choices, parse: oneOf(words), default: usual ?? words[0]! };
}

/** Words between commas that are too many for the help of a command: `help` as a value lists them. */
function list(noun: string, parse: ValueParser, items: Readonly<Record<string, string>>): More {
  return {
    parse: (text, name) => text === "help" ? text : parse(text, name),
    items: { help: `list the ${noun}`, ...items },
  };
}

function group(name: string, rows: readonly Row[]): OptionSpec[] {
  return rows.map((row) => ({ ...row, group: name }));
}

const RULE_TITLES = Object.fromEntries(
  RULE_CODES.map((code) => [code, CHECK_RULES[code].title]),
);
const parseCodes = listOf("rule", RULE_CODES, "--only help lists them");
const RULE_LIST = { ...list("rules", parseCodes, RULE_TITLES), many: true, default: "all" };
const MANY = { many: true, default: "none" } as const;
const FROM_ALL = { many: true, default: "all" } as const;
const ROW_FORMATS = Object.keys(FORMAT_NAMES.rows).join(", ");
const VERBOSE = { many: true } as const;
const LAST_RUNS = "those of the last run of each site";

export const OPTIONS: readonly OptionSpec[] = [
  ...group("Output", [
    row(["ls"], "-f, --format FORMAT", "output format", {
      // checked when it is known what is listed
      choices: FORMAT_NAMES.list,
      default: "tree",
    }),
    row(["ls"], "--sitemaps", `list sitemaps instead of pages; formats: ${ROW_FORMATS}`),
    row(["check"], "-f, --format FORMAT", "output format", choice(FORMAT_NAMES.check)),
    row(["report"], "-f, --format FORMAT", "output format", choice(FORMAT_NAMES.report)),
    row(["explain"], "-f, --format FORMAT", "output format", choice(FORMAT_NAMES.explain)),
    row(["sync"], "-f, --format FORMAT", "print changes", choice(FORMAT_NAMES.changes, "none")),
    row(["changes"], "-f, --format FORMAT", "output format", choice(FORMAT_NAMES.changes)),
    row(["diff"], "-f, --format FORMAT", "output format", choice(FORMAT_NAMES.diff)),
    row(TABLES, "-f, --format FORMAT", "output format", choice(FORMAT_NAMES.rows)),
    row(["fleet status"], "-f, --format FORMAT", "output format", choice(FORMAT_NAMES.fleetStatus)),
    row(OUTPUTS, "-o, --output FILE", "write FILE atomically; .gz compresses", "standard output"),
    row(OUTPUTS, "--discard-partial", "delete FILE.part when interrupted"),
    row(["ls"], "--columns LIST", "columns of csv: names, or all; help lists them", {
      ...list("columns", parseColumns, {
        all: "every column",
        ...Object.fromEntries(LIST_COLUMNS.map(({ name, about }) => [name, about])),
      }),
      default: defaultColumns(false).join(","),
    }),
    row(
      ["ls", "diff", ...CHANGES, ...TABLES],
      "--bom",
      "begin csv with a byte order mark, for spreadsheets",
    ),
    row(["ls"], "--all", "show all pages of the tree on a terminal, not 10 of each sitemap"),
    ruleRow(["ls"], "--notes", "keep facts that are not warnings, with -f events"),
    row(["ls"], "--unique", "write each page URL once"),
    row(["ls"], "-u, --strip-url", "omit the origin of the site from URLs"),
    row(["changes"], "--summary", "print the number of changes of each site instead"),
    row(["diff"], "--summary", "print the number of differences instead"),
    row(["changes"], "--exit-code", "exit with 10 if there are changes"),
    row(["diff"], "--exit-code", "exit with 10 if there are differences"),
  ]),
  ...group("Rules", [
    row(
      ["check"],
      "--fail-on SEVERITY",
      "exit with 11 if there are findings of this severity or a worse one",
      choice({ error: "errors", warning: "warnings and errors", notice: "any finding" }),
    ),
    row(["report"], "--no-check", "leave out the findings"),
    row(["check"], "--pages [N]", "also request the pages, or a sample of N of them", "none"),
    row(CHECKS, "--only CODE", "judge these rules; help lists them", RULE_LIST),
    row(CHECKS, "--skip CODE", "judge all rules but these", { ...RULE_LIST, default: "none" }),
    row(CHECKS, "--agent NAME", "crawler that robots.txt is read for", "*"),
    row(
      CHECKS,
      "--config FILE",
      "read settings of the check from FILE",
      "sitetree.json, if there is one",
    ),
  ]),
  ...group("Fleet", [
    row(
      FLEET_NAMES,
      "--database URL",
      "PostgreSQL, as postgres://user@host/name",
      { parse: parseDatabase, default: "SITETREE_DATABASE in the environment" },
    ),
    row(["fleet enqueue"], "--every TIME", "begin the next round by itself after TIME", {
      parse: timeFrom(1000),
      default: "never",
    }),
    row(WORKS, "--run NAME", "walk the sites of this run only", "all"),
    ruleRow(WORKS, "--slots N", "sites to walk at a time"),
    row(WORKS, "--per-host N", "workers on a host at a time", "1"),
    row(
      WORKS,
      "--lease TIME",
      "time after which the sites of a worker that has stopped go to others",
      // it is extended several times
      { parse: timeFrom(10_000), default: "30s" },
    ),
    row(["fleet work"], "--drain", "end when all sites are finished"),
    row(
      ["fleet sites"],
      "--verdict VERDICT",
      "only sites with this verdict",
      choice(FLEET_VERDICTS, "all"),
    ),
    row(["fleet sites"], "--code CODE", "only sites that are not complete for this reason", {
      parse: parseSiteCode,
      words: SITE_CODES,
      default: "all",
    }),
    row(
      ["fleet retry"],
      "--verdict VERDICT",
      "sites with this verdict",
      choice(FLEET_VERDICTS, "failed"),
    ),
    row(["fleet retry"], "--site URL", "this site, whatever its verdict", "none", parseHttpUrl),
    row(["fleet status"], "--watch", "update until the run is finished"),
    row(["fleet drop"], "--yes", "delete without a question"),
  ]),
  ...group("PostgreSQL", [
    row(CONNECTS, "--connections N", "connections at a time", "10", wholeNumber(2)),
    row(CONNECTS, "--pooled", "the server is a pool, such as PgBouncer in transaction mode"),
  ]),
  ...group("Where to start", [
    row([...LISTED_WALKS, "explain"], "--from FILE", "read operands from FILE, one per line", MANY),
    row(["sync"], "--from FILE", "read sites from FILE, one per line, perhaps with options", MANY),
    row(REQUESTS, "-r, --no-robots", "do not read robots.txt"),
    row(REQUESTS, "-k, --no-known", "do not probe known paths"),
    row(
      REQUESTS,
      "--homepage WHEN",
      "read the sitemaps that the homepage names",
      choice({
        fallback: "if no sitemap was found before",
        always: "in any case",
        never: "not at all, as with --no-known",
      }),
    ),
    row(REQUESTS, "--feeds", "read the feeds that the homepage names if nothing else was found"),
    row(REQUESTS, "--known-path PATH", "also probe PATH", MANY),
    row(WALKS, "--url URL", "URL of a sitemap file, or at which a folder is served", {
      parse: parseHttpUrl,
      default: "its file: URL, or the origin that files of the folder name",
    }),
    row(["explain"], "--url URL", "URL at which a folder is served", {
      parse: parseHttpUrl,
      default: "the origin that files of the folder name",
    }),
    row(["ls", "report"], "--site URL", "only this site of a snapshot", "all"),
    row(["ls"], "--run NAME", "only the sites of this run of a fleet", "all"),
    row(["check", "diff"], "--site URL", "site of a snapshot that has several", "the only one"),
    row(["changes", "snapshot runs"], "--site URL", "only this site", "all"),
  ]),
  ...group("Which sitemaps and pages", [
    row(SELECTS, "--include REGEX", "only pages of sitemaps that match", FROM_ALL),
    row(SELECTS, "--exclude REGEX", "skip sitemaps that match", MANY),
    row(WALKS, "--match REGEX", "only pages that match", FROM_ALL),
    row(WALKS, "--ignore REGEX", "skip pages that match", MANY),
    row(SELECTS, "-i, --ignore-case", "ignore case in regular expressions"),
    row(WALKS, "--since DATE", "only pages modified since DATE", "all"),
    row(WALKS, "--undated", "with --since, keep pages without a date"),
    row(WALKS, "--no-prune", "with --since, also read sitemaps dated earlier"),
    row(SAMPLES, "--sample N", "only N pages, chosen at random", "all"),
    row(SAMPLES, "--per-pattern N", "only N pages of each URL pattern, chosen at random", "all"),
    row(SAMPLES, "--seed N", "seed of a sample: the same one chooses the same pages", {
      parse: wholeNumber(0),
      default: "random",
    }),
  ]),
  ...group("What is compared", [
    row(["diff"], "--ignore-origin", "compare path and query of URLs, whatever their origin"),
    row(["diff"], "--fields LIST", "fields whose differences count, or none", {
      parse: parseFields,
      default: "all",
      items: DIFF_FIELDS,
    }),
  ]),
  ...group("Which changes", [
    row(["changes"], "--after N", "changes after number N", LAST_RUNS, wholeNumber(0)),
    row(["changes"], "--since DATE", "changes since DATE", LAST_RUNS),
    row(["changes"], "--consumer NAME", "changes that NAME has not acknowledged", "none"),
    row(["changes"], "--ack", "with --consumer, acknowledge what was written"),
  ]),
  ...group("Snapshot", [
    ruleRow(["sync"], "--dry-run", "compare, and write nothing"),
    ruleRow(["sync"], "--full", "read all sitemaps, even if they are unchanged"),
    ruleRow(["sync"], "--trust-lastmod", "skip sitemaps whose index declares the same date"),
    ruleRow(["sync"], "--allow-mass-removal", "remove more than half of the pages at once"),
    ruleRow(["sync"], "--slots N", "sites to walk at a time, one of each host"),
    ruleRow(["sync"], "--confirm-after TIME", "time after which a second run confirms a loss"),
    ruleRow(
      ["sync"],
      "--accept-after TIME",
      "time after which a mass removal is accepted, or never",
      { parse: parseTimeOrNever },
    ),
    row(["snapshot prune"], "--keep-changes TIME", "keep the changes of the last TIME", "none"),
    row(
      ["sync", "snapshot prune"],
      "--keep-runs N",
      "keep the changes since the last N runs of each site",
      "all",
    ),
    row(
      ["sync", "fleet work", "snapshot prune"],
      "--keep-quiet-runs TIME",
      "keep runs without changes for TIME (never: delete none)",
      { parse: parseTimeOrNever, default: "30d" },
    ),
    row(
      ["snapshot prune"],
      "--ignore-consumers",
      "also delete what a consumer has not acknowledged",
    ),
    row(
      ["snapshot forget"],
      "--sitemap URL",
      "forget only this sitemap, and what only it leads to",
      { parse: parseHttpUrl, default: "all" },
    ),
  ]),
  ...group("Limits", [
    ruleRow(WALKS, "--max-pages N", "stop after N pages"),
    ruleRow(WORKS, "--max-pages N", "stop a site after N pages"),
    ruleRow(SELECTS, "--max-sitemaps N", "stop after N sitemaps"),
    ruleRow(WORKS, "--max-sitemaps N", "stop a site after N sitemaps"),
    ruleRow(REQUESTS, "--max-depth N", "deepest level to read"),
    ruleRow([...SELECTS, ...WORKS], "--max-bytes SIZE", "read at most SIZE of each sitemap"),
    ruleRow([...SELECTS, "explain"], "--deadline TIME", "stop after TIME"),
    ruleRow(WORKS, "--deadline TIME", "stop a site after TIME"),
  ]),
  ...group("Requests", [
    ruleRow(
      REQUESTS,
      "--hosts WHICH",
      "hosts to contact",
      choice({
        "any": "every host",
        "same-host": "only the host of the site",
        "same-site": "the site and its subdomains",
      }),
    ),
    ruleRow(REQUESTS, "--respect-robots", "obey Disallow and Crawl-delay"),
    ruleRow([...WALKS, "explain"], "--concurrency N", "concurrent requests"),
    ruleRow(["sync", ...WORKS], "--concurrency N", "concurrent requests to a site"),
    ruleRow(REQUESTS, "--wait TIME", "pause between requests to a host"),
    ruleRow(REQUESTS, "--random-wait", "vary --wait between 50% and 150%"),
    ruleRow(REQUESTS, "--timeout TIME", "abort a request after TIME without data"),
    ruleRow(REQUESTS, "--max-wait TIME", "wait at most TIME for a host that refuses a sitemap"),
    ruleRow(REQUESTS, "--retries N", "retries of each sitemap"),
    row(REQUESTS, "-H, --header LINE", 'send "Name: value"', MANY),
    ruleRow(REQUESTS, "-A, --user-agent TEXT", "User-Agent to send", "sitetree and its version"),
    row(
      [...SELECTS, "explain"],
      "--map-origin FROM=TO",
      "send requests for origin FROM to TO, such as a preview",
      MANY,
    ),
    row(
      REQUESTS,
      "--proxy URL",
      "proxy to use",
      { parse: parseProxy, default: "HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the environment" },
    ),
    row(REQUESTS, "--insecure", "accept invalid certificates"),
  ]),
  ...group("Messages", [
    row(
      [...WALKS, "explain", "changes", ...TABLES, ...WORKS, "fleet enqueue"],
      "-q, --quiet",
      "print no progress and no summary",
    ),
    row(["sync"], "-q, --quiet", "print nothing but which sites failed, and why"),
    row([...SELECTS, "explain"], "-v, --verbose", "log sitemaps; -vv also requests", VERBOSE),
    row(WORKS, "-v, --verbose", "log on a terminal too; -vv also requests", VERBOSE),
    row(
      [...SELECTS, "explain", ...WORKS],
      "-l, --log-file LOG_FILE",
      "append the log to LOG_FILE",
      "standard error",
    ),
    row(UNATTENDED, "--log FORMAT", "format of the log", choice(FORMAT_NAMES.log)),
    row(
      UNATTENDED,
      "--serve ADDRESS",
      "serve /healthz and /metrics on PORT of this machine, or on HOST:PORT",
      "none",
    ),
    row(COMMAND_NAMES, "--color WHEN", "use colors", choice(COLORS)),
    row(COMMAND_NAMES, "-h, --help", "print help"),
  ]),
];

/** The options in place of a command. */
export const GLOBAL_OPTIONS: readonly Pick<OptionSpec, "name" | "short" | "about">[] = [
  { name: "help", short: "h", about: 'print help; "sitetree ls --help" lists the options' },
  { name: "version", short: "V", about: "print the version" },
  { name: "man", about: "print the manual page" },
];

/** Whether the value of an option may be left out; after a space, only a number is one. */
export function isOptional({ value = "" }: OptionSpec): boolean {
  return value.startsWith("[");
}

export function optionsOf(command: CommandName): readonly OptionSpec[] {
  return OPTIONS.filter(({ commands }) => commands.includes(command));
}
