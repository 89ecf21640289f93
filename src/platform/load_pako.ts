/**
 * Loads pako with the first compressed document, on runtimes without `node:zlib`.
 *
 * The npm package replaces this module by `load_pako_static.ts` under the conditions `browser` and
 * `worker`: both have the same exports.
 *
 * @module
 */

/** Loads the inflater made of pako. */
export function loadPako(): Promise<typeof import("./inflater.ts")> {
  return import("./inflater.ts");
}
