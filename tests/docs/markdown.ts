/** Reads the Markdown of the documentation: fenced blocks, tables, headings and links. @module */

export const ROOT: URL = new URL("../../", import.meta.url);

export interface Document {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface CodeBlock {
  /** Language tag, such as `ts`. */
  readonly tag: string;
  readonly code: string;
}

/** Reads a file by its path from the root of the repository. */
export function readText(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}

/** Reads every document that users see. */
export function documents(): Document[] {
  const pages = [...Deno.readDirSync(new URL("docs/", ROOT))].map(({ name }) => `docs/${name}`);
  return ["README.md", "CHANGELOG.md", ...pages.filter((path) => path.endsWith(".md")).sort()]
    .map((path) => ({ path, text: readText(path) }));
}

export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^ *```([^\n`]*)\n([^]*?)^ *```[ \t]*$/gm)]
    .map((match) => ({ tag: match[1]!.trim(), code: match[2]! }));
}

/** Returns a text without its fenced blocks. */
export function prose(markdown: string): string {
  return markdown.replace(/^ *```[^]*?^ *```[ \t]*$/gm, "");
}

/** Returns the text below a heading, up to the next heading of any level. */
export function section(markdown: string, heading: string): string {
  const [, text] = new RegExp(`^#+ ${heading}\n([^]*?)(?=^#+ |(?![^]))`, "m").exec(markdown) ?? [];
  if (text === undefined) throw new RangeError(`No heading "${heading}"`);
  return text;
}

/** Returns the rows of all tables of a text, without their heads, as trimmed cells. */
export function tableRows(markdown: string): string[][] {
  const lines = prose(markdown).split("\n");
  return lines.filter((line, at) =>
    line.startsWith("|") && !isRule(line) && !isRule(lines[at + 1] ?? "")
  ).map((line) =>
    line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim().replaceAll("\\|", "|"))
  );
}

function isRule(line: string): boolean {
  return /^\|(?: *:?-+:? *\|)+$/.test(line);
}

/** Returns the code spans of a cell, up to a parenthesis: `walk(url)` is `walk`. */
export function codeSpans(cell: string): string[] {
  return [...cell.matchAll(/`([^`(]+)[^`]*`/g)].map(([, name]) => name!.trim());
}

export function anchors(markdown: string): string[] {
  return [...prose(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replace(/[^\w\s-]/g, "").replaceAll(" ", "-")
  );
}

export function linkTargets(markdown: string): string[] {
  return [...prose(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
}
