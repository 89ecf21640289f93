/** Rules for the structure of the code: layers of imports, cycles, forbidden constructs. @module */

/** Files by path from the root of the repository, such as `src/xml/scanner.ts`. */
export type Sources = ReadonlyMap<string, string>;

/** The layers, lowest first. A file imports from its own folder and from the folders before it. */
const LAYERS: readonly (readonly [folder: string, exception?: Exception])[] = [
  ["src/data"],
  ["src/platform", { notFrom: ["src/data"] }],
  ["src/bytes"],
  ["src/http"],
  ["src/xml", { notFrom: ["src/platform", "src/http"] }],
  ["src/formats", { notFrom: ["src/platform", "src/http"] }],
  ["src/robots", { notFrom: ["src/platform", "src/http", "src/xml"] }],
  ["src/walk", { notFrom: ["src/platform"] }],
  ["src/tree"],
  ["src/write", { onlyFrom: ["src/data"] }],
  ["src/check", { onlyFrom: ["src/data", "src/bytes", "src/robots"] }],
  ["src/check/pages", {
    onlyFrom: ["src/data", "src/bytes", "src/http", "src/robots", "src/walk", "src/check"],
  }],
  ["src/check/formats", { onlyFrom: ["src/data", "src/write", "src/check"] }],
  ["src/check/mod.ts", { onlyFrom: ["src/check", "src/check/pages", "src/check/formats"] }],
  ["src/report", {
    onlyFrom: ["src/data", "src/bytes", "src/write", "src/check", "src/check/formats"],
  }],
  ["src/disk"],
  ["src/sync"],
  ["src/source"],
  ["src/fleet"],
  ["mod.ts", {
    notFrom: [
      ...["src/platform", "src/check", "src/check/pages", "src/check/formats"],
      ...["src/disk", "src/source", "src/fleet"],
    ],
  }],
  ["src/cli"],
];

interface Exception {
  /** Folders before it that it does not import from. Default: none. */
  readonly notFrom?: readonly string[];
  /** The only ones that it imports from. Default: all. */
  readonly onlyFrom?: readonly string[];
}

const PACKAGE_NAME = "@sitetree/sitetree";
const FORBIDDEN_NAMES = ["utils.ts", "util.ts", "helpers.ts", "index.ts", "types.ts", "common.ts"];
const FILE_NAME_REGEXP = /^[a-z][a-z0-9]*(_[a-z0-9]+)*(?:\.gen)?\.ts$/;

// Strings first, so that a `//` or `/*` inside one starts no comment.
const COMMENT_OR_STRING_REGEXP =
  /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\*[^]*?\*\/|\/\/[^\n]*/g;
