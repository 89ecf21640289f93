/**
 * Help texts, from the table of commands and options.
 *
 * @module
 */

import { VERSION } from "../data/version.ts";
import { runtimeName } from "../platform/host.ts";
import { CSV_COLUMNS, type CsvColumn } from "../write/csv.ts";
import {
  type CommandName,
  COMMANDS,
  GLOBAL_OPTIONS,
  GROUPS,
  optionsOf,
  type OptionSpec,
} from "./options.ts";
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

const WIDTH = 80;
/** Column at which descriptions begin. */
const INDENT = 27;

const NOTATION =
  "TIME is 500ms, 10s or 2m; SIZE is 500KB or 10MiB; DATE is 2024-05-01, yesterday, 12h, 7d, 2w, " +
  "3mo or 1y; REGEX is a JavaScript regular expression.";

/** Returns the help of a command, or the overview. */
export function helpText(command?: CommandName): string {
  return command === undefined ? overview() : commandHelp(command);
}

function overview(): string {
  const line = (head: string, about: string) => `  ${head.padEnd(19)}${about}`;
  const commands = Object.entries(COMMANDS).map(([name, { operands, summary }]) =>
    line(`${name} ${operands.replace("...", "")}`, summary)
  );
  const options = GLOBAL_OPTIONS.map(({ name, short, about }) =>
    line(`-${short}, --${name}`, about)
  );
  return `sitetree ${VERSION}: every sitemap of a website, and every page in them

Usage: sitetree COMMAND [options] [operands]

${commands.join("\n")}

${options.join("\n")}

Examples:
  sitetree ls example.com
  sitetree ls example.com -f pages | wc -l
  sitetree ls https://example.com/news-sitemap.xml --since 7d -o news.csv
  sitetree stats example.com

Exit codes: 0 complete, 1 failed, 2 invalid usage, 3 partial, 4 no sitemap
found, 5 blocked, 130 interrupted
`;
}

function commandHelp(command: CommandName): string {
  const { operands, about, examples } = COMMANDS[command];
  const specs = optionsOf(command);
  const lines = [
    `Usage: sitetree ${command} [options] ${operands}`.trimEnd(),
    ...wrap(about, WIDTH),
  ];
  for (const group of GROUPS) {
    const members = specs.filter((spec) => spec.group === group);
    if (members.length > 0) lines.push("", `${group}:`, ...members.flatMap(optionLines));
  }
  if (specs.some(({ value }) => value === "REGEX")) lines.push("", ...wrap(NOTATION, WIDTH));
  if (examples.length > 0) lines.push("", ...examples.map((example) => `  ${example}`));
  return `${lines.join("\n")}\n`;
}

function optionLines({ name, short, value, about, choices }: OptionSpec): string[] {
  const letter = short === undefined ? "    " : `-${short}, `;
  const head = `  ${letter}--${name}${value === undefined ? "" : ` ${value}`}`;
  const words = choices === undefined ? "" : `: ${Object.keys(choices).join(", ")}`;
  const lines = wrap(about + words, WIDTH - INDENT).map((line) => " ".repeat(INDENT) + line);
  if (head.length >= INDENT - 1) return [head, ...lines];
  return [head.padEnd(INDENT) + lines[0]!.trimStart(), ...lines.slice(1)];
}

/** Returns a text such as `sitetree 1.2.3 (Deno 2.9.5, linux arm64)`. */
export function versionText(): string {
  return `sitetree ${VERSION} (${runtimeName()})\n`;
}
