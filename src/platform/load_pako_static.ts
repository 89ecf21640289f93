/**
 * Has pako at hand, because service workers forbid `import()`.
 *
 * Nothing in the sources imports this module: it takes the place of `load_pako.ts` in the npm
 * package, under the conditions `browser` and `worker`.
 *
 * @module
 */

import * as pakoInflater from "./inflater.ts";

/** Returns the inflater made of pako. */
export function loadPako(): Promise<typeof import("./inflater.ts")> {
  return Promise.resolve(pakoInflater);
}
