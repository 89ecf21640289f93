/**
 * Help, made from the table of options.
 *
 * @module
 */

import { runtimeName } from "../platform/host.ts";
import { VERSION } from "../version.ts";
import { type CommandName, GROUPS, optionsOf, type OptionSpec } from "./option_table.ts";
import { wrap } from "./text_width.ts";

const WIDTH = 80;
/** Column at which explanations begin. */
const INDENT = 27;

const OVERVIEW = `sitetree ${VERSION}: every sitemap of a website, and every page in them

Usage: sitetree COMMAND [options] [operands]

  ls SITE            list the sitemaps of a site and the pages in them
  stats SITE         report on the sitemaps of a site
  parse FILE         read one sitemap from a file, or from standard input (-)
  replay FILE        read saved events (ls -f events) as if walking
  demo               walk a small site that comes with sitetree
  completions SHELL  print completions for bash, zsh or fish

  -h, --help         print help; "sitetree ls --help" lists the options
  -V, --version      print the version

Examples:
  sitetree ls example.com
  sitetree ls example.com -f pages | wc -l
  sitetree ls https://example.com/news-sitemap.xml --since 7d -o news.csv
  sitetree stats example.com

Exit codes: 0 complete, 1 failed, 2 wrong usage, 3 partial, 4 no sitemap found,
5 blocked, 130 interrupted
`;

/** How a command is used, and examples. */
interface Usage {
  readonly operands: string;
  readonly about: string;
  readonly examples: readonly string[];
}

const SITES =
  "SITE is a URL, a host (https, or else http), a sitemap file, or - for a list of these on " +
  "standard input. A URL with a path is read as a sitemap if it is one; if not, its site is walked.";
const NOTATION =
  "TIME is 500ms, 10s or 2m; SIZE is 500KB or 10MiB; DATE is 2024-05-01, yesterday, 12h, 7d, 2w, " +
  "3mo or 1y; REGEX is a regular expression of JavaScript.";

const USAGES: Readonly<Record<CommandName, Usage>> = {
  ls: {
    operands: "SITE...",
    about: `Lists the sitemaps of a site and the pages in them, while they are found. ${SITES}`,
    examples: [
      "sitetree ls example.com -f pages --match /blog/ --since 3mo",
      "sitetree ls example.com -o pages.ndjson.gz --exclude 'image|video'",
      "sitetree ls example.com -f sitemaps",
      "sitetree ls --from sites.txt -f csv --columns url,lastModified,sitemap",
    ],
  },
  stats: {
    operands: "SITE...",
    about: "Reports on the sitemaps of a site: their kinds and sizes, hosts, dates, change " +
      `frequencies, priorities, extensions, pages in several sitemaps, faults. ${SITES}`,
    examples: [
      "sitetree stats example.com",
      "sitetree stats example.com --match /en/ -o report.txt",
      "sitetree stats example.com -f json",
    ],
  },
  parse: {
    operands: "FILE...",
    about: "Reads one sitemap, robots.txt or feed from a file, or from standard input (-), " +
      "gzipped or not. The sitemaps that an index lists are not fetched.",
    examples: [
      "sitetree parse sitemap.xml.gz -f csv --columns url,images.loc",
      "curl -s https://example.com/news.xml | sitetree parse - --since 1d -f pages",
    ],
  },
  replay: {
    operands: "FILE...",
    about: 'Reads events that "sitetree ls -f events" saved, as if walking; .gz is decompressed.',
    examples: [
      "sitetree ls example.com -f events -o walk.ndjson.gz",
      "sitetree replay walk.ndjson.gz -f sitemaps",
    ],
  },
  demo: {
    operands: "",
    about:
      "Serves a small site on this machine, walks it and prints its tree. The site has every " +
      "format, a dead link and a fault that gets repaired.",
    examples: [],
  },
  completions: {
    operands: "SHELL",
    about: "Prints completions for bash, zsh or fish.",
    examples: [
      "source <(sitetree completions bash)        # in ~/.bashrc",
      "source <(sitetree completions zsh)         # in ~/.zshrc, after compinit",
      "sitetree completions fish > ~/.config/fish/completions/sitetree.fish",
    ],
  },
};

/** Returns the help of a command, or the overview. */
export function helpText(command?: CommandName): string {
  return command === undefined ? OVERVIEW : commandHelp(command);
}

function commandHelp(command: CommandName): string {
  const { operands, about, examples } = USAGES[command];
  const specs = optionsOf(command);
  const lines = [
    `Usage: sitetree ${command} [options] ${operands}`.trimEnd(),
    ...wrap(about, WIDTH),
  ];
  for (const group of GROUPS) {
    const members = specs.filter((spec) => spec.group === group);
    if (members.length > 0) lines.push("", `${group}:`, ...members.flatMap(optionLines));
  }
  const hasNotation = specs.some(({ value }) => value === "REGEX");
  if (hasNotation) lines.push("", ...wrap(NOTATION, WIDTH));
  if (examples.length > 0) lines.push("", ...examples.map((example) => `  ${example}`));
  return `${lines.join("\n")}\n`;
}

function optionLines({ name, short, value, about, choices }: OptionSpec): string[] {
  const letter = short === undefined ? "    " : `-${short}, `;
  const head = `  ${letter}--${name}${value === undefined ? "" : ` ${value}`}`;
  const words = choices === undefined ? "" : `: ${Object.keys(choices).join(", ")}`;
  const [first = "", ...rest] = wrap(about + words, WIDTH - INDENT);
  const lines = head.length < INDENT - 1
    ? [head.padEnd(INDENT) + first]
    : [head, " ".repeat(INDENT) + first];
  return [...lines, ...rest.map((line) => " ".repeat(INDENT) + line)];
}

/** Returns a text such as `sitetree 1.2.3 (Deno 2.9.5, linux arm64)`. */
export function versionText(): string {
  return `sitetree ${VERSION} (${runtimeName()})\n`;
}
