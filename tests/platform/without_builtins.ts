/** Runs code as on a runtime without the modules of Node. @module */

import process from "node:process";

/** Calls a function while no built-in module can be found; modules loaded before keep theirs. */
export async function withoutBuiltins<T>(action: () => T | Promise<T>): Promise<T> {
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (() => undefined) as typeof getBuiltinModule;
  try {
    return await action();
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
}

/** Imports a module of the platform once more, as it is when it finds no built-in module. */
export function importWithoutBuiltins(name: string): Promise<unknown> {
  const url = new URL(`../../src/platform/${name}?without-builtins`, import.meta.url);
  return withoutBuiltins(() => import(url.href));
}
