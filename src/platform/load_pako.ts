/**
 * Loads pako with the first compressed document, on runtimes without `node:zlib`.
 *
 * A separate module, since the npm package replaces it by `load_pako_static.ts` under the conditions
 * `browser` and `worker`.
 *
 * @module
 */

export type Pako = Pick<typeof import("pako"), "zlibInflate" | "zlibInflateInit2" | "ZStream">;

export async function loadPako(): Promise<Pako> {
  // the names allow bundlers to drop the rest
  const { zlibInflate, zlibInflateInit2, ZStream } = await import("pako");
  return { zlibInflate, zlibInflateInit2, ZStream };
}
