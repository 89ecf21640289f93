import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { INVALID_CODES, KNOWN_PATHS, NOTE_CODES, REQUEST_CODES, WARNING_CODES } from "../../mod.ts";
import { type Rule, RULE_SOURCES, RULES } from "../../src/check/mod.ts";
import { EXIT_CODES } from "../../src/cli/failure.ts";
import { FORMAT_NAMES } from "../../src/cli/format_names.ts";
import { COMMAND_NAMES, FLEET_NAMES } from "../../src/cli/commands.ts";
import { OPTIONS } from "../../src/cli/options.ts";
import { SYNC_RULES } from "../../src/sync/options.ts";
import { REQUEST_OPTIONS, WALK_RULES } from "../../src/walk/options.ts";
import { textFiles } from "../support/text_files.ts";
import { SERVER_RUNTIMES } from "../../tools/runtimes/install.ts";
import { upwardImports } from "../support/house.ts";
import { PublicApi } from "../support/public_api.ts";
import { assertGenerated, assertTable } from "./generated.ts";
import { codeSpans, readText, ROOT, section, tableRows } from "./markdown.ts";

const REFERENCE = "docs/reference.md";
const CONFIG = JSON.parse(readText("deno.json")) as {
  imports: Record<string, string>;
  exports: Record<string, string>;
  tasks: Record<string, string>;
  name: string;
};

/** Returns the code spans in the first cells of the tables below a heading. */
function namesIn(path: string, heading: string): string[] {
  return tableRows(section(readText(path), heading)).flatMap(([cell = ""]) => codeSpans(cell));
}

function apiOf(path: string): Promise<PublicApi> {
  return PublicApi.of(new URL(path, ROOT).pathname);
}

const API = await apiOf("mod.ts");

Deno.test("the reference has the codes, their meanings and the known paths of the code", () => {
  const tables = {
    "Request codes": REQUEST_CODES,
    "Invalid codes": INVALID_CODES,
    "Warning codes": WARNING_CODES,
    "Note codes": NOTE_CODES,
  };
  for (const [heading, meanings] of Object.entries(tables)) {
    const rows = Object.entries(meanings).map(([name, meaning]) => [`\`${name}\``, meaning]);
    assertTable(REFERENCE, heading, [["code", "meaning"], ...rows]);
  }
  const expected = KNOWN_PATHS.map((path) => `/${path}\n`).join("");
  assertGenerated(REFERENCE, "Known paths", { find: /(?<=^```text\n)[^`]*/m, expected });
});

/** Returns the severities that the findings of a rule can have, that of the rule first. */
function severities({ severity, aspects }: Rule): string {
  const all = Object.values(aspects).map((aspect) => aspect.severity ?? severity);
  return [...new Set([severity, ...all])].join(", ");
}

Deno.test("the page on checks has the rules and sources of the code", () => {
  const rules = Object.entries(RULES).map(([code, rule]) => [
    `\`${code}\``,
    severities(rule),
    rule.title,
    rule.help,
    rule.sources.join(" "),
  ]);
  assertTable("docs/check.md", "Rules", [
    ["code", "severity", "rule", "what to do", "sources"],
    ...rules,
  ]);
  const sources = Object.entries(RULE_SOURCES).map(([key, [name, url]]) => [
    key,
    url === undefined ? name : `[${name}](${url})`,
  ]);
  assertTable("docs/check.md", "Sources", [["key", "source"], ...sources]);
});

Deno.test("the reference has every public name, and no other", async () => {
  const apis = await Promise.all(Object.values(CONFIG.exports).map(apiOf));
  const spans = codeSpans(section(readText(REFERENCE), "Entry points"));
  assertEquals(
    [...new Set(spans.filter((span) => !span.startsWith("@")))].sort(),
    [...new Set(apis.flatMap(({ names }) => names))].sort(),
  );
});

Deno.test("the reference has every option of a walk and a parse, with its default", () => {
  const options = API.membersOf("WalkOptions");
  assert(options.length > 25, "the options were read");
  assertEquals(namesIn(REFERENCE, "Options of a walk").sort(), options.toSorted());
  const limits = API.membersOf("DocumentLimits");
  assertEquals(
    [...namesIn(REFERENCE, "Options of a parse"), ...limits].sort(),
    API.membersOf("ParseOptions").sort(),
  );
  const rows = tableRows(section(readText(REFERENCE), "Options of a walk"));
  for (const [cell = "", stated = ""] of rows) {
    const [name = ""] = codeSpans(cell);
    const doc = API.docOf("WalkOptions", name);
    const [, documented = ""] = /Default: (.+?)(?:[.,;]\s|[.,;]?$)/.exec(doc) ?? [];
    assert(documented !== "", `"${name}" documents its default`);
    if (/\d|true|false/.test(documented)) {
      assertEquals([name, stated.replaceAll("`", "")], [name, documented.replaceAll("`", "")]);
    }
  }
});

