/**
 * Imports pako statically, because service workers forbid `import()`.
 *
 * Nothing in the sources imports this module: it replaces `load_pako.ts` in the npm package, under
 * the conditions `browser` and `worker`.
 *
 * @module
 */

import { zlibInflate, zlibInflateInit2, ZStream } from "pako";
import type { Pako } from "./load_pako.ts";

export function loadPako(): Promise<Pako> {
  return Promise.resolve({ zlibInflate, zlibInflateInit2, ZStream });
}
