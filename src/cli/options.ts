/**
 * The table of commands and options that parsing, help and completions derive from.
 *
 * A new option is one row: its name, its letter, the parser of its value, and its help text.
 *
 * @module
 */

import { CSV_COLUMNS } from "../write/csv.ts";
import { CHANGE_FORMATS } from "./change_formats.ts";
import { FORMATS } from "./formats.ts";
import type { ColorName } from "./terminal.ts";
import {
  oneOf,
  parseColumns,
  parseHeader,
  parseHeaderValue,
  parseHttpUrl,
  parsePositiveTime,
  parseProxy,
  parseRegexp,
  parseRunOrDate,
  parseSince,
  parseSize,
  parseTime,
  type ValueParser,
  wholeNumber,
} from "./values.ts";

/** Name of a command. */
export type CommandName =
  | "ls"
  | "stats"
  | "sync"
  | "changes"
  | "parse"
  | "replay"
  | "demo"
  | "completions";

/** A command. */
export interface CommandSpec {
  /** Operands as the help writes them; empty if it takes none. */
  readonly operands: "SITE..." | "SITE... FILE" | "FILE..." | "FILE" | "SHELL" | "";
  /** Its effect in a few words. */
  readonly summary: string;
  /** The first paragraph of its help. */
  readonly about: string;
  /** The last lines of its help. */
  readonly examples: readonly string[];
}

const SITES =
  "SITE is a URL, a host (https, then http), a sitemap file, a snapshot of sync, or - for a list of " +
  "these on standard input. A URL with a path is read as a sitemap if it is one; otherwise its site " +
  "is walked.";

/** The commands. */
export const COMMANDS: Readonly<Record<CommandName, CommandSpec>> = {
  ls: {
    operands: "SITE...",
    summary: "list the sitemaps of a site and their pages",
    about: `Lists the sitemaps of a site and their pages as they are found. ${SITES}`,
    examples: [
      "sitetree ls example.com -f pages --match /blog/ --since 3mo",
      "sitetree ls example.com -o pages.ndjson.gz --exclude 'image|video'",
      "sitetree ls example.com -f sitemaps",
      "sitetree ls --from sites.txt -f csv --columns url,lastModified,sitemap",
    ],
  },
  stats: {
    operands: "SITE...",
    summary: "report on the sitemaps of a site",
    about:
      "Reports on the sitemaps of a site: types and sizes, hosts, dates, change frequencies, " +
      `priorities, extensions, pages listed in several sitemaps, errors. ${SITES}`,
    examples: [
      "sitetree stats example.com",
      "sitetree stats example.com --match /en/ -o report.txt",
      "sitetree stats example.com -f json",
    ],
  },
  sync: {
    operands: "SITE... FILE",
    summary: "update a snapshot of a site and count changes",
    about:
      "Updates FILE, an SQLite snapshot of the pages of each site, and reports how many were " +
      "added (+), changed (~) and removed (-). SITE is a homepage or a host (https), or - for a " +
      "list on standard input. Only what changed is transferred, if the site supports that. A run " +
      "that was interrupted is continued.",
    examples: [
      "sitetree sync example.com site.db",
      "sitetree sync --from sites.txt sites.db --keep-runs 30",
      "sitetree sync example.com site.db --dry-run -f text",
    ],
  },
  changes: {
    operands: "FILE",
    summary: "print the changes that sync found",
    about: 'Prints the changes in FILE, a snapshot of "sitetree sync": by default those of the ' +
      "last run of each site.",
    examples: [
      "sitetree changes site.db",
      "sitetree changes site.db --since 7d -f csv -o changes.csv",
      "sitetree changes site.db --since 41 -f ndjson",
      "sitetree changes site.db --exit-code > /dev/null || echo changed",
    ],
  },
  parse: {
    operands: "FILE...",
    summary: "read one sitemap from a file or standard input",
    about:
      "Reads one sitemap, robots.txt or feed from a file or from standard input (-), gzipped " +
      "or not. The sitemaps that an index lists are not fetched.",
    examples: [
      "sitetree parse sitemap.xml.gz -f csv --columns url,images.loc",
      "curl -s https://example.com/news.xml | sitetree parse - --since 1d -f pages",
    ],
  },
  replay: {
    operands: "FILE...",
    summary: "read the events that ls -f events saved",
    about: 'Reads events that "sitetree ls -f events" saved, as if walking; .gz is decompressed.',
    examples: [
      "sitetree ls example.com -f events -o walk.ndjson.gz",
      "sitetree replay walk.ndjson.gz -f sitemaps",
    ],
  },
  demo: {
    operands: "",
    summary: "walk a small bundled site",
    about: "Serves a small site on this machine, walks it and prints its tree. The site has a " +
      "sitemap of every format, and a defect that is repaired.",
    examples: [],
  },
  completions: {
    operands: "SHELL",
    summary: "print completions for bash, zsh or fish",
    about: "Prints completions for bash, zsh or fish.",
    examples: [
      "source <(sitetree completions bash)        # in ~/.bashrc",
      "source <(sitetree completions zsh)         # in ~/.zshrc, after compinit",
      "sitetree completions fish > ~/.config/fish/completions/sitetree.fish",
    ],
  },
};

