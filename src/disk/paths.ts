/**
 * Words that are paths, and not hosts.
 *
 * | word                                                              | read as |
 * | ----------------------------------------------------------------- | ------- |
 * | `.`, `..`, `./x`, `../x`, `/x`, `~/x`; `.\x` and `C:\x`            | path    |
 * | `x/`, `x/y.xml`: a single name before a slash, but not `localhost` | path    |
 * | `x.xml`, `x.xml.gz`, `x.db/`: an extension of {@linkcode FILE_EXTENSIONS} | path |
 * | `x.zip`, `x.md`, `x.app`: an extension that is a top-level domain | host    |
 * | `example.com/x.xml`, `x`, `x:80`, `x:80/`, `user@x.xml`, `//x/`   | host    |
 *
 * What exists is a file or a folder in any case, for commands that read both and hosts.
 *
 * @module
 */

/** Extensions of documents and snapshots, none of which is a top-level domain. */
const FILE_EXTENSIONS: readonly string[] = [
  ...["xml", "txt", "rss", "atom", "html", "htm"],
  ...["json", "jsonl", "ndjson", "csv", "gz", "db", "sqlite", "sqlite3"],
];

/** Paths that can be nothing else. */
const PATH_REGEXP = /^(?:\.{1,2}|~)$|^(?:\.{0,2}|~|[a-z]:)[/\\]/i;
const NAME_REGEXP = /^(?!localhost[/\\])[^/\\.:@?#[\]]+[/\\]/i;
const FILE_REGEXP = new RegExp(
  String.raw`^[^/\\:@?#]*\.(?:${FILE_EXTENSIONS.join("|")})(?:[/\\]|$)`,
  "i",
);

/** Whether a word without a scheme is written as a path, and not as a host. */
export function isPath(word: string): boolean {
  if (word.startsWith("//")) return false;
  return PATH_REGEXP.test(word) || NAME_REGEXP.test(word) || FILE_REGEXP.test(word);
}

/** Returns what to do about a path that leads nowhere, but could be meant as a host. */
export function hostHint(path: string): string | undefined {
  return PATH_REGEXP.test(path) ? undefined : `for a host, write "https://${path}"`;
}
