/**
 * Operands as events: what the command line reads, for programs.
 *
 * {@linkcode openSource} takes a URL, a host, a folder, a file of a sitemap, a saved walk or a snapshot,
 * and returns the events of its walk, with what it was read as and notes about that;
 * {@linkcode openSources} takes several, and lists of them. For Deno, Node and Bun; a database is loaded
 * only for a snapshot.
 *
 * @example Pages of whatever a user names
 * ```ts ignore
 * import { openSource } from "@sitetree/sitetree/source";
 *
 * const onNote = ({ message }: { message: string }) => console.error(message);
 * for await (const event of openSource(Deno.args[0]!, { onNote })) {
 *   if (event.type === "page") console.log(event.page.url);
 * }
 * ```
 *
 * @module
 */

export type { Source, SourceNote } from "./reader.ts";
export { openSource, openSources, type SourceOptions } from "./source.ts";
export { SourceError } from "./source_error.ts";
