/**
 * Help that fits a screen of 24 lines and 80 columns.
 *
 * @module
 */

import { VERSION } from "../version.ts";
import type { CommandName } from "./option_table.ts";

const OVERVIEW = `sitetree ${VERSION}: every sitemap of a web site, and every page in them

Usage: sitetree COMMAND [options]

  ls URL             list the sitemaps of a site and the pages in them
  stats URL          report on the sitemaps of a site
  parse FILE         read one sitemap from a file, or from standard input (-)
  demo               walk a small site that comes with sitetree
  completions SHELL  print completions for bash, zsh or fish

  -h, --help         print help; "sitetree ls --help" has the options
  -V, --version      print the version

Examples:
  sitetree ls https://example.com/
  sitetree ls https://example.com/ --format pages | wc -l
  sitetree ls https://example.com/ --since 30d -o recent.csv.gz
  sitetree stats https://example.com/
  curl -s https://example.com/sitemap.xml | sitetree parse - -f ndjson

Exit codes: 0 complete, 1 failed, 2 wrong usage, 3 partial, 4 no sitemap found,
5 blocked, 130 interrupted
`;

/** The options of a walk, after which pages are listed or counted. */
const walkOptions = (done: "list" | "count"): string =>
  `  -r, --no-robots      skip robots.txt          -k, --no-known  skip known paths
      --known-path P   probe P too              --max-depth N   levels to read
      --include RE, --exclude RE                which sitemaps to read
      --match RE, --ignore RE                   which pages to ${done}
      --since DATE     pages modified since     --max-pages N   then stop
      --hosts WHICH    any, same-host or same-site
      --header "N: V"  send a header            --user-agent TEXT
      --proxy URL      ask through a proxy      --concurrency N requests at once
      --wait TIME      between requests         --timeout TIME  without a byte
      --deadline TIME  for all of it            -q, --quiet     no progress
  -v, --verbose        tell more (-vv: most)    -l, --log-file FILE`;

const LS = `Usage: sitetree ls [options] URL
Lists the sitemaps of a site and the pages in them, while they are found.

  -f, --format FORMAT  tree, tabtree, pages, ndjson, json, csv, xml or events
  -o, --output FILE    write a file, whole or not at all; *.gz gets gzipped
      --columns LIST   of csv, such as url,lastModified,images.loc,sitemap.url
  -u, --strip-url      leave out the site's address (tree, tabtree, pages)
${walkOptions("list")}

TIME is 10, 500ms, 10s or 2m; DATE is 2024-05-01 or 7d; RE is a regular
expression; the name of FILE, such as a.csv, can stand for the format.
  sitetree ls https://example.com/ -f pages --match /blog/ --since 2024-05-01
  sitetree ls https://example.com/ -o pages.ndjson.gz --exclude 'image|video'
`;

const STATS = `Usage: sitetree stats [options] URL
Reports on the sitemaps of a site: their kinds and sizes, hosts, dates, change
frequencies, priorities, extensions, pages in several sitemaps, faults.

  -o, --output FILE    write a file, whole or not at all; *.gz gets gzipped
${walkOptions("count")}

TIME is 10, 500ms, 10s or 2m; DATE is 2024-05-01 or 7d; RE is a regular
expression.
  sitetree stats https://example.com/
  sitetree stats https://example.com/ --match /en/ -o report.txt
`;

const PARSE = `Usage: sitetree parse [options] FILE
Reads one sitemap, robots.txt or feed from a file, or from standard input (-),
gzipped or not. What an index lists is told, not fetched.

  -f, --format FORMAT  tree, tabtree, pages, ndjson, json, csv, xml or events
  -o, --output FILE    write a file, whole or not at all; *.gz gets gzipped
      --columns LIST   of csv, such as url,lastModified,images.loc
      --url URL        where it came from, for relative addresses
  -u, --strip-url      leave out the address of that site
      --match RE, --ignore RE                   which pages to list
      --since DATE     pages modified since     --max-pages N   then stop
  -q, --quiet          no progress, no summary
  -v, --verbose        tell more (-vv: most)    -l, --log-file FILE

  sitetree parse sitemap.xml.gz -f csv --columns url,images.loc
  curl -s https://example.com/news.xml | sitetree parse - --since 1d -f pages
`;

const DEMO = `Usage: sitetree demo
Serves a small site on this machine, walks it and prints its tree. The site has
every format, a dead link and a fault that gets repaired.
`;

const COMPLETIONS = `Usage: sitetree completions SHELL
Prints completions for bash, zsh or fish.

  bash  source <(sitetree completions bash)        in ~/.bashrc
  zsh   source <(sitetree completions zsh)         in ~/.zshrc, after compinit
  fish  sitetree completions fish > ~/.config/fish/completions/sitetree.fish
`;

const BY_COMMAND: Readonly<Record<CommandName, string>> = {
  ls: LS,
  stats: STATS,
  parse: PARSE,
  demo: DEMO,
  completions: COMPLETIONS,
};

/** The help of a command, or of all of them. */
export function helpText(command?: CommandName): string {
  return command === undefined ? OVERVIEW : BY_COMMAND[command];
}

/** Such as `sitetree 1.2.3`. */
export function versionText(): string {
  return `sitetree ${VERSION}\n`;
}