/** Returns a default as doc comments have it; `undefined` if it depends on other options. */
function defaultText(value: unknown): string | undefined {
  if (typeof value !== "number") return typeof value === "boolean" ? String(value) : undefined;
  if (value === Infinity) return "none";
  return value % 2 ** 20 === 0 && value > 0 ? `${value / 2 ** 20} MiB` : value.toLocaleString("en");
}

Deno.test("the doc comments of options have the defaults of their rules", async () => {
  const api = await apiOf("src/sync/mod.ts");
  const times: Readonly<Record<string, string>> = {
    "3,600,000": "1 h",
    "1,209,600,000": "14 days",
  };
  let count = 0;
  for (const [name, { default: value }] of Object.entries({ ...WALK_RULES, ...SYNC_RULES })) {
    const doc = api.docOf("SyncAllOptions", name) || API.docOf("WalkOptions", name);
    const text = defaultText(value);
    if (text === undefined) continue;
    assertMatch(doc, new RegExp(`Default: ${times[text] ?? text}(?:[.,;]|$| without| with)`), name);
    count++;
  }
  assert(count > 25, `${count} defaults`);
});

Deno.test("probePages() has the options of walk() that are about requests", async () => {
  const paths = ["mod.ts", "src/check/mod.ts"].map((path) => new URL(path, ROOT).pathname);
  const names = (await PublicApi.of(...paths)).membersOf("ProbeOptions");
  assertEquals(names.sort(), ["agent", ...REQUEST_OPTIONS].sort());
});

Deno.test("the page on snapshots has every option and event of a synchronisation", async () => {
  const api = await apiOf("src/sync/mod.ts");
  assertEquals(namesIn("docs/sync.md", "Usage").sort(), api.membersOf("SyncOptions").sort());
  const events = namesIn("docs/sync.md", "Events");
  for (const type of ["added", "changed", "removed", "sitemap-unchanged", "finished"]) {
    assert(events.includes(type), type);
  }
});

Deno.test("the table of limits has every limit with its default", () => {
  const rows = tableRows(section(readText("docs/SECURITY.md"), "Limits"));
  const limits = new Map(rows.map(([name = "", value = ""]) => [codeSpans(name)[0] ?? "", value]));
  const named = API.membersOf("WalkOptions").filter((name) => name.startsWith("max"));
  assert(named.length > 8, "the limits were read");
  for (const name of [...named, "timeout", "deadline", "retries", "concurrency"]) {
    const [, value = ""] =
      /Default: ([\d,]+(?: [KM]iB)?|none)/.exec(API.docOf("WalkOptions", name)) ??
        [];
    const time = { "30,000": "30 s", "600,000": "10 min", "60,000": "60 s" }[value];
    const stated = limits.get(name);
    assert(stated?.includes(time ?? value), `"${name}" is ${value}, stated as "${stated}"`);
  }
});

Deno.test("the README has every event and verdict", () => {
  const names = namesIn("README.md", "Events");
  const events = API.literalsOf("TreeEvent", "type");
  assertEquals(events.length, 7);
  assertEquals(names.slice(0, events.length).sort(), events.toSorted());
  assertEquals(names.slice(events.length).sort(), ["blocked", "complete", "none", "partial"]);
});