/** The names of all commands. */
export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS) as CommandName[];

const FORMAT_CHOICES = aboutEach(FORMATS);
const CHANGE_FORMAT_CHOICES = aboutEach(CHANGE_FORMATS);

function aboutEach(
  formats: Readonly<Record<string, { readonly about: string }>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(formats).map(([name, { about }]) => [name, about]));
}

/** The formats of `stats`. */
export const REPORT_FORMATS = {
  text: "a readable report",
  json: "the same figures as one JSON object",
} as const;

/** Name of a format of `stats`. */
export type ReportFormatName = keyof typeof REPORT_FORMATS;

const HOSTS = {
  "any": "every host",
  "same-host": "only the host of the site",
  "same-site": "the site and its subdomains",
} as const;

const ORDERS = {
  document: "as declared by the sitemaps",
  arrival: "as the responses arrive",
} as const;

const COLORS: Readonly<Record<ColorName, string>> = {
  auto: "on a terminal, unless NO_COLOR is set",
  always: "on files and pipes too",
  never: "without colors",
};

/** The shells that completions exist for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** Name of a shell. */
export type ShellName = typeof SHELLS[number];

/** The headings of the help, in order. */
export const GROUPS = [
  "Output",
  "Where to start",
  "Which sitemaps and pages",
  "Snapshot",
  "Limits",
  "Requests",
  "Messages",
] as const;

/** An option. */
export interface OptionSpec {
  /** Name without dashes. */
  readonly name: string;
  /** One-letter name. */
  readonly short?: string;
  /** Placeholder of the value in the help; absent for a flag. */
  readonly value?: string;
  /** Parser of the value. Default: the text as it is. */
  readonly parse?: ValueParser;
  /** Whether it can be repeated. */
  readonly many?: boolean;
  /** The possible values and their meanings. */
  readonly choices?: Readonly<Record<string, string>>;
  /** The words of a comma-separated value. */
  readonly items?: readonly string[];
  /** The option of `walk()` or `sync()` that it sets. */
  readonly field?: string;
  /** Its effect in a few words. */
  readonly about: string;
  /** Heading of the help. */
  readonly group: typeof GROUPS[number];
  /** The commands that take it. */
  readonly commands: readonly CommandName[];
}

const CHANGES: readonly CommandName[] = ["sync", "changes"];
const SNAPSHOTS: readonly CommandName[] = ["ls", "stats", "changes"];
const LISTS: readonly CommandName[] = ["ls", "parse", "replay"];
const WALKS: readonly CommandName[] = ["ls", "stats"];
const REQUESTS: readonly CommandName[] = [...WALKS, "sync"];
const PARSES: readonly CommandName[] = ["ls", "stats", "parse"];
const READS: readonly CommandName[] = ["ls", "stats", "parse", "replay"];
const ALL_READS: readonly CommandName[] = [...READS, "sync"];
const OUTPUTS: readonly CommandName[] = [...ALL_READS, "changes"];

