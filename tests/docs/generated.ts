/** Generated parts of the documentation. @module */

import { assertEquals } from "@std/assert";
import { readText, ROOT, section } from "./markdown.ts";

/** Returns a table as the formatter writes it; the first row is its head. */
function formattedTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[], filler = " ") =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, filler)).join(" | ")} |\n`;
  const [head = [], ...rest] = rows;
  return line(head) + line(head.map(() => ""), "-") + rest.map((row) => line(row)).join("");
}

/**
 * Asserts that the section of a page below a heading has generated text that `find` matches;
 * `UPDATE_GOLDEN=1` writes it.
 */
export function assertGenerated(
  path: string,
  heading: string,
  { find, expected }: { readonly find: RegExp; readonly expected: string },
): void {
  const text = readText(path);
  const written = section(text, heading);
  if (Deno.env.get("UPDATE_GOLDEN") === "1") {
    const updated = written.replace(find, () => expected);
    Deno.writeTextFileSync(new URL(path, ROOT), text.replace(written, () => updated));
  }
  assertEquals(find.exec(section(readText(path), heading))?.[0], expected);
}

/** Asserts the same of a table, whose first row is its head. */
export function assertTable(
  path: string,
  heading: string,
  rows: readonly (readonly string[])[],
): void {
  assertGenerated(path, heading, { find: /(?:^\|.*\n)+/m, expected: formattedTable(rows) });
}
