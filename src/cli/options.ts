/**
 * The table of commands and options that parsing, help and completions derive from.
 *
 * A new option is one row: its name, its letter, the parser of its value, and its help text.
 *
 * @module
 */

import { CSV_COLUMNS } from "../write/csv.ts";
import {
  oneOf,
  parseHeader,
  parseHeaderValue,
  parseHttpUrl,
  parsePositiveTime,
  parseProxy,
  parseRegexp,
  parseSince,
  parseSize,
  parseTime,
  type ValueParser,
  wholeNumber,
} from "./values.ts";

/** Name of a command. */
export type CommandName = "ls" | "stats" | "parse" | "replay" | "demo" | "completions";

/** A command. */
export interface CommandSpec {
  /** Operands as the help writes them; empty if it takes none. */
  readonly operands: "SITE..." | "FILE..." | "SHELL" | "";
  /** Its effect in a few words. */
  readonly summary: string;
  /** The first paragraph of its help. */
  readonly about: string;
  /** The last lines of its help. */
  readonly examples: readonly string[];
}

const SITES =
  "SITE is a URL, a host (https, then http), a sitemap file, or - for a list of these on standard " +
  "input. A URL with a path is read as a sitemap if it is one; otherwise its site is walked.";

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

/** The formats of `ls`, `parse` and `replay`. */
export const FORMATS = {
  "tree": "the tree as it grows",
  "tabtree": "sitemaps and pages, indented by tabs",
  "pages": "one URL per line",
  "ndjson": "one page per line, as JSON",
  "json": "all pages as one JSON array",
  "csv": "one page per row",
  "xml": "one XML sitemap with all pages",
  "events": "every event of the walk, as NDJSON",
  "sitemaps": "a table of the sitemaps",
  "sitemaps-csv": "one sitemap per row",
  "sitemaps-ndjson": "one sitemap per line, as JSON",
} as const;

/** Name of a format. */
export type FormatName = keyof typeof FORMATS;

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

const COLORS = {
  auto: "on a terminal, unless NO_COLOR is set",
  always: "on files and pipes too",
  never: "without colors",
} as const;

/** When colors are used. */
export type ColorName = keyof typeof COLORS;

/** The shells that completions exist for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** Name of a shell. */
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
  /** The option of `walk()` that it sets. */
  readonly field?: string;
  /** Its effect in a few words. */
  readonly about: string;
  /** Heading of the help. */
  readonly group: typeof GROUPS[number];
  /** The commands that take it. */
  readonly commands: readonly CommandName[];
}

const LISTS: readonly CommandName[] = ["ls", "parse", "replay"];
const WALKS: readonly CommandName[] = ["ls", "stats"];
const PARSES: readonly CommandName[] = ["ls", "stats", "parse"];
const READS: readonly CommandName[] = ["ls", "stats", "parse", "replay"];

type Row = Omit<OptionSpec, "group" | "commands" | "field">;

function group(
  name: OptionSpec["group"],
  commands: readonly CommandName[],
  rows: readonly Row[],
): OptionSpec[] {
  return rows.map((row) => ({ ...row, group: name, commands }));
}

/** Returns a group of options that `walk()` has under the same names. */
function walkGroup(...args: Parameters<typeof group>): OptionSpec[] {
  return group(...args).map((spec) => ({ ...spec, field: camelCase(spec.name) }));
}

function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function choice(choices: Readonly<Record<string, string>>): Pick<Row, "choices" | "parse"> {
  return { choices, parse: oneOf(Object.keys(choices)) };
}

const FORMAT = { name: "format", short: "f", value: "FORMAT", about: "output format" } as const;
const COUNT = { value: "N", parse: wholeNumber(0) } as const;
const POSITIVE = { value: "N", parse: wholeNumber(1) } as const;
const REGEXPS = { value: "REGEX", parse: parseRegexp, many: true } as const;
const TIME = { value: "TIME", parse: parseTime } as const;