type Row = Omit<OptionSpec, "group">;
/** The parser of an option, or that and further fields. */
type More = ValueParser | Pick<Row, "parse" | "many" | "choices" | "items">;

const USAGE_REGEXP = /^(?:-(\w), )?--([a-z-]+)(?: ([A-Z_|]+))?$/;

/** Returns the row of an option by its usage, such as `-o, --output FILE`. */
function row(
  commands: readonly CommandName[],
  usage: string,
  about: string,
  more: More = {},
): Row {
  const [, short, name = "", value] = USAGE_REGEXP.exec(usage) ?? [];
  return {
    name,
    ...(short === undefined ? {} : { short }),
    ...(value === undefined ? {} : { value }),
    ...(typeof more === "function" ? { parse: more } : more),
    about,
    commands,
  };
}

/** Returns the row of an option that `walk()` or `sync()` has under the same name, in camel case. */
function walkRow(...args: Parameters<typeof row>): Row {
  const spec = row(...args);
  const field = spec.name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return { ...spec, field };
}

function choice(choices: Readonly<Record<string, string>>): More {
  return { choices, parse: oneOf(Object.keys(choices)) };
}

function group(name: OptionSpec["group"], rows: readonly Row[]): OptionSpec[] {
  return rows.map((row) => ({ ...row, group: name }));
}

const REGEXPS: More = { parse: parseRegexp, many: true };

