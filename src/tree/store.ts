/**
 * Storage for the pages of a tree on disk instead of in memory.
 *
 * `collect()` keeps pages encoded, in some 20 to 40 bytes each, and decodes them on access. With
 * {@linkcode diskStore} these bytes are in a file:
 *
 * ```ts ignore
 * import { collect, walk } from "@sitetree/sitetree";
 * import { diskStore } from "@sitetree/sitetree/store";
 *
 * using tree = await collect(walk("https://example.com/"), { store: diskStore() });
 * for (const page of tree.allPages()) console.log(page.url);
 * ```
 *
 * The temporary file is removed at the end of the block, and in any case when the process ends.
 *
 * @module
 */

export type { TemporaryFileOptions as DiskStoreOptions } from "../platform/temporary_file.ts";
export { diskStore } from "./disk_store.ts";
export type { PageStore } from "./page_store.ts";