/** Every option. */
export const OPTIONS: readonly OptionSpec[] = [
  ...group("Output", LISTS, [{ ...FORMAT, ...choice(FORMATS) }]),
  ...group("Output", ["stats"], [{ ...FORMAT, ...choice(REPORT_FORMATS) }]),
  ...group("Output", READS, [
    { name: "output", short: "o", value: "FILE", about: "write FILE atomically; .gz compresses" },
    { name: "discard-partial", about: "delete FILE.part when interrupted" },
  ]),
  ...group("Output", LISTS, [
    { name: "split", value: "DIR", about: "write XML sitemaps and their index to DIR" },
    {
      name: "columns",
      value: "LIST",
      items: ["all", "help", ...CSV_COLUMNS],
      about: "columns of csv: names, or all; help lists them",
    },
    { name: "unique", about: "write each page URL once" },
    { name: "strip-url", short: "u", about: "omit the origin of the site from URLs" },
  ]),
  ...group("Where to start", READS, [
    { name: "from", value: "FILE", many: true, about: "read operands from FILE, one per line" },
  ]),
  ...group("Where to start", WALKS, [
    { name: "no-robots", short: "r", about: "do not read robots.txt" },
    { name: "no-known", short: "k", about: "do not probe known paths" },
    { name: "known-path", value: "PATH", many: true, about: "also probe PATH" },
  ]),
  ...group("Where to start", PARSES, [
    {
      name: "url",
      value: "URL",
      parse: parseHttpUrl,
      about: "URL that a file was downloaded from",
    },
  ]),
  ...group("Which sitemaps and pages", WALKS, [
    { name: "include", ...REGEXPS, about: "only pages of sitemaps that match" },
    { name: "exclude", ...REGEXPS, about: "skip sitemaps that match" },
  ]),
  ...group("Which sitemaps and pages", READS, [
    { name: "match", ...REGEXPS, about: "only pages that match" },
    { name: "ignore", ...REGEXPS, about: "skip pages that match" },
    { name: "ignore-case", short: "i", about: "ignore case in regular expressions" },
    { name: "since", value: "DATE", parse: parseSince, about: "only pages modified since DATE" },
    { name: "undated", about: "with --since, keep pages without a date" },
  ]),
  ...group("Which sitemaps and pages", WALKS, [
    { name: "no-prune", about: "with --since, also read sitemaps dated earlier" },
  ]),
  ...group("Limits", READS, [
    { name: "max-pages", ...POSITIVE, about: "stop after N pages" },
  ]),
  ...walkGroup("Limits", WALKS, [
    { name: "max-sitemaps", ...POSITIVE, about: "stop after N sitemaps" },
    { name: "max-depth", ...COUNT, about: "deepest level to read" },
    { name: "deadline", ...TIME, about: "stop after TIME" },
  ]),
  ...walkGroup("Limits", PARSES, [
    { name: "max-bytes", value: "SIZE", parse: parseSize, about: "read at most SIZE per sitemap" },
  ]),
  ...walkGroup("Requests", WALKS, [
    { name: "hosts", value: "WHICH", ...choice(HOSTS), about: "hosts to contact" },
    { name: "respect-robots", about: "obey Disallow and Crawl-delay" },
    { name: "concurrency", ...POSITIVE, about: "concurrent requests" },
    { name: "order", value: "ORDER", ...choice(ORDERS), about: "order of the output" },
    { name: "wait", ...TIME, about: "pause between requests to a host" },
    { name: "random-wait", about: "vary --wait between 50% and 150%" },
    {
      name: "timeout",
      value: "TIME",
      parse: parsePositiveTime,
      about: "abort a request after TIME without data",
    },
    { name: "retries", ...COUNT, about: "retries per sitemap" },
    {
      name: "user-agent",
      short: "A",
      value: "TEXT",
      parse: parseHeaderValue,
      about: "User-Agent to send",
    },
  ]),
  ...group("Requests", WALKS, [
    {
      name: "header",
      short: "H",
      value: "LINE",
      parse: parseHeader,
      many: true,
      about: 'send "Name: value"',
    },
    {
      name: "proxy",
      value: "URL",
      parse: parseProxy,
      about: "proxy to use; default: HTTP_PROXY, HTTPS_PROXY and NO_PROXY",
    },
    { name: "insecure", about: "accept invalid certificates" },
  ]),
  ...group("Messages", READS, [
    { name: "quiet", short: "q", about: "print no progress and no summary" },
    { name: "verbose", short: "v", many: true, about: "log sitemaps; -vv also requests" },
    { name: "log-file", short: "l", value: "LOG_FILE", about: "append the log to LOG_FILE" },
  ]),
  ...group("Messages", COMMAND_NAMES, [
    { name: "color", value: "WHEN", ...choice(COLORS), about: "use colors" },
    { name: "help", short: "h", about: "print help" },
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