/** Every option. */
export const OPTIONS: readonly OptionSpec[] = [
  ...group("Output", [
    row(LISTS, "-f, --format FORMAT", "output format", choice(FORMAT_CHOICES)),
    row(["stats"], "-f, --format FORMAT", "output format", choice(REPORT_FORMATS)),
    row(CHANGES, "-f, --format FORMAT", "print changes", choice(CHANGE_FORMAT_CHOICES)),
    row(OUTPUTS, "-o, --output FILE", "write FILE atomically; .gz compresses"),
    row(OUTPUTS, "--discard-partial", "delete FILE.part when interrupted"),
    row(LISTS, "--split DIR", "write XML sitemaps and their index to DIR"),
    row(LISTS, "--columns LIST", "columns of csv: names, or all; help lists them", {
      parse: parseColumns,
      items: ["all", "help", ...CSV_COLUMNS],
    }),
    row(LISTS, "--unique", "write each page URL once"),
    row(LISTS, "-u, --strip-url", "omit the origin of the site from URLs"),
    row(["changes"], "--exit-code", "exit with 10 if there are changes"),
  ]),
  ...group("Where to start", [
    row(ALL_READS, "--from FILE", "read operands from FILE, one per line", { many: true }),
    row(REQUESTS, "-r, --no-robots", "do not read robots.txt"),
    row(REQUESTS, "-k, --no-known", "do not probe known paths"),
    row(REQUESTS, "--known-path PATH", "also probe PATH", { many: true }),
    row(PARSES, "--url URL", "URL that a file was downloaded from", parseHttpUrl),
    row(SNAPSHOTS, "--site URL", "site of a snapshot that has several"),
  ]),
  ...group("Which sitemaps and pages", [
    row(REQUESTS, "--include REGEX", "only pages of sitemaps that match", REGEXPS),
    row(REQUESTS, "--exclude REGEX", "skip sitemaps that match", REGEXPS),
    row(READS, "--match REGEX", "only pages that match", REGEXPS),
    row(READS, "--ignore REGEX", "skip pages that match", REGEXPS),
    row(ALL_READS, "-i, --ignore-case", "ignore case in regular expressions"),
    row(READS, "--since DATE", "only pages modified since DATE", parseSince),
    row(READS, "--undated", "with --since, keep pages without a date"),
    row(WALKS, "--no-prune", "with --since, also read sitemaps dated earlier"),
    row(
      ["changes"],
      "--since RUN|DATE",
      "changes after a run (digits alone), or of runs since DATE",
      parseRunOrDate,
    ),
  ]),
  ...group("Snapshot", [
    walkRow(["sync"], "--dry-run", "compare, and write nothing"),
    walkRow(["sync"], "--full", "read all sitemaps, even if they are unchanged"),
    walkRow(["sync"], "--trust-lastmod", "skip sitemaps whose index declares the same date"),
    walkRow(["sync"], "--allow-mass-removal", "remove more than half of the pages at once"),
    walkRow(
      ["sync"],
      "--resume-within TIME",
      "continue a run interrupted at most TIME ago; default: 24h",
      parseTime,
    ),
    walkRow(
      ["sync"],
      "--keep-runs N",
      "delete the changes of runs before the last N",
      wholeNumber(1),
    ),
  ]),
  ...group("Limits", [
    walkRow(READS, "--max-pages N", "stop after N pages", wholeNumber(1)),
    walkRow(REQUESTS, "--max-sitemaps N", "stop after N sitemaps", wholeNumber(1)),
    walkRow(REQUESTS, "--max-depth N", "deepest level to read", wholeNumber(0)),
    walkRow(
      [...PARSES, "sync"],
      "--max-bytes SIZE",
      "read at most SIZE of each sitemap",
      parseSize,
    ),
    walkRow(REQUESTS, "--deadline TIME", "stop after TIME", parseTime),
  ]),
  ...group("Requests", [
    walkRow(REQUESTS, "--hosts WHICH", "hosts to contact", choice(HOSTS)),
    walkRow(REQUESTS, "--respect-robots", "obey Disallow and Crawl-delay"),
    walkRow(REQUESTS, "--concurrency N", "concurrent requests", wholeNumber(1)),
    walkRow(WALKS, "--order ORDER", "order of the output", choice(ORDERS)),
    walkRow(REQUESTS, "--wait TIME", "pause between requests to a host", parseTime),
    walkRow(REQUESTS, "--random-wait", "vary --wait between 50% and 150%"),
    walkRow(
      REQUESTS,
      "--timeout TIME",
      "abort a request after TIME without data",
      parsePositiveTime,
    ),
    walkRow(REQUESTS, "--retries N", "retries of each sitemap", wholeNumber(0)),
    row(REQUESTS, "-H, --header LINE", 'send "Name: value"', { parse: parseHeader, many: true }),
    walkRow(REQUESTS, "-A, --user-agent TEXT", "User-Agent to send", parseHeaderValue),
    row(
      REQUESTS,
      "--proxy URL",
      "proxy to use; default: HTTP_PROXY, HTTPS_PROXY and NO_PROXY",
      parseProxy,
    ),
    row(REQUESTS, "--insecure", "accept invalid certificates"),
  ]),
  ...group("Messages", [
    row(OUTPUTS, "-q, --quiet", "print no progress and no summary"),
    row(ALL_READS, "-v, --verbose", "log sitemaps; -vv also requests", { many: true }),
    row(ALL_READS, "-l, --log-file LOG_FILE", "append the log to LOG_FILE"),
    row(COMMAND_NAMES, "--color WHEN", "use colors", choice(COLORS)),
    row(COMMAND_NAMES, "-h, --help", "print help"),
  ]),
];

/** The options in place of a command. */
export const GLOBAL_OPTIONS: readonly (Pick<OptionSpec, "name" | "about"> & { short: string })[] = [
  { name: "help", short: "h", about: 'print help; "sitetree ls --help" lists the options' },
  { name: "version", short: "V", about: "print the version" },
];

/** Returns the options of a command. */
export function optionsOf(command: CommandName): readonly OptionSpec[] {
  return OPTIONS.filter(({ commands }) => commands.includes(command));
}
