import { assertEquals, assertLessOrEqual } from "@std/assert";
import {
  anchors,
  codeBlocks,
  codeSpans,
  documents,
  linkTargets,
  readText,
  ROOT,
  section,
  tableRows,
} from "./markdown.ts";

const MAX_README_LINES = 250;

/** Tags of blocks that the tests execute, and tags of blocks that are text or a file. */
const TAGS = ["ts", "sql", "sh", "bash", "text", "json", "csv", "xml", "ini", "dockerfile", "yaml"];

Deno.test("Markdown is split into blocks, rows, anchors and links", () => {
  const markdown = "# A b\n```ts\nconst a = [1](x);\n```\n\n## C, d\n```sh\nls\n```\n" +
    "| option | default |\n| --- | ---: |\n| `a`, `b(url)` | `c` \\| d |\n[e](f.md#g)\n";
  assertEquals(codeBlocks(markdown), [
    { tag: "ts", code: "const a = [1](x);\n" },
    { tag: "sh", code: "ls\n" },
  ]);
  assertEquals(tableRows(markdown), [["`a`, `b(url)`", "`c` | d"]]);
  assertEquals(codeSpans("`a`, `b(url)`"), ["a", "b"]);
  assertEquals(anchors(markdown), ["a-b", "c-d"]);
  assertEquals(linkTargets(markdown), ["f.md#g"]);
  assertEquals(linkTargets(section(markdown, "A b")), []);
  assertEquals(linkTargets(section(markdown, "C, d")), ["f.md#g"]);
});

Deno.test("the README has at most 250 lines and links to every page of the documentation", () => {
  const readme = readText("README.md");
  assertLessOrEqual(readme.trimEnd().split("\n").length, MAX_README_LINES);
  const targets = linkTargets(readme).map((target) => target.split("#")[0]);
  const pages = documents().map(({ path }) => path).filter((path) => path !== "README.md");
  assertEquals(pages.filter((path) => !targets.includes(path)), []);
});

Deno.test("every block of the documentation has a known tag", () => {
  const unknown = documents().flatMap(({ path, text }) =>
    codeBlocks(text).filter(({ tag }) => !TAGS.includes(tag)).map(({ tag }) => `${path}: "${tag}"`)
  );
  // fleet_test.ts and recipe_programs_test.ts run theirs; that of sync.md needs a second site, and only
  // its types are checked
  assertEquals(unknown, [
    'docs/fleet.md: "ts ignore"',
    ...Array.from({ length: 2 }, () => 'docs/recipes.md: "ts ignore"'),
    'docs/sync.md: "ts ignore"',
  ]);
});

Deno.test("every link of the documentation leads to a file and a heading", () => {
  const broken: string[] = [];
  for (const { path, text } of documents()) {
    for (const target of linkTargets(text)) {
      if (/^https:/.test(target)) continue;
      const [file = "", anchor] = target.split("#");
      const url = new URL(file, new URL(path, ROOT));
      const linked = file === "" ? text : readFile(url);
      const isFound = linked !== undefined &&
        (anchor === undefined || anchors(linked).includes(anchor));
      if (!isFound) broken.push(`${path}: ${target}`);
    }
  }
  assertEquals(broken, []);
});

function readFile(url: URL): string | undefined {
  try {
    return Deno.readTextFileSync(url);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

Deno.test("the changelog has the unreleased changes first, then the current version", () => {
  const { version } = JSON.parse(readText("deno.json")) as { version: string };
  const versions = [...readText("CHANGELOG.md").matchAll(/^## \[(.+?)\]/gm)].map(([, name]) =>
    name
  );
  assertEquals(versions.slice(0, 2), ["Unreleased", version]);
});
