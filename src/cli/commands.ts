/**
 * The table of commands, which parsing, help and completions derive from.
 *
 * @module
 */

export type CommandName =
  | "ls"
  | "check"
  | "report"
  | "explain"
  | "diff"
  | "sync"
  | "changes"
  | `snapshot ${"sites" | "runs" | "forget" | "prune"}`
  | `fleet ${"enqueue" | "work" | "status" | "sites"}`
  | `fleet ${"retry" | "pause" | "resume" | "drop"}`
  | "demo"
  | "completions";

/** Name of a command that only has commands below it. */
export type ParentName = "snapshot" | "fleet";

interface CommandSpec {
  /** Operands as the help writes them; empty for a command without any. */
  readonly operands: string;
  readonly summary: string;
  /** The first paragraph of its help. */
  readonly about: string;
  readonly examples: readonly string[];
}

const SITE =
  "a URL, a host (https, then http), a folder, a file (a sitemap or feed, gzipped or not, or a walk " +
  "that ls -f events saved), a snapshot, postgres://user@host/name, or - for a document on standard " +
  "input";

const URLS =
  "A URL with a path is read as a sitemap if it is one; otherwise its site is walked. A folder is read " +
  "as the site that is served at --url, without the network.";

const SITES = `SITE is ${SITE}. ${URLS}`;

const SNAPSHOT = "SNAPSHOT is a file, or postgres://user@host/name.";

const SITE_LIST =
  "FILE, or - for standard input, has a site per line: a URL, a host (https), or JSON with the URL " +
  'and options of its walk, such as {"url": "https://example.com/", "wait": 500}. Blank lines and ' +
  "those that begin with # are skipped.";

