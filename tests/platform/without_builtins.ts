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
