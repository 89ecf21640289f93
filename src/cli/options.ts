/**
 * The table of options that parsing, help and completions derive from.
 *
 * A new option is one row: its commands, its usage with its help text, and its default.
 *
 * @module
 */

import { RULE_CODES, RULES } from "../check/rules.ts";
import { INVALID_CODES, REQUEST_CODES, WARNING_CODES } from "../data/codes.ts";
import { SYNC_NUMBERS, WALK_NUMBERS } from "../data/limits.ts";
import { grouped } from "../data/text.ts";
import { VERDICTS } from "../data/words.ts";
import type { FleetVerdict } from "../fleet/progress.ts";
import type { PageField } from "../sync/mod.ts";
import { defaultColumns, LIST_COLUMNS, parseColumns } from "./columns.ts";
import { COMMAND_NAMES, type CommandName, FLEET_NAMES } from "./commands.ts";
import { FORMAT_NAMES } from "./format_names.ts";
import type { ColorName } from "./run/terminal.ts";
import {
  listOf,
  nameOf,
  oneOf,
  parseDatabase,
  parseHttpUrl,
  parseProxy,
  PARSERS,
  parseTimeOrNever,
  timeFrom,
  timeText,
  type ValueParser,
  wholeNumber,
} from "./values.ts";

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

const COLORS: Readonly<Record<ColorName, string>> = {
  auto: "on a terminal, unless NO_COLOR is set",
  always: "on files and pipes too",
  never: "without colors",
};

const FLEET_VERDICTS: Readonly<Record<FleetVerdict, string>> = {
  ...VERDICTS,
  failed: "its worker stopped again and again",
};

const COLUMNS = {
  all: "every column",
  ...Object.fromEntries(LIST_COLUMNS.map(([name, , , about]) => [name, about])),
};

const PAGE_FIELDS: Readonly<Record<PageField, string>> = {
  lastModified: "the date",
  changeFrequency: "how often it changes",
  priority: "the priority",
  newsStory: "the news story",
  images: "images",
  videos: "videos",
  alternates: "the page in other languages",
};
const FIELDS = { ...PAGE_FIELDS, none: "only whether there is such a page" };
const FIELD_NAMES = Object.keys(PAGE_FIELDS);
const parseField = listOf(
  "field",
  FIELD_NAMES,
  `expected ${FIELD_NAMES.join(", ")}, or none`,
  // names that the sitemap protocol has for them
  { lastmod: "lastModified", changefreq: "changeFrequency", hreflang: "alternates" },
);
const parseFields = (text: string) => text === "none" ? [] : parseField(text);

const { "mass-removal": removal, deadline, "max-sitemaps": sitemaps, "max-pages": pages } =
  WARNING_CODES;
/** Why a site of a fleet is not complete. */
const CODES: Readonly<Record<string, string>> = {
  ...{ ...REQUEST_CODES, ...INVALID_CODES },
  ...{ "mass-removal": removal, deadline, "max-sitemaps": sitemaps, "max-pages": pages },
  maxWait: "its host asks for a longer wait than --max-wait",
  stopped: "its worker stopped again and again",
  error: "its walk failed otherwise than by an answer",
};
const CODES_HINT = '"sitetree fleet status RUN" lists the codes of a run';
const parseCode = nameOf("code", Object.keys(CODES), CODES_HINT);

const TITLES = Object.fromEntries(RULE_CODES.map((code) => [code, RULES[code].title]));
const parseRules = listOf("rule", RULE_CODES, "--only help lists them");

type More = Partial<Pick<OptionSpec, "parse" | "many" | "choices" | "items" | "words" | "default">>;

/**
 * The commands of an option, its usage and help text, its default or what else there is to say, and
 * the parser of its value. An option of `walk()` or `syncAll()` that is a number has their default.
 */
type Row = readonly [
  commands: readonly CommandName[],
  usage: `${"" | `-${string}, `}--${string}: ${string}`,
  more?: string | More | undefined,
  parse?: ValueParser,
];

/** Choices of which the first is the default. */
function choice(choices: Readonly<Record<string, string>>, usual?: string): More {
  const words = Object.keys(choices);
  return { choices, parse: oneOf(words), default: usual ?? words[0]! };
}

/** Words between commas that are too many for the help of a command: `help` as a value lists them. */
function list(
  noun: string,
  usual: string,
  parse: ValueParser,
  items: Readonly<Record<string, string>>,
): More {
  return {
    default: usual,
    parse: (text, name) => text === "help" ? text : parse(text, name),
    items: { help: `list the ${noun}`, ...items },
  };
}

