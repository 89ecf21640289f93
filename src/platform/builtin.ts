/**
 * Built-in modules of Node, where the runtime has them: Node, Deno, Bun, and workerd with the flag
 * `nodejs_compat`. Bundlers for browsers see no import.
 *
 * @module
 */

/** Built-in modules that the library uses, each with a fallback. */
interface Builtins {
  readonly "node:buffer": typeof import("node:buffer");
  readonly "node:dns/promises": typeof import("node:dns/promises");
  readonly "node:fs": typeof import("node:fs");
  readonly "node:os": typeof import("node:os");
  readonly "node:path": typeof import("node:path");
  readonly "node:process": typeof import("node:process");
  readonly "node:timers": typeof import("node:timers");
  readonly "node:zlib": typeof import("node:zlib");
}

/** The part of the `process` global that leads to the others. */
interface BuiltinLookup {
  readonly getBuiltinModule?: (name: string) => unknown;
}

/** Returns a built-in module of Node, or `undefined` if the runtime has none of that name. */
export function builtin<N extends keyof Builtins>(name: N): Builtins[N] | undefined {
  const { process } = globalThis as { readonly process?: BuiltinLookup };
  try {
    return process?.getBuiltinModule?.(name) as Builtins[N] | undefined;
  } catch {
    // a runtime that refuses a module has none of that name
    return undefined;
  }
}
