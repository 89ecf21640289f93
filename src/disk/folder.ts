/**
 * A folder of files as the site that it will be: URLs to files in it, and to nothing else.
 *
 * @module
 */

import { isHttp, withoutPassword } from "../data/url.ts";
import type { Fetch } from "../http/exchange.ts";
import { openToRead, realpathSync, sep, statSync } from "../platform/host.ts";
import { codeOf } from "../platform/process.ts";

const NOT_IN_FOLDER = "not in the folder";

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ["atom", "application/atom+xml"],
  ["gz", "application/gzip"],
  ["html", "text/html"],
  ["json", "application/json"],
  ["rss", "application/rss+xml"],
  ["txt", "text/plain"],
  ["xml", "application/xml"],
]);

/** Segments that do not name one file: empty, `.` and `..`, separators of any system, NUL. */
const NO_NAME_REGEXP = /^\.{0,2}$|[/\\\0]/;

interface FoundFile {
  /** Path from the folder, with forward slashes. */
  readonly name: string;
  /** Path without symbolic links. */
  readonly path: string;
  readonly size: number;
}

export class Folder {
  /** Ends in a slash. */
  readonly url: URL;
  /** The first path whose file is outside of the folder, by symbolic links. */
  linkedOut: string | undefined;
  /** Without symbolic links; ends in a separator. */
  readonly #root: string;
  readonly #base: readonly string[];

  /**
   * @throws {TypeError} if the URL is not http(s), or its path has no names
   * @throws {Error} if the folder does not exist, or cannot be read
   */
  constructor(path: string, baseUrl: string | URL) {
    const url = URL.parse(String(baseUrl));
    const segments = url?.pathname.split("/").filter((segment) => segment !== "") ?? [];
    const base = namesOf(segments);
    if (url === null || !isHttp(url) || base === undefined) {
      const shown = withoutPassword(String(baseUrl));
      throw new TypeError(`Cannot serve a folder at "${shown}": not an http(s) URL of a folder`);
    }
    this.url = new URL(["", ...segments, ""].join("/"), url.origin);
    this.#base = base;
    const root = realpathSync(path);
    if (!statSync(root).isDirectory()) {
      throw Object.assign(new Error(`Not a directory: "${path}"`), { code: "ENOTDIR" });
    }
    this.#root = root.endsWith(sep) ? root : root + sep;
  }

  async fetch(input: string, { method = "GET", signal }: RequestInit = {}): Promise<Response> {
    signal?.throwIfAborted();
    if (method !== "GET" && method !== "HEAD") {
      return new Response(null, { status: 405, headers: { "allow": "GET, HEAD" } });
    }
    const file = this.#find(input);
    if (file === undefined) return new Response(null, { status: 404, statusText: NOT_IN_FOLDER });
    const [, extension = ""] = /\.([^.]*)$/.exec(file.name) ?? [];
    const headers = {
      "content-type": CONTENT_TYPES.get(extension.toLowerCase()) ?? "application/octet-stream",
      "content-length": String(file.size),
    };
    try {
      return new Response(method === "HEAD" ? null : await openToRead(file.path), { headers });
    } catch (error) {
      if (codeOf(error) !== "EACCES") throw error;
      return new Response(null, { status: 403, statusText: "permission denied" });
    }
  }

  /** Returns the path from the folder, with forward slashes. */
  fileOf(url: string): string | undefined {
    return this.#find(url)?.name;
  }

  #find(address: string): FoundFile | undefined {
    const url = URL.parse(address);
    if (url?.origin !== this.url.origin) return undefined;
    const names = namesOf(url.pathname.split("/").slice(1));
    if (names === undefined || this.#base.some((name, at) => name !== names[at])) return undefined;
    const inFolder = names.slice(this.#base.length);
    try {
      const name = inFolder.join("/");
      const path = realpathSync(this.#root + inFolder.join(sep));
      const stats = statSync(path);
      // a folder has no document, and a pipe or a device might never end
      if (!stats.isFile()) return undefined;
      if (path.startsWith(this.#root)) return { name, path, size: stats.size };
      this.linkedOut ??= name;
      return undefined;
    } catch {
      // whatever the reason, it leads to no file
      return undefined;
    }
  }
}

function namesOf(segments: readonly string[]): string[] | undefined {
  try {
    const names = segments.map(decodeURIComponent);
    return names.some((name) => NO_NAME_REGEXP.test(name)) ? undefined : names;
  } catch {
    // a "%" that starts no escape, or escapes that are not UTF-8
    return undefined;
  }
}

/**
 * Returns a `fetch` for `walk()` that reads the files of a folder, as if it were served at a URL:
 * robots.txt, sitemaps, and the sitemaps that indexes list, gzipped or not.
 *
 * Nothing outside of the folder is read, and nothing is requested: any other URL, and any that leads
 * out of the folder by symbolic links, is 404 with the reason `not in the folder`. Queries are
 * ignored, escapes are decoded once, and a folder has no document.
 *
 * @param path the folder
 * @param baseUrl where the folder is served, with or without a path
 * @throws {TypeError} if the URL is not http(s)
 * @throws {Error} if the folder does not exist, or cannot be read
 *
 * @example
 * ```ts
 * import { pages } from "@sitetree/sitetree";
 * import { folderFetch } from "@sitetree/sitetree/disk";
 * import { assertEquals } from "@std/assert";
 * import { mkdtempSync, writeFileSync } from "node:fs";
 * import { tmpdir } from "node:os";
 *
 * const folder = mkdtempSync(`${tmpdir()}/dist-`);
 * writeFileSync(`${folder}/sitemap.txt`, "https://example.com/about\n");
 * const fetch = folderFetch(folder, "https://example.com/");
 * const found: string[] = [];
 * for await (const page of pages("https://example.com/", { fetch })) found.push(page.url);
 * assertEquals(found, ["https://example.com/about"]);
 * ```
 */
export function folderFetch(path: string, baseUrl: string | URL): Fetch {
  const folder = new Folder(path, baseUrl);
  return (input, init) => folder.fetch(input, init);
}
