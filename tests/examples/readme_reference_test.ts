import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { KNOWN_PATHS } from "../../mod.ts";
import { EXIT_CODES } from "../../src/cli/failure.ts";
import { COMMANDS, FORMATS, OPTIONS } from "../../src/cli/options.ts";
import { INVALID_CODES, WARNING_CODES } from "../../src/data/codes.ts";
import { normalized } from "../cli/golden.ts";
import { codeBlocks, tableNames } from "../support/readme.ts";

const ROOT = new URL("../../", import.meta.url);
const README = Deno.readTextFileSync(new URL("README.md", ROOT));
const CONFIG = JSON.parse(Deno.readTextFileSync(new URL("deno.json", ROOT))) as {
  imports: Record<string, string>;
  exports: Record<string, string>;
  tasks: Record<string, string>;
  name: string;
};

/** Output without what differs from run to run: port, time, and sizes, which depend on the port. */
function steady(output: string): string {
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+\//.exec(output) ?? [];
  return normalized(output, url).replace(/\d+(?:\.\d+)? k?B\b/g, "{{size}}");
}

Deno.test("the README shows what the demo prints", async () => {
  const [shown = ""] = codeBlocks(README).filter(({ info }) => info === "text")
    .map(({ code }) => code);
  const [, task = "", excerpt = ""] = /^\$ npx --yes deno@\S+ task (\S+)\n([^]*)$/.exec(shown) ??
    [];
  assertEquals(task, "demo");
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", task],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stderr: "inherit",
  }).output();
  assert(success);
  const printed = steady(new TextDecoder().decode(stdout));
  let rest = printed;
  for (const part of steady(excerpt).split("⋮\n")) {
    assertStringIncludes(rest, part);
    rest = rest.slice(rest.indexOf(part) + part.length);
  }
  assertEquals(rest, "", "it is shown to its end");
  assert(printed.startsWith(steady(excerpt).split("⋮\n")[0] ?? ""), "and from its beginning");
});

Deno.test("the README's tables name every command, option and exit code of the command line", () => {
  const named = tableNames(README);
  const missing = [
    ...Object.keys(COMMANDS).filter((name) => !README.includes(`\`sitetree ${name}`)),
    ...OPTIONS.filter(({ name }) => ![...named].some((word) => word.startsWith(`--${name}`)))
      .map(({ name }) => name),
    ...OPTIONS.flatMap(({ short = [] }) => short)
      .filter((short) => ![...named].some((word) => word.split(" ")[0] === `-${short}`)),
    ...Object.keys(FORMATS).filter((name) => !README.includes(`\`${name}\``)),
  ];
  assertEquals(missing, []);
  for (const code of Object.values(EXIT_CODES)) {
    assertMatch(README, new RegExp(`^\\| ${code} +\\|`, "m"));
  }
});

Deno.test("the README's tables of codes say what the code says", () => {
  const rows = new Map<string, string[]>();
  for (const [, code = "", meaning = ""] of README.matchAll(/^\| `([\w-]+)` +\| (.+?) +\|$/gm)) {
    rows.set(code, [...rows.get(code) ?? [], meaning]);
  }
  for (const [code, meaning] of Object.entries({ ...INVALID_CODES, ...WARNING_CODES })) {
    assert(rows.get(code)?.includes(meaning), `"${code}" means "${meaning}"`);
  }
  assert(rows.get("too-large")?.includes(INVALID_CODES["too-large"]), "the one that both have");
});

Deno.test("the README names every dependency, entry point and task, and counts known paths", () => {
  const named = tableNames(README);
  const missing = [
    ...Object.keys(CONFIG.imports),
    ...Object.keys(CONFIG.exports).map((path) => CONFIG.name + path.slice(1)),
    ...Object.keys(CONFIG.tasks).map((task) => `deno task ${task}`),
  ].filter((name) => !named.has(name));
  assertEquals(missing, []);
  assertMatch(README.replace(/\s+/g, " "), new RegExp(`and ${KNOWN_PATHS.length} paths where`));
});

Deno.test("the README's links lead to files and headings", () => {
  const headings = [...README.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replace(/[^\w\s-]/g, "").replaceAll(" ", "-")
  );
  const targets = [...README.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  assert(targets.length > 20, "the links were read");
  for (const target of targets) {
    if (/^https:/.test(target)) continue;
    if (target.startsWith("#")) assert(headings.includes(target.slice(1)), target);
    else assert(Deno.statSync(new URL(target, ROOT)).isFile, target);
  }
});
