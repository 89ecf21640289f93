/** Names that files export, and the files that import them. @module */

import { type Sources, withoutComments } from "./house.ts";

const DECLARATION_REGEXP =
  /^export\s+(?:(?:declare|abstract|async)\s+)*(?:function\*?|class|const|let|type|interface)\s+([\w$]+)/gm;
/** Names in braces, and the module that they are from. */
const LIST_REGEXP =
  /^[ \t]*(import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^}]*)\}(?:\s*from\s*["']([^"']+)["'])?/gm;
/** Modules that are imported whole: `import * as x from`, `import("…")`. */
const WHOLE_REGEXP =
  /^[ \t]*import\s+(?:type\s+)?\*[^;"']*\bfrom\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;

interface ListedName {
  /** Name in the file that declares it. */
  readonly name: string;
  /** Name by which it is imported or exported. */
  readonly alias: string;
}

function listedNames(list: string): ListedName[] {
  return list.split(",").map((item) => item.trim().replace(/^type\s+/, "")).filter(Boolean)
    .map((item) => {
      const [name = "", alias = name] = item.split(/\s+as\s+/);
      return { name, alias };
    });
}

/** Names that a file exports, by a declaration or by a list. */
export function exportsOf(source: string): string[] {
  const code = withoutComments(source);
  const declared = [...code.matchAll(DECLARATION_REGEXP)].map(([, name = ""]) => name);
  const listed = [...code.matchAll(LIST_REGEXP)].flatMap(([, keyword, list = ""]) =>
    keyword === "export" ? listedNames(list).map(({ alias }) => alias) : []
  );
  return [...new Set([...declared, ...listed])];
}

/** Names of other files that a file uses, as `path#name`; of modules imported whole, all its words. */
function usesOf(path: string, source: string): string[] {
  const code = withoutComments(source);
  const resolved = (specifier: string) => new URL(specifier, `file:///${path}`).pathname.slice(1);
  const listed = [...code.matchAll(LIST_REGEXP)].flatMap(([, , list = "", module]) =>
    module === undefined ? [] : listedNames(list).map(({ name }) => `${resolved(module)}#${name}`)
  );
  const words = new Set(code.match(/[\w$]+/g));
  const whole = [...code.matchAll(WHOLE_REGEXP)].flatMap(([, first, second]) => {
    const target = resolved(first ?? second ?? "");
    return [...words].map((word) => `${target}#${word}`);
  });
  return [...listed, ...whole];
}

/** Exports of files below `src` that no source uses and that are not public, as `path#name`. */
export function unusedExports(sources: Sources, entryPoints: readonly string[]): string[] {
  const used = new Set([...sources].flatMap(([path, source]) => usesOf(path, source)));
  return [...sources].filter(([path]) => !entryPoints.includes(path))
    .flatMap(([path, source]) => exportsOf(source).map((name) => `${path}#${name}`))
    .filter((name) => !used.has(name));
}

/** Names that more than one entry point exports. */
export function repeatedNames(names: ReadonlyMap<string, readonly string[]>): string[] {
  const all = [...names.values()].flat();
  return [...new Set(all.filter((name, at) => all.indexOf(name) !== at))];
}
