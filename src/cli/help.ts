/**
 * The columns of `-f csv`, described for `--columns help`.
 *
 * @module
 */

import { VERSION } from "../data/version.ts";
import { runtimeName } from "../platform/host.ts";
import { CSV_COLUMNS, type CsvColumn } from "../write/csv.ts";
import { type CommandName, GROUPS, optionsOf, type OptionSpec } from "./options.ts";
import { wrap } from "./terminal.ts";

const MEANINGS: Readonly<Record<CsvColumn, string>> = {
  "url": "URL of the page",
  "priority": "priority from 0 to 1",
  "lastModified": "date of the last change",
  "changeFrequency": "how often it changes, from always to never",
  "newsStory.title": "title of the news story",
  "newsStory.publishDate": "date of the story",
  "newsStory.publicationName": "name of the newspaper or site",
  "newsStory.publicationLanguage": "language of the publication",
  "newsStory.access": "Subscription or Registration",
  "newsStory.genres": "genres of the story",
  "newsStory.keywords": "keywords of the story",
  "newsStory.stockTickers": "stock tickers of companies in the story",
  "images.loc": "URLs of the images",
  "images.caption": "captions of the images",
  "images.geoLocation": "places of the images",
  "images.title": "titles of the images",
  "images.license": "URLs of the licenses of the images",
  "videos.thumbnailLoc": "URLs of the thumbnails of the videos",
  "videos.title": "titles of the videos",
  "videos.description": "descriptions of the videos",
  "videos.contentLoc": "URLs of the video files",
  "videos.playerLoc": "URLs of the video players",
  "videos.duration": "durations of the videos in seconds",
  "videos.expirationDate": "dates after which the videos are gone",
  "videos.rating": "ratings of the videos from 0 to 5",
  "videos.viewCount": "number of views of the videos",
  "videos.publicationDate": "dates of publication of the videos",
  "videos.familyFriendly": "whether the videos are for all ages",
  "videos.restriction": "countries where the videos are shown or not",
  "videos.platform": "platforms where the videos are shown or not",
  "videos.requiresSubscription": "whether the videos require a subscription",
  "videos.uploader": "names of the uploaders of the videos",
  "videos.uploaderInfo": "URLs about the uploaders of the videos",
  "videos.live": "whether the videos are live streams",
  "videos.tags": "tags of the videos",
  "alternates.hreflang": "languages of the page in other languages",
  "alternates.href": "URLs of the page in other languages",
  "sitemap": "URL of the sitemap that lists the page",
  "sitemap.id": "number of the sitemap within the walk",
  "sitemap.type": "type of the sitemap, such as PagesXmlSitemap",
  "sitemap.url": "the same as sitemap",
  "sitemap.requestedUrl": "URL that was declared, if it redirects",
  "sitemap.level": "level of the sitemap in the tree",
  "sitemap.parent": "number of the sitemap above it",
  "sitemap.index": "position of the sitemap in the one above it",
  "sitemap.lastModified": "date of the sitemap according to its index",
};

/** Returns the names of all columns with their meanings, a line each. */
export function columnsHelp(): string {
  const width = Math.max(...CSV_COLUMNS.map((name) => name.length));
  return CSV_COLUMNS.map((name) => `${name.padEnd(width)}  ${MEANINGS[name]}\n`).join("");
}

// MERGED: Help, made from the table of options.

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
