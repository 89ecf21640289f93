/**
 * The commands and their options: what the parser, the help and the completions go by.
 *
 * @module
 */

import { CSV_COLUMNS } from "../write/csv_columns.ts";

/** The commands. */
export const COMMANDS = {
  ls: "list the sitemaps of a site and the pages in them",
  stats: "report on the sitemaps of a site",
  parse: "read one sitemap from a file or from standard input",
  demo: "walk a small site that comes with sitetree",
  completions: "print completions for bash, zsh or fish",
} as const;

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** The formats of `ls` and `parse`. */
export const FORMATS = {
  tree: "the tree as it grows",
  tabtree: "sitemaps and pages, nested by tabs",
  pages: "a URL a line",
  ndjson: "a page a line, as JSON",
  json: "all pages as one JSON array",
  csv: "a page a row",
  xml: "one XML sitemap with all pages",
  events: "every event of the walk, as NDJSON",
} as const;

/** The name of a format. */
export type FormatName = keyof typeof FORMATS;

/** The hosts that sitemaps may come from. */
export const HOSTS = {
  "any": "every host",
  "same-host": "the host of the site alone",
  "same-site": "the site with all its subdomains",
} as const;

/** The name of a rule about hosts. */
export type HostsName = keyof typeof HOSTS;

/** The shells that completions are made for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** The name of a shell. */
export type ShellName = typeof SHELLS[number];

/** An option. */
export interface OptionSpec {
  /** Its name without dashes. */
  readonly name: string;
  /** Its letter. */
  readonly short?: string;
  /** What its value is called; absent for a flag. */
  readonly value?: string;
  /** Whether it may be given several times. */
  readonly many?: boolean;
  /** The words it may have for a value, with what they mean. */
  readonly choices?: Readonly<Record<string, string>>;
  /** The words that it takes a list of, by comma. */
  readonly items?: readonly string[];
  /** What it does, in a few words. */
  readonly about: string;
  /** The commands that have it. */
  readonly commands: readonly CommandName[];
}

const LISTS: readonly CommandName[] = ["ls", "parse"];
const WALKS: readonly CommandName[] = ["ls", "stats"];
const READS: readonly CommandName[] = ["ls", "stats", "parse"];
const ALL: readonly CommandName[] = ["ls", "stats", "parse", "demo", "completions"];

/** Every option there is. */
export const OPTIONS: readonly OptionSpec[] = [
  {
    name: "format",
    short: "f",
    value: "FORMAT",
    choices: FORMATS,
    about: "how to write what is found",
    commands: LISTS,
  },
  { name: "output", short: "o", value: "FILE", about: "write to a file", commands: READS },
  { name: "strip-url", short: "u", about: "leave out the site's address", commands: LISTS },
  {
    name: "columns",
    value: "LIST",
    items: CSV_COLUMNS,
    about: "columns of csv, by comma",
    commands: LISTS,
  },
  { name: "url", value: "URL", about: "where the document came from", commands: ["parse"] },
  { name: "no-robots", short: "r", about: "do not ask robots.txt", commands: WALKS },
  { name: "no-known", short: "k", about: "do not probe known paths", commands: WALKS },
  { name: "known-path", value: "PATH", many: true, about: "probe this path too", commands: WALKS },
  {
    name: "include",
    value: "REGEX",
    many: true,
    about: "read only the sitemaps that match",
    commands: WALKS,
  },
  {
    name: "exclude",
    value: "REGEX",
    many: true,
    about: "pass over the sitemaps that match",
    commands: WALKS,
  },
  {
    name: "match",
    value: "REGEX",
    many: true,
    about: "keep only the pages that match",
    commands: READS,
  },
  {
    name: "ignore",
    value: "REGEX",
    many: true,
    about: "leave out the pages that match",
    commands: READS,
  },
  { name: "since", value: "DATE", about: "keep only the pages modified since", commands: READS },
  { name: "max-pages", value: "N", about: "stop after so many pages", commands: READS },
  { name: "max-depth", value: "N", about: "the deepest level to read", commands: WALKS },
  {
    name: "hosts",
    value: "WHICH",
    choices: HOSTS,
    about: "the hosts that sitemaps may come from",
    commands: WALKS,
  },
  { name: "concurrency", value: "N", about: "requests under way at once", commands: WALKS },
  { name: "wait", value: "TIME", about: "between two requests to a host", commands: WALKS },
  { name: "timeout", value: "TIME", about: "without a byte", commands: WALKS },
  { name: "deadline", value: "TIME", about: "for the whole walk", commands: WALKS },
  { name: "header", value: "LINE", many: true, about: 'send "Name: value"', commands: WALKS },
  { name: "user-agent", value: "TEXT", about: "who to say we are", commands: WALKS },
  { name: "proxy", value: "URL", about: "ask through a proxy", commands: WALKS },
  { name: "quiet", short: "q", about: "no progress and no summary", commands: READS },
  {
    name: "verbose",
    short: "v",
    many: true,
    about: "tell what happens; twice for more",
    commands: READS,
  },
  {
    name: "log-file",
    short: "l",
    value: "LOG_FILE",
    about: "tell it in a file instead",
    commands: READS,
  },
  { name: "help", short: "h", about: "print help", commands: ALL },
];

/** The options of a command. */
export function optionsOf(command: CommandName): readonly OptionSpec[] {
  return OPTIONS.filter(({ commands }) => commands.includes(command));
}