const IMPORT_REGEXP =
  /^[ \t]*(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']|^[ \t]*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;

/** Imports of types, which leave nothing at run time. */
const TYPE_IMPORT_REGEXP =
  /^[ \t]*(?:import|export)\s+type\b[^;"'`]*?\bfrom\s*["'][^"']+["']|\btypeof\s+import\([^)]*\)/gm;
/** A runtime's own global, by itself or as a property of the global object. */
const RUNTIME_REGEXP =
  /(?:(?<![\w$#.])|\bglobalThis\s*\??\.\s*)(Deno|process|Bun|Buffer)(?![\w$]|\s*\??:)/;
/** Built-ins of newer versions than the oldest supported runtime has. */
const RECENT_REGEXP =
  /\b(?:Promise\.(?:withResolvers|try)|Array\.fromAsync|(?:Object|Map)\.groupBy|RegExp\.escape|Iterator\.from)\b/;
/** Modules that only some runtimes have, and specifiers that belong into the import map. */
const SPECIFIC_IMPORT_REGEXP = /^(?:node|npm|jsr|bun|cloudflare):/;

export function withoutComments(source: string): string {
  return source.replace(COMMENT_OR_STRING_REGEXP, (found) => found.startsWith("/") ? "" : found);
}

/** The code of a source without comments and strings, but with what templates insert. */
function withoutStrings(source: string): string {
  return source.replace(
    COMMENT_OR_STRING_REGEXP,
    (found) => found.startsWith("`") ? (found.match(/\$\{[^}]*\}/g) ?? []).join() : '""',
  );
}

/** The code of a source without comments and imports of types. */
export function withoutTypeImports(source: string): string {
  return withoutComments(source).replace(TYPE_IMPORT_REGEXP, "");
}

/** Modules that only some runtimes have, as far as a file imports them at run time. */
export function runtimeImports(path: string, source: string): string[] {
  return importsOf(path, withoutTypeImports(source))
    .filter((specifier) => SPECIFIC_IMPORT_REGEXP.test(specifier));
}

/** What of a runtime a file outside `src/platform` uses at run time, one sentence each. */
function runtimeUses(path: string, source: string): string[] {
  const [, name] = RUNTIME_REGEXP.exec(withoutStrings(source)) ?? [];
  const uses = runtimeImports(path, source);
  if (name !== undefined) uses.unshift(name);
  return uses.map((use) => `"${path}" uses "${use}", outside of src/platform`);
}

/** What a file imports, relative specifiers as paths from the root, others as they are. */
export function importsOf(path: string, source: string): string[] {
  return [...withoutComments(source).matchAll(IMPORT_REGEXP)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? "";
    return specifier.startsWith(".")
      ? new URL(specifier, `file:///${path}`).pathname.slice(1)
      : specifier;
  });
}

/** Returns the folder below `src`, the one below that which is a layer, or the entry point itself. */
export function roomOf(path: string): string {
  const layers = LAYERS.map(([folder]) => folder)
    .filter((folder) => path === folder || path.startsWith(`${folder}/`));
  // the longest of them is the last one
  return layers.at(-1) ?? path.split("/").slice(0, 2).join("/");
}

/** Folders that a folder may import from besides itself, or undefined for an unknown folder. */
function importableFrom(room: string): readonly string[] | undefined {
  const at = LAYERS.findIndex(([folder]) => folder === room);
  if (at < 0) return undefined;
  const { notFrom = [], onlyFrom } = LAYERS[at]![1] ?? {};
  const before = LAYERS.slice(0, at).map(([folder]) => folder);
  return onlyFrom ?? before.filter((folder) => !notFrom.includes(folder));
}

/** Imports that lead upward or sideways, one sentence each. */
export function upwardImports(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const faults: string[] = [];
  for (const [path, targets] of imports) {
    const room = roomOf(path);
    const allowed = importableFrom(room);
    if (allowed === undefined) {
      faults.push(`"${path}" is in an unknown folder`);
      continue;
    }
    for (const target of targets) {
      const ownPackage = target === PACKAGE_NAME || target.startsWith(`${PACKAGE_NAME}/`);
      const inside = target === "mod.ts" || target.startsWith("src/");
      const refused = inside && roomOf(target) !== room && !allowed.includes(roomOf(target));
      if (ownPackage || refused) faults.push(`"${path}" must not import "${target}"`);
    }
  }
  return faults;
}

/** Circles among imports, each once, as the paths along it. */
export function circularImports(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  function visit(path: string): void {
    const start = trail.indexOf(path);
    if (start >= 0) circles.push([...trail.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    trail.push(path);
    for (const target of imports.get(path) ?? []) visit(target);
    trail.pop();
    done.add(path);
  }
  for (const path of imports.keys()) visit(path);
  return circles;
}

/** What a file must not contain or be called, one sentence each. */
export function ruleViolations(sources: Sources): string[] {
  const faults: string[] = [];
  for (const [path, source] of sources) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const code = withoutComments(source);
    if (FORBIDDEN_NAMES.includes(name)) faults.push(`"${path}" has a name that says nothing`);
    if (!FILE_NAME_REGEXP.test(name)) faults.push(`"${path}" is not named in snake_case`);
    if (/^\s*export\s+(?:type\s+)?\*/m.test(code)) faults.push(`"${path}" exports by star`);
    if (/^\s*(?:export\s+)?(?:const\s+)?enum\s/m.test(code)) faults.push(`"${path}" has an enum`);
    const [recent] = RECENT_REGEXP.exec(code) ?? [];
    if (recent !== undefined) faults.push(`"${path}" uses "${recent}", which Node 20 lacks`);
    if (roomOf(path) !== "src/platform") faults.push(...runtimeUses(path, source));
    if (["src/cli", "src/platform"].includes(roomOf(path))) continue;
    if (/\bconsole\s*(?:\?\.|\.|\[)/.test(code)) faults.push(`"${path}" uses "console"`);
  }
  return faults;
}

const ROOT = new URL("../../", import.meta.url);

function sourcesBelow(folder: string): [string, string][] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return sourcesBelow(`${folder}${name}/`);
    const path = `${folder}${name}`;
    return name.endsWith(".ts")
      ? [[path, Deno.readTextFileSync(new URL(path, ROOT))] as [string, string]]
      : [];
  });
}

/** Reads the entry point and all sources. */
export function houseSources(): Sources {
  const entry: [string, string] = ["mod.ts", Deno.readTextFileSync(new URL("mod.ts", ROOT))];
  return new Map([entry, ...sourcesBelow("src/")]);
}