const RULE_LIST = { ...list("rules", "all", parseRules, TITLES), many: true };
const MANY = { many: true, default: "none" } as const;
const FROM_ALL = { many: true, default: "all" } as const;
const ROW_FORMATS = Object.keys(FORMAT_NAMES.rows).join(", ");
const VERBOSE = { many: true } as const;
const LAST_RUNS = "those of the last run of each site";

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  "Output": [
    // checked when it is known what is listed
    [["ls"], "-f, --format FORMAT: output format", {
      choices: FORMAT_NAMES.list,
      default: "tree",
    }],
    [["ls"], `--sitemaps: list sitemaps instead of pages; formats: ${ROW_FORMATS}`],
    [["check"], "-f, --format FORMAT: output format", choice(FORMAT_NAMES.check)],
    [["report"], "-f, --format FORMAT: output format", choice(FORMAT_NAMES.report)],
    [["explain"], "-f, --format FORMAT: output format", choice(FORMAT_NAMES.explain)],
    [["sync"], "-f, --format FORMAT: print changes", choice(FORMAT_NAMES.changes, "none")],
    [["changes"], "-f, --format FORMAT: output format", choice(FORMAT_NAMES.changes)],
    [["diff"], "-f, --format FORMAT: output format", choice(FORMAT_NAMES.diff)],
    [TABLES, "-f, --format FORMAT: output format", choice(FORMAT_NAMES.rows)],
    [["fleet status"], "-f, --format FORMAT: output format", choice(FORMAT_NAMES.fleetStatus)],
    [OUTPUTS, "-o, --output FILE: write FILE atomically; .gz compresses", "standard output"],
    [OUTPUTS, "--discard-partial: delete FILE.part when interrupted"],
    [
      ["ls"],
      "--columns LIST: columns of csv: names, or all; help lists them",
      list("columns", defaultColumns(false).join(","), parseColumns, COLUMNS),
    ],
    [
      ["ls", "diff", ...CHANGES, ...TABLES],
      "--bom: begin csv with a byte order mark, for spreadsheets",
    ],
    [["ls"], "--all: show all pages of the tree on a terminal, not 10 of each sitemap"],
    [["ls"], "--notes: keep facts that are not warnings, with -f events"],
    [["ls"], "--unique: write each page URL once"],
    [["ls"], "-u, --strip-url: omit the origin of the site from URLs"],
    [["changes"], "--summary: print the number of changes of each site instead"],
    [["diff"], "--summary: print the number of differences instead"],
    [["changes"], "--exit-code: exit with 10 if there are changes"],
    [["diff"], "--exit-code: exit with 10 if there are differences"],
  ],
  "Rules": [
    [
      ["check"],
      "--fail-on SEVERITY: exit with 11 if there are findings of this severity or a worse one",
      choice({ error: "errors", warning: "warnings and errors", notice: "any finding" }),
    ],
    [["report"], "--no-check: leave out the findings"],
    [["check"], "--pages [N]: also request the pages, or a sample of N of them", "none"],
    [CHECKS, "--only CODE: judge these rules; help lists them", RULE_LIST],
    [CHECKS, "--skip CODE: judge all rules but these", { ...RULE_LIST, default: "none" }],
    [CHECKS, "--agent NAME: crawler that robots.txt is read for", "*"],
    [
      CHECKS,
      "--config FILE: read settings of the check from FILE",
      "sitetree.json, if there is one",
    ],
  ],
  "Fleet": [
    [
      FLEET_NAMES,
      "--database URL: PostgreSQL, as postgres://user@host/name",
      "SITETREE_DATABASE in the environment",
      parseDatabase,
    ],
    [
      ["fleet enqueue"],
      "--every TIME: begin the next round by itself after TIME",
      "never",
      timeFrom(1000),
    ],
    [WORKS, "--run NAME: walk the sites of this run only", "all"],
    [WORKS, "--slots N: sites to walk at a time"],
    [WORKS, "--per-host N: workers on a host at a time", "1"],
    // it is extended several times
    [
      WORKS,
      "--lease TIME: time after which the sites of a worker that has stopped go to others",
      "30s",
      timeFrom(10_000),
    ],
    [["fleet work"], "--drain: end when all sites are finished"],
    [
      ["fleet sites"],
      "--verdict VERDICT: only sites with this verdict",
      choice(FLEET_VERDICTS, "all"),
    ],
    [["fleet sites"], "--code CODE: only sites that are not complete for this reason", {
      parse: parseCode,
      words: CODES,
      default: "all",
    }],
    [
      ["fleet retry"],
      "--verdict VERDICT: sites with this verdict",
      choice(FLEET_VERDICTS, "failed"),
    ],
    [["fleet retry"], "--site URL: this site, whatever its verdict", "none", parseHttpUrl],
    [["fleet status"], "--watch: update until the run is finished"],
    [["fleet drop"], "--yes: delete without a question"],
  ],
  "PostgreSQL": [
    [CONNECTS, "--connections N: connections at a time", "10", wholeNumber(2)],
    [CONNECTS, "--pooled: the server is a pool, such as PgBouncer in transaction mode"],
  ],
  "Where to start": [
    [[...LISTED_WALKS, "explain"], "--from FILE: read operands from FILE, one per line", MANY],
    [["sync"], "--from FILE: read sites from FILE, one per line, perhaps with options", MANY],
    [REQUESTS, "-r, --no-robots: do not read robots.txt"],
    [REQUESTS, "-k, --no-known: do not probe known paths"],
    [
      REQUESTS,
      "--homepage WHEN: read the sitemaps that the homepage names",
      choice({
        fallback: "if no sitemap was found before",
        always: "in any case",
        never: "not at all, as with --no-known",
      }),
    ],
    [REQUESTS, "--feeds: read the feeds that the homepage names if nothing else was found"],
    [REQUESTS, "--known-path PATH: also probe PATH", MANY],
    [
      WALKS,
      "--url URL: URL of a sitemap file, or at which a folder is served",
      "its file: URL, or the origin that files of the folder name",
      parseHttpUrl,
    ],
    [
      ["explain"],
      "--url URL: URL at which a folder is served",
      "the origin that files of the folder name",
      parseHttpUrl,
    ],
    [["ls", "report"], "--site URL: only this site of a snapshot", "all"],
    [["ls"], "--run NAME: only the sites of this run of a fleet", "all"],
    [["check", "diff"], "--site URL: site of a snapshot that has several", "the only one"],
    [["changes", "snapshot runs"], "--site URL: only this site", "all"],
  ],
  "Which sitemaps and pages": [
    [SELECTS, "--include REGEX: only pages of sitemaps that match", FROM_ALL],
    [SELECTS, "--exclude REGEX: skip sitemaps that match", MANY],
    [WALKS, "--match REGEX: only pages that match", FROM_ALL],
    [WALKS, "--ignore REGEX: skip pages that match", MANY],
    [SELECTS, "-i, --ignore-case: ignore case in regular expressions"],
    [WALKS, "--since DATE: only pages modified since DATE", "all"],
    [WALKS, "--undated: with --since, keep pages without a date"],
    [WALKS, "--no-prune: with --since, also read sitemaps dated earlier"],
    [SAMPLES, "--sample N: only N pages, chosen at random", "all"],
    [SAMPLES, "--per-pattern N: only N pages of each URL pattern, chosen at random", "all"],
    [
      SAMPLES,
      "--seed N: seed of a sample: the same one chooses the same pages",
      "random",
      wholeNumber(0),
    ],
  ],
  "What is compared": [
    [["diff"], "--ignore-origin: compare path and query of URLs, whatever their origin"],
    [["diff"], "--fields LIST: fields whose differences count, or none", {
      parse: parseFields,
      default: "all",
      items: FIELDS,
    }],
  ],
  "Which changes": [
    [["changes"], "--after N: changes after number N", LAST_RUNS, wholeNumber(0)],
    [["changes"], "--since DATE: changes since DATE", LAST_RUNS],
    [["changes"], "--consumer NAME: changes that NAME has not acknowledged", "none"],
    [["changes"], "--ack: with --consumer, acknowledge what was written"],
  ],
  "Snapshot": [
    [["sync"], "--dry-run: compare, and write nothing"],
    [["sync"], "--full: read all sitemaps, even if they are unchanged"],
    [["sync"], "--trust-lastmod: skip sitemaps whose index declares the same date"],
    [["sync"], "--allow-mass-removal: remove more than half of the pages at once"],
    [["sync"], "--slots N: sites to walk at a time, one of each host"],
    [["sync"], "--confirm-after TIME: time after which a second run confirms a loss"],
    [
      ["sync"],
      "--accept-after TIME: time after which a mass removal is accepted, or never",
      undefined,
      parseTimeOrNever,
    ],
    [["snapshot prune"], "--keep-changes TIME: keep the changes of the last TIME", "none"],
    [
      ["sync", "snapshot prune"],
      "--keep-runs N: keep the changes since the last N runs of each site",
      "all",
    ],
    [
      ["sync", "fleet work", "snapshot prune"],
      "--keep-quiet-runs TIME: keep runs without changes for TIME (never: delete none)",
      "30d",
      parseTimeOrNever,
    ],
    [["snapshot prune"], "--ignore-consumers: also delete what a consumer has not acknowledged"],
    [
      ["snapshot forget"],
      "--sitemap URL: forget only this sitemap, and what only it leads to",
      "all",
      parseHttpUrl,
    ],
  ],
  "Limits": [
    [WALKS, "--max-pages N: stop after N pages"],
    [WORKS, "--max-pages N: stop a site after N pages"],
    [SELECTS, "--max-sitemaps N: stop after N sitemaps"],
    [WORKS, "--max-sitemaps N: stop a site after N sitemaps"],
    [REQUESTS, "--max-depth N: deepest level to read"],
    [[...SELECTS, ...WORKS], "--max-bytes SIZE: read at most SIZE of each sitemap"],
    [[...SELECTS, "explain"], "--deadline TIME: stop after TIME"],
    [WORKS, "--deadline TIME: stop a site after TIME"],
  ],
  "Requests": [
    [
      REQUESTS,
      "--hosts WHICH: hosts to contact",
      choice({
        "any": "every host",
        "same-host": "only the host of the site",
        "same-site": "the site and its subdomains",
      }),
    ],
    [REQUESTS, "--respect-robots: obey Disallow and Crawl-delay"],
    [[...WALKS, "explain"], "--concurrency N: concurrent requests"],
    [["sync", ...WORKS], "--concurrency N: concurrent requests to a site"],
    [REQUESTS, "--wait TIME: pause between requests to a host"],
    [REQUESTS, "--random-wait: vary --wait between 50% and 150%"],
    [REQUESTS, "--timeout TIME: abort a request after TIME without data"],
    [REQUESTS, "--max-wait TIME: wait at most TIME for a host that refuses a sitemap"],
    [REQUESTS, "--retries N: retries of each sitemap"],
    [REQUESTS, '-H, --header LINE: send "Name: value"', MANY],
    [REQUESTS, "-A, --user-agent TEXT: User-Agent to send", "sitetree and its version"],
    [
      [...SELECTS, "explain"],
      "--map-origin FROM=TO: send requests for origin FROM to TO, such as a preview",
      MANY,
    ],
    [
      REQUESTS,
      "--proxy URL: proxy to use",
      "HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the environment",
      parseProxy,
    ],
    [REQUESTS, "--insecure: accept invalid certificates"],
  ],
  "Messages": [
    [
      [...WALKS, "explain", "changes", ...TABLES, ...WORKS, "fleet enqueue"],
      "-q, --quiet: print no progress and no summary",
    ],
    [["sync"], "-q, --quiet: print nothing but which sites failed, and why"],
    [[...SELECTS, "explain"], "-v, --verbose: log sitemaps; -vv also requests", VERBOSE],
    [WORKS, "-v, --verbose: log on a terminal too; -vv also requests", VERBOSE],
    [
      [...SELECTS, "explain", ...WORKS],
      "-l, --log-file LOG_FILE: append the log to LOG_FILE",
      "standard error",
    ],
    [UNATTENDED, "--log FORMAT: format of the log", choice(FORMAT_NAMES.log)],
    [
      UNATTENDED,
      "--serve ADDRESS: serve /healthz and /metrics on PORT of this machine, or on HOST:PORT",
      "none",
    ],
    [COMMAND_NAMES, "--color WHEN: use colors", choice(COLORS)],
    [COMMAND_NAMES, "-h, --help: print help"],
  ],
};

const USAGE_REGEXP = /^(?:-(\w), )?--([a-z-]+)(?: ([A-Z_=|]+|\[N\]))?: (.*)$/;

const NUMBERS: Readonly<Record<string, readonly [min: number, usual: number]>> = {
  ...WALK_NUMBERS,
  ...SYNC_NUMBERS,
};

function specOf(group: string, [commands, usage, more, parser]: Row): OptionSpec {
  const [, short, name = "", value = "", about = ""] = USAGE_REGEXP.exec(usage) ?? [];
  const [min, usual] = NUMBERS[fieldName(name)] ?? [];
  const ofNumber = value === "TIME" && min !== undefined
    ? timeFrom(min)
    : value === "N"
    ? wholeNumber(min ?? 1)
    : undefined;
  const parse = parser ?? ofNumber ?? PARSERS[value];
  return {
    ...{ name, short, about, group, commands },
    ...(value !== "" && { value }),
    ...(parse !== undefined && { parse }),
    ...(usual !== undefined && { default: defaultText(usual, value) }),
    ...(typeof more === "string" ? { default: more } : more),
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

export const OPTIONS: readonly OptionSpec[] = Object.entries(ROWS)
  .flatMap(([group, rows]) => rows.map((row) => specOf(group, row)));

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
