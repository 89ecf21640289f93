/**
 * Where the pages of a tree are kept: in memory unless told otherwise, here on disk.
 *
 * `collect()` keeps pages encoded, some 20 to 40 bytes each, and makes page objects when they are
 * asked for. With {@linkcode diskStore} even those bytes leave memory:
 *
 * ```ts ignore
 * import { collect, walk } from "@sitetree/sitetree";
 * import { diskStore } from "@sitetree/sitetree/store";
 *
 * using tree = await collect(walk("https://example.com/"), { store: diskStore() });
 * for (const page of tree.allPages()) console.log(page.url);
 * ```
 *
 * The temporary file is gone at the end of the block, and at the end of the process in any case.
 *
 * @module
 */

export { diskStore, type DiskStoreOptions } from "./disk_store.ts";
export type { PageStore } from "./page_list.ts";