Deno.test("cli.md has every command, option, format and exit code", () => {
  const cli = readText("docs/cli.md");
  const commands = namesIn("docs/cli.md", "Commands").map((words) =>
    words.replace(/^sitetree /, "").replace(/ \[?[A-Z].*/, "")
  );
  assertEquals(commands, COMMAND_NAMES);
  const formats = [...new Set(namesIn("docs/cli.md", "Formats"))];
  const tables = (["list", "report", "check", "changes"] as const)
    .flatMap((kind) => Object.keys(FORMAT_NAMES[kind]));
  assertEquals(
    formats.filter((name) => !COMMAND_NAMES.some((command) => command === name)),
    [...new Set(tables)],
  );
  const codes = tableRows(section(cli, "Exit codes")).map(([code]) => Number(code));
  assertEquals(codes, Object.values(EXIT_CODES).sort((a, b) => a - b));
  const rows = tableRows(section(cli, "Options"));
  const stated = rows.flatMap(([options = "", commandList = ""]) =>
    optionNames(options).map((name) => `${name}: ${commandList}`)
  );
  assertEquals(stated.sort(), optionSpecs().sort());
  for (const { name, default: usual = "off" } of OPTIONS) {
    const [, , cell = ""] = rows.find(([options = ""]) =>
      codeSpans(options).some((span) => span.split(" ")[0] === `--${name}`)
    )!;
    assertStringIncludes(cell.replaceAll("`", ""), usual, `default of --${name}`);
  }
});

/** Returns the names of a cell such as `-f FORMAT`, `--format`: the long ones with their letters. */
function optionNames(cell: string): string[] {
  const words = codeSpans(cell).map((span) => span.split(" ")[0]!);
  const letters = words.filter((word) => /^-\w$/.test(word)).join("");
  return words.filter((word) => word.startsWith("--")).map((word) => letters + word);
}

/** Returns the options of the code in the same form, with the commands that have them. */
function optionSpecs(): string[] {
  const commands = new Map<string, Set<string>>();
  for (const { name, short, commands: list } of OPTIONS) {
    const key = `${short === undefined ? "" : `-${short}`}--${name}`;
    for (const command of list) commands.set(key, (commands.get(key) ?? new Set()).add(command));
  }
  return [...commands].map(([key, list]) => {
    if (list.size === COMMAND_NAMES.length) return `${key}: all`;
    const names = COMMAND_NAMES.filter((name) => list.has(name)).join(", ");
    return `${key}: ${names.replace(FLEET_NAMES.join(", "), "fleet")}`;
  });
}

/** Returns the packages that tools import without `deno.json`. */
function largePackages(): Set<string> {
  const sources = textFiles().filter(({ path }) => /^(?:tests|tools)\/.*\.ts$/.test(path));
  const specifiers = sources.flatMap(({ text }) => [
    ...text.matchAll(/^[^'"`]*(?:from|tool =) "npm:(@?[^@"]+)@/gm),
  ]);
  return new Set(specifiers.map(([, name]) => name!));
}

Deno.test("the documentation has every entry point, task and dependency", () => {
  const entryPoints = Object.keys(CONFIG.exports).map((path) => CONFIG.name + path.slice(1));
  assertEquals(namesIn(REFERENCE, "Entry points").sort(), entryPoints.sort());
  const tasks = namesIn("docs/CONTRIBUTING.md", "Tasks");
  assertEquals(tasks.sort(), Object.keys(CONFIG.tasks).map((task) => `deno task ${task}`).sort());
  const dependencies = namesIn("docs/CONTRIBUTING.md", "Dependencies");
  const recipes = JSON.parse(readText("tests/docs/recipe_imports.json"));
  assertEquals(
    dependencies.sort(),
    [...Object.keys({ ...CONFIG.imports, ...recipes }), ...largePackages()].sort(),
  );
});

Deno.test("ARCHITECTURE.md lists the layers in the order in which they may import", () => {
  const layers = namesIn("docs/ARCHITECTURE.md", "Layers").filter((name) =>
    /^src\/[\w/]+$/.test(name)
  );
  const folders = [
    ...["src/check/formats", "src/check/pages"],
    ...[...Deno.readDirSync(new URL("src/", ROOT))].map(({ name }) => `src/${name}`),
  ];
  assertEquals(layers.toSorted(), folders.sort());
  for (const [at, folder] of layers.entries()) {
    for (const later of layers.slice(at + 1)) {
      const imports = new Map([[`${folder}/a.ts`, [`${later}/b.ts`]]]);
      assertEquals(upwardImports(imports).length, 1, `"${folder}" must not import "${later}"`);
    }
  }
});

Deno.test("the documentation has the versions of Node that are tested and required", () => {
  const rows = tableRows(section(readText("docs/runtimes.md"), "Runtimes"));
  const [, versions = ""] = rows.find(([name]) => name === "Node") ?? [];
  const tested = SERVER_RUNTIMES.filter((name) => name.startsWith("node")).map((name) =>
    name.slice(4)
  );
  assertEquals(versions.split(", ").map((version) => version.split(".")[0]), tested);
  const [, required] = /^const NODE = "(.+)";$/m.exec(readText("tools/pack.ts")) ?? [];
  assertEquals(versions.split(", ")[0], required);
  for (const path of ["README.md", "docs/cli.md"]) {
    const [, stated] = /\bNode (\S+)\s+or\s+later/.exec(readText(path)) ?? [];
    assertEquals([path, stated], [path, required]);
  }
});

Deno.test("the doc task checks every entry point", () => {
  const checked = CONFIG.tasks["doc"]?.split(" ").filter((word) => word.endsWith(".ts")).sort();
  assertEquals(checked, Object.values(CONFIG.exports).map((path) => path.replace("./", "")).sort());
});

Deno.test("the README's two commands are those that CI runs", () => {
  const pattern = /^npx --yes deno@(\S+) task (\S+)$/gm;
  const ci = readText(".ci/run").split("\n");
  const commands = [...readText("README.md").matchAll(pattern)];
  assertEquals(commands.map(([, , task]) => task), ["demo", "test"]);
  for (const [command] of commands) assert(ci.includes(command), `CI runs "${command}"`);
});
