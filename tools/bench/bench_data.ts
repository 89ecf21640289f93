/**
 * Cache of generated documents: `bench-data/`, which is not committed.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { type DocumentKind, generateDocument, generateSitemap } from "./generate.ts";

/** Root of the repository. */
export const ROOT: URL = new URL("../../", import.meta.url);

/** Folder of the cache. */
export const DATA_FOLDER: URL = new URL("bench-data/", ROOT);

/** Version in every file name: raise it when a generator changes. */
const GENERATION = 1;

async function exists(file: URL): Promise<boolean> {
  try {
    await Deno.stat(file);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Returns the path of a cached file, which is written atomically if missing. */
async function cached(name: string, make: () => Uint8Array | Promise<Uint8Array>): Promise<URL> {
  const file = new URL(name, DATA_FOLDER);
  if (await exists(file)) return file;
  await Deno.mkdir(new URL(".", file), { recursive: true });
  const unfinished = new URL(`${file.href}.${Deno.pid}.tmp`);
  await Deno.writeFile(unfinished, await make());
  await Deno.rename(unfinished, file);
  return file;
}

/** Returns the file with a document of one kind. */
export function documentFile(kind: DocumentKind, pages: number): Promise<URL> {
  return cached(`documents-${GENERATION}/${kind}-${pages}`, () => generateDocument(kind, pages));
}

/** Returns the file with one sitemap of the large site. */
export async function sitemapFile(at: number, pages: number, gzip: boolean): Promise<URL> {
  const name = `site-${GENERATION}-${pages}/sitemap-${at}.xml`;
  const plain = await cached(name, () => generateSitemap(pages, at + 1));
  return gzip ? cached(`${name}.gz`, async () => gzipSync(await Deno.readFile(plain))) : plain;
}
