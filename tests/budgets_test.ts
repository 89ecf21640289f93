import { assert, assertEquals } from "@std/assert";
import { codeSpans, readText, ROOT, section, tableRows } from "./docs/markdown.ts";

const ROWS = tableRows(section(readText("docs/ARCHITECTURE.md"), "Budgets"))
  .map(([folder = "", ...numbers]) => ({
    folder: codeSpans(folder)[0]!,
    numbers: numbers.map((cell) => Number(cell.replaceAll(",", ""))),
  }));

/** Returns the number of lines in and below a folder that are written by hand. */
function linesBelow(folder: string): number {
  return [...Deno.readDirSync(new URL(folder, ROOT))].reduce((sum, { name, isDirectory }) => {
    if (isDirectory) return sum + linesBelow(`${folder}${name}/`);
    if (!/\.(?:ts|css|html)$/.test(name) || name.endsWith(".gen.ts")) return sum;
    return sum + readText(folder + name).split("\n").length - 1;
  }, 0);
}

Deno.test("every folder of the source has a budget, a multiple of 50", () => {
  const folders = [...Deno.readDirSync(new URL("src/", ROOT))].map(({ name }) => `src/${name}`);
  assertEquals(ROWS.map(({ folder }) => folder).toSorted(), folders.sort());
  for (const { numbers } of ROWS) {
    assert(numbers.every((number) => number % 50 === 0 && number > 0));
  }
});

for (const { folder, numbers: [limit = 0] } of ROWS) {
  Deno.test(`${folder} is within its budget`, () => {
    const lines = linesBelow(`${folder}/`);
    assert(lines <= limit, `${lines} lines, of ${limit} in docs/ARCHITECTURE.md`);
  });
}
