/**
 * What a README holds: fenced blocks, and what its tables name.
 *
 * @module
 */

/** A fenced block of code. */
export interface CodeBlock {
  /** What stands behind the fence, such as `ts`. */
  readonly info: string;
  /** The lines between the fences. */
  readonly code: string;
}

/** Every fenced block of a Markdown text. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```([^\n`]*)\n([^]*?)^```[ \t]*$/gm)]
    .map((match) => ({ info: match[1]!.trim(), code: match[2]! }));
}

/** What stands as code in the first cells of tables, up to a parenthesis: `walk(url)` is `walk`. */
export function tableNames(markdown: string): Set<string> {
  const names = new Set<string>();
  for (const [, cell] of markdown.matchAll(/^\|((?:\\\||[^|\n])+)\|/gm)) {
    for (const [, name] of cell!.matchAll(/`([^`(]+)[^`]*`/g)) names.add(name!.trim());
  }
  return names;
}