/** Each parent is before the commands below it. */
export const COMMANDS: Readonly<Record<CommandName | ParentName, CommandSpec>> = {
  ls: {
    operands: "SITE...",
    summary: "list the sitemaps of a site and their pages",
    about: `Lists the sitemaps of a site and their pages as they are found. ${SITES}`,
    examples: [
      "sitetree ls example.com -f pages --match /blog/ --since 3mo",
      "sitetree ls example.com -o pages.ndjson.gz --exclude 'image|video'",
      "sitetree ls example.com --sitemaps",
      "sitetree ls --from sites.txt -f csv --columns url,lastModified,sitemap",
      "sitetree ls ./dist --url https://example.com/",
      "curl -s https://example.com/news.xml | sitetree ls - --since 1d -f pages",
    ],
  },
  check: {
    operands: "SITE...",
    summary: "find what is wrong with the sitemaps of a site",
    about:
      "Checks the sitemaps of a site by the protocol and by what search engines document: findings " +
      "by severity, with examples and advice. Exits with 11 if one is as serious as --fail-on. " +
      "Rules and --fail-on may also be set in sitetree.json. " + SITES,
    examples: [
      "sitetree check example.com",
      "sitetree check ./dist --url https://example.com/ --fail-on warning",
      "sitetree check example.com --skip bom,lastmod-missing -o report.json",
      "sitetree check example.com --pages 100            # are these pages there?",
      "sitetree check ./dist -f github                   # in GitHub Actions",
    ],
  },
  report: {
    operands: "SITE...",
    summary: "report on the sitemaps of a site",
    about:
      "Reports on the sitemaps of one or several sites: types and sizes, hosts, dates, change " +
      "frequencies, priorities, extensions, pages listed in several sitemaps, errors, findings. As " +
      "HTML, it is one file that needs no network, with a treemap of pages and the tree of sitemaps. " +
      SITES,
    examples: [
      "sitetree report example.com",
      "sitetree report example.com --match /en/ -o report.txt",
      "sitetree report example.com -o report.html        # to open in a browser",
      "sitetree report site.db -o report.html            # and the history of runs",
      "sitetree report --from sites.txt -f json",
    ],
  },
  explain: {
    operands: "SITE...",
    summary: "show where sitemaps were looked for, and why",
    about:
      "Shows where sitemaps of a site are looked for, in order: what was asked, what was answered, " +
      "and why it was or was not used. Sitemaps are read only until their kind is known. SITE is a " +
      "URL, a host (https, then http) or a folder.",
    examples: [
      "sitetree explain example.com",
      "sitetree explain ./dist --url https://example.com/",
      "sitetree explain https://example.com/shop/ -f json",
    ],
  },
  diff: {
    operands: "A B",
    summary: "compare the pages of two sites",
    about:
      "Compares the pages of two sites: those only in B (+), those with other values (~), in the order " +
      "of B, then those only in A (-). If a side could not be read completely, that is said first, and " +
      `the command exits with 3. A and B are each ${SITE}. ${URLS}`,
    examples: [
      "sitetree diff https://example.com ./dist --url https://example.com/",
      "sitetree diff example.com staging.example.com --ignore-origin --summary",
      "sitetree diff monday.ndjson.gz example.com --fields lastModified --exit-code",
      'sitetree diff example.com ./dist -f markdown >> "$GITHUB_STEP_SUMMARY"',
    ],
  },
  sync: {
    operands: "[SITE...] SNAPSHOT",
    summary: "update a snapshot of sites and count changes",
    about:
      `Updates a snapshot of the pages of each site, and reports how many were added (+), changed ` +
      "(~) and removed (-). SITE is a homepage, a sitemap to start from, or a host (as the snapshot " +
      "has it; a new one by https, then http). Without SITE, all " +
      `sites of the snapshot are walked again. Only what changed is transferred, if the site ` +
      `supports that. What was read before an interruption stays. ${SNAPSHOT} A line of a list may ` +
      'also be JSON with options of the walk, such as {"url": "example.com", "wait": 500}.',
    examples: [
      "sitetree sync example.com site.db",
      "sitetree sync --from sites.txt sites.db --slots 100",
      "sitetree sync sites.db -q                         # from cron",
      "sitetree sync example.com site.db --dry-run -f text",
    ],
  },
  changes: {
    operands: "SNAPSHOT",
    summary: "print the changes that sync found",
    about:
      'Prints the changes that "sitetree sync" found: by default those of the last run of each ' +
      "site. Each has a number, which only grows. With --consumer, those that a program has not " +
      `acknowledged; --ack acknowledges them once they are written. ${SNAPSHOT}`,
    examples: [
      "sitetree changes site.db",
      "sitetree changes site.db --since 7d --summary",
      "sitetree changes site.db --after 1234 -f ndjson",
      "sitetree changes site.db --consumer index --ack -f ndjson | ./feed-index",
      "sitetree changes site.db --exit-code > /dev/null || echo changed",
    ],
  },
  snapshot: {
    operands: "COMMAND",
    summary: "look after a snapshot",
    about: `Looks after a snapshot that "sitetree sync" or a fleet keeps. ${SNAPSHOT}`,
    examples: [
      "sitetree snapshot sites sites.db",
      "sitetree snapshot prune sites.db --keep-changes 90d",
    ],
  },
  "snapshot sites": {
    operands: "SNAPSHOT",
    summary: "list the sites of a snapshot",
    about: "Lists the sites of a snapshot: pages, and how and when the last run of each ended. " +
      SNAPSHOT,
    examples: [
      "sitetree snapshot sites sites.db",
      "sitetree snapshot sites sites.db -f csv -o sites.csv",
    ],
  },
  "snapshot runs": {
    operands: "SNAPSHOT",
    summary: "list the runs of a snapshot",
    about: "Lists the runs of a snapshot, oldest first, with the number of changes of each. " +
      SNAPSHOT,
    examples: [
      "sitetree snapshot runs sites.db --site example.com",
      "sitetree snapshot runs sites.db -f ndjson",
    ],
  },
  "snapshot forget": {
    operands: "SNAPSHOT SITE",
    summary: "remove a site from a snapshot",
    about: "Removes a site, or one of its sitemaps, from a snapshot. Its pages are recorded as " +
      `removed. A sitemap that the site still lists comes back with the next run. ${SNAPSHOT}`,
    examples: [
      "sitetree snapshot forget sites.db example.com",
      "sitetree snapshot forget sites.db a.test --sitemap https://a.test/old.xml",
    ],
  },
  "snapshot prune": {
    operands: "SNAPSHOT",
    summary: "delete old changes of a snapshot",
    about: "Deletes old changes and runs of a snapshot. Pages stay, and so do changes that a " +
      `consumer has not acknowledged, unless --ignore-consumers. ${SNAPSHOT}`,
    examples: ["sitetree snapshot prune sites.db --keep-changes 90d"],
  },
  fleet: {
    operands: "COMMAND",
    summary: "walk many sites, on many machines",
    about: "Keeps a snapshot of many sites in PostgreSQL up to date, by any number of workers; " +
      '"sitetree changes", "ls" and the others read it. On one machine, "sitetree sync --from ' +
      'sites.txt sites.db" needs no database server.',
    examples: [
      "export SITETREE_DATABASE=postgres://db.example/fleet",
      "sitetree fleet enqueue nightly sites.txt --every 24h",
      "sitetree fleet work --slots 50                    # on each machine",
      "sitetree fleet status nightly --watch",
      "sitetree ls $SITETREE_DATABASE --run nightly -o pages.ndjson.gz",
      "sitetree changes $SITETREE_DATABASE --consumer index --ack -f ndjson",
    ],
  },
  "fleet enqueue": {
    operands: "RUN FILE",
    summary: "add the sites in FILE to a run",
    about:
      "Adds sites to a run, which is created if necessary: all of them, or none if a line is " +
      "invalid. Sites that the run has already are skipped. If all its sites have a verdict, the " +
      `next round begins, with exactly these sites. ${SITE_LIST}`,
    examples: [
      "sitetree fleet enqueue nov sites.txt --database postgres://db.example/fleet",
      "sitetree fleet enqueue nightly sites.txt --every 24h",
      "zcat sites.gz | sitetree fleet enqueue nov -",
    ],
  },
  "fleet work": {
    operands: "",
    summary: "walk the sites of all runs",
    about: "Walks the sites of all runs that are not paused, until it is interrupted. Sites in " +
      "progress are handed back then. Sites that failed for a reason that may pass are walked again " +
      "later. Any number of workers can share a database. Elsewhere than on a terminal, it logs its " +
      "start, its progress once a minute, lost and found connections, lost leases, and sites that it " +
      "gives up.",
    examples: [
      "sitetree fleet work --slots 50 --database postgres://db.example/fleet",
      "sitetree fleet work --log json --serve 9090       # as a service",
      "sitetree fleet work --drain --run nov",
    ],
  },
  "fleet status": {
    operands: "[RUN]",
    summary: "print the progress of a run, or a list of runs",
    about:
      "Prints the progress of a run: round, sites by verdict, pages, rate, remaining time, suspects " +
      "(sites that were on a worker when it died, which are walked one at a time), failures by code, " +
      "hosts being walked, and sites that are blocked or failed. Without RUN, lists all runs.",
    examples: ["sitetree fleet status nov --watch", "sitetree fleet status nov -f json"],
  },
  "fleet sites": {
    operands: "RUN",
    summary: "list the sites of a run, with verdicts and reasons",
    about:
      "Lists the sites of a run: verdict of this round, pages, and why a site is not complete.",
    examples: [
      "sitetree fleet sites nov --verdict failed",
      "sitetree fleet sites nov --code timeout",
      "sitetree fleet sites nov -o sites.csv",
    ],
  },
  "fleet retry": {
    operands: "RUN",
    summary: "walk sites of a run again",
    about: "Walks sites of this round again: those with a verdict, or one of them.",
    examples: [
      "sitetree fleet retry nov --verdict blocked",
      "sitetree fleet retry nov --site https://example.com/",
    ],
  },
  "fleet pause": {
    operands: "RUN",
    summary: "stop starting sites of a run",
    about: "Stops starting sites of a run; those in progress are finished.",
    examples: ["sitetree fleet pause nov"],
  },
  "fleet resume": {
    operands: "RUN",
    summary: "continue a run that was paused",
    about: "Continues a run that was paused.",
    examples: ["sitetree fleet resume nov"],
  },
  "fleet drop": {
    operands: "RUN",
    summary: "delete a run; the snapshot stays",
    about:
      "Deletes a run, after a question on a terminal. The snapshot keeps its sites and pages; " +
      '"sitetree snapshot forget" removes them.',
    examples: ["sitetree fleet drop nov --yes"],
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

export const ALL_NAMES = Object.keys(COMMANDS) as readonly (CommandName | ParentName)[];

export const COMMAND_NAMES: readonly CommandName[] = ALL_NAMES.filter((name) => !isParent(name));

export const FLEET_NAMES: readonly CommandName[] = COMMAND_NAMES
  .filter((name) => name.startsWith("fleet "));

export function namesBelow(parent?: ParentName): readonly (CommandName | ParentName)[] {
  return ALL_NAMES.filter((name) =>
    parent === undefined ? !name.includes(" ") : name.startsWith(`${parent} `)
  );
}

export function isParent(name: string): name is ParentName {
  return name === "snapshot" || name === "fleet";
}

export function lastWord(name: CommandName | ParentName): string {
  return name.split(" ").at(-1)!;
}

export function withoutComment(example: string): string {
  return example.split(" #", 1)[0]!.trimEnd();
}
