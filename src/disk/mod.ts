/**
 * Folders as sites: `folderFetch()` is a `fetch` for `walk()` that reads files, such as those that a
 * static site generator has built, and requests nothing. For Deno, Node and Bun.
 *
 * @example
 * ```ts ignore
 * import { walk } from "@sitetree/sitetree";
 * import { folderFetch } from "@sitetree/sitetree/disk";
 *
 * const fetch = folderFetch("dist", "https://example.com/");
 * for await (const event of walk("https://example.com/", { fetch })) {
 *   if (event.type === "invalid") console.log(event.sitemap.url, event.reason);
 * }
 * ```
 *
 * @module
 */

export { folderFetch } from "./folder.ts";
