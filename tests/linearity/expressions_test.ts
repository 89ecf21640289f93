/**
 * The regular expressions of `src/`, checked by a tool: none takes more than linear time, but for those
 * that no text from outside reaches.
 *
 * @module
 */

import { assert, assertArrayIncludes, assertEquals } from "@std/assert";
import { check } from "npm:recheck@4.5.0";
import ts from "npm:typescript@5.9.3";
import { builtExpressions, type Expression, modules } from "./built_expressions.ts";

/** Milliseconds for a verdict, which takes ten seconds at most if nothing else runs. */
const TIMEOUT = 300_000;

/** Literals that may take longer, though not exponential time, and why their texts are short. */
const SHORT: Readonly<Record<string, readonly [path: string, reason: string]>> = {
  [String.raw`/\B(?=(?:\d{3})+$)/g`]: ["src/data/text.ts", "the digits of a number"],
  [String.raw`/\ue000|\s*<_\/>/`]: ["src/write/xml.ts", "markup of the library, without values"],
};

/** Where expressions are built that may take longer, though not exponential time. */
const SHORT_BUILT: Readonly<Record<string, string>> = {
  'src/data/date.ts new RegExp(`^${pattern}$`, "i")': "dates have 100 characters at most",
};

/** Where expressions of the user are built, who waits for them. */
const BY_USER: readonly string[] = [
  "src/cli/arguments.ts new RegExp(value, `${value.flags}i`)",
  'src/cli/values.ts new RegExp(text, "u")',
  "src/cli/values.ts new RegExp(text)",
];

/** A place in a module, with its text. */
interface Place {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Returns the literals of a module, and where it builds expressions. */
function expressionsIn(path: string, source: string): { literals: Place[]; built: Place[] } {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const literals: Place[] = [], built: Place[] = [];
  const visit = (node: ts.Node): void => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    const place = { path, line: line + 1, text: node.getText(file) };
    if (ts.isRegularExpressionLiteral(node)) literals.push(place);
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isCall && /\bRegExp$/.test(node.expression.getText(file))) built.push(place);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { literals, built };
}

/** Uses the functions that build expressions when they are called. */
async function useBuilders(
  load: (path: string) => Promise<Record<string, unknown>>,
): Promise<void> {
  const { parseSitemap } = await load("mod.ts") as unknown as typeof import("../../mod.ts");
  const xml = "<urlset><url><a><url><loc>https://a.test/</loc></url></a></url></urlset>";
  const { toCsv } = await load("src/write/mod.ts") as typeof import("../../src/write/mod.ts");
  for await (const _ of ReadableStream.from(parseSitemap(xml)).pipeThrough(toCsv()));
}

/** Returns `safe`, `polynomial`, `exponential`, or why the tool gives none. */
async function verdictOf(source: string, flags: string): Promise<string> {
  const result = await check(source, flags, { timeout: TIMEOUT });
  if (result.status === "unknown") return result.error.kind;
  return result.status === "safe" ? "safe" : result.complexity.type;
}

// the tool keeps a process
const options = { sanitizeOps: false, sanitizeResources: false };

Deno.test("no regular expression takes more than linear time", options, async (t) => {
  const literals: Expression[] = [];
  /** Texts of the places where expressions are built. */
  const builders = new Map<string, string>();
  for (const path of modules()) {
    const found = expressionsIn(path, Deno.readTextFileSync(path));
    for (const { text, line } of found.literals) {
      const end = text.lastIndexOf("/");
      const [source, flags] = [text.slice(1, end), text.slice(end + 1)];
      literals.push({ source, flags, place: `${path}:${line}` });
    }
    for (const { text, line } of found.built) builders.set(`${path}:${line}`, `${path} ${text}`);
  }
  assert(literals.length > 200, "the literals were read");
  const built = await builtExpressions(useBuilders);
  const unused = [...builders.keys()].filter((place) => !built.some((one) => one.place === place));
  assertEquals(unused.map((place) => builders.get(place)).sort(), [...BY_USER].sort());

  const exceptions = new Set<string>(), checked = new Set<string>();
  for (const { source, flags, place } of [...literals, ...built]) {
    const literal = `/${source}/${flags}`, builder = builders.get(place) ?? "";
    if (checked.has(literal)) continue;
    checked.add(literal);
    const isShort = SHORT[literal]?.[0] === place.replace(/:\d+$/, "");
    if (isShort) exceptions.add(literal);
    if (builder in SHORT_BUILT) exceptions.add(builder);
    const allowed = isShort || builder in SHORT_BUILT ? ["safe", "polynomial"] : ["safe"];
    await t.step(`${place} ${literal}`, async () => {
      assertArrayIncludes(allowed, [await verdictOf(source, flags)]);
    });
  }
  assertEquals(exceptions, new Set([...Object.keys(SHORT), ...Object.keys(SHORT_BUILT)]));
});
