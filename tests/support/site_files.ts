/**
 * A fixture site as a folder of readable files, like those of static hosts:
 *
 * - `{{origin}}` in a file is replaced by the origin it is served from
 * - `name.xml.gz.src` is served, gzipped, as `name.xml.gz`
 * - `index.html` is served at `/`; a missing file is `404.html`, or with status 200 `200.html`
 * - `_redirects` holds lines of `path target status`: a 3xx redirects there, any other status
 *   serves the target's content with that status; the path `/*` is any other path
 * - `_headers` holds paths, each followed by indented `Name: value` lines
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";

export const SITES: URL = new URL("../../fixtures/sites/", import.meta.url);
const GZIP_SUFFIX = ".gz.src";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  atom: "application/atom+xml; charset=utf-8",
  gz: "application/gzip",
  html: "text/html; charset=utf-8",
  php: "text/xml; charset=utf-8",
  rss: "application/rss+xml; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  // No charset: the encoding is detected from the bytes.
  xml: "application/xml",
};

export interface SiteAnswer {
  readonly status: number;
  /** Headers, the content type among them. */
  readonly headers: Headers;
  /** Body before any Content-Encoding. */
  readonly body: Uint8Array<ArrayBuffer>;
}

interface Rule {
  readonly target: string;
  readonly status: number;
}

export class SiteFiles {
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #rules = new Map<string, Rule>();
  readonly #headers = new Map<string, [string, string][]>();

  /** Reads `fixtures/sites/<name>/`, or the folder at an absolute path. */
  constructor(name: string) {
    const folder = new URL(`${name}/`, SITES);
    for (const path of filesBelow(folder)) {
      const bytes = Deno.readFileSync(new URL(encodeURI(path), folder));
      if (path === "_redirects") this.#readRules(new TextDecoder().decode(bytes));
      else if (path === "_headers") this.#readHeaders(new TextDecoder().decode(bytes));
      else this.#files.set(`/${path}`, bytes);
    }
  }

  /** All paths, sorted. */
  get paths(): string[] {
    const served = [...this.#files.keys()].map((path) =>
      path.endsWith(GZIP_SUFFIX) ? path.slice(0, -".src".length) : path
    );
    return [...served, ...this.#rules.keys()].sort();
  }

  /** Returns the response for `path` (no query) at `origin`. */
  answer(path: string, origin: string): SiteAnswer {
    const rule = this.#rules.get(path) ?? this.#rules.get("/*");
    if (rule !== undefined && rule.status >= 300 && rule.status < 400) {
      const headers = new Headers({ location: rule.target.replaceAll("{{origin}}", origin) });
      return { status: rule.status, headers, body: new Uint8Array() };
    }
    const found = this.#content(rule?.target ?? path, origin);
    if (found !== undefined) {
      return {
        status: rule?.status ?? 200,
        headers: this.#headersOf(path, rule?.target ?? path),
        body: found,
      };
    }
    const everything = this.#content("/200.html", origin);
    return {
      status: everything === undefined ? 404 : 200,
      headers: new Headers({ "content-type": "text/html; charset=utf-8" }),
      body: everything ?? this.#content("/404.html", origin) ?? notFoundPage(path),
    };
  }

  #content(path: string, origin: string): Uint8Array<ArrayBuffer> | undefined {
    const name = path.endsWith("/") ? `${path}index.html` : path;
    const plain = this.#files.get(name);
    if (plain !== undefined) return withOrigin(plain, origin);
    const unpacked = name.endsWith(".gz") ? this.#files.get(`${name}.src`) : undefined;
    return unpacked === undefined
      ? undefined
      : new Uint8Array(gzipSync(withOrigin(unpacked, origin)));
  }

  #headersOf(path: string, name: string): Headers {
    const extension = name.endsWith("/") ? "html" : name.slice(name.lastIndexOf(".") + 1);
    const headers = new Headers({
      "content-type": CONTENT_TYPES[extension.toLowerCase()] ?? "application/octet-stream",
    });
    for (const [key, value] of this.#headers.get(path) ?? []) headers.set(key, value);
    return headers;
  }

  #readRules(text: string): void {
    for (const line of contentLines(text)) {
      const [path, target, status] = line.trim().split(/\s+/);
      if (path === undefined || target === undefined || status === undefined) {
        throw new SyntaxError(`Cannot read the line "${line}" of _redirects`);
      }
      this.#rules.set(path, { target, status: Number(status) });
    }
  }

  #readHeaders(text: string): void {
    let current: [string, string][] = [];
    for (const line of contentLines(text)) {
      if (/^\S/.test(line)) {
        current = [];
        this.#headers.set(line.trim(), current);
      } else {
        const colon = line.indexOf(":");
        if (colon < 0) throw new SyntaxError(`Cannot read the line "${line}" of _headers`);
        current.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
      }
    }
  }
}

function contentLines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
}

function filesBelow(folder: URL, prefix = ""): string[] {
  const found: string[] = [];
  for (const entry of Deno.readDirSync(folder)) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory) {
      found.push(...filesBelow(new URL(`${encodeURI(entry.name)}/`, folder), `${path}/`));
    } else found.push(path);
  }
  return found;
}

/** Latin-1 keeps every byte as it is, so files of any encoding can hold the placeholder. */
function withOrigin(bytes: Uint8Array, origin: string): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(bytes).toString("latin1").replaceAll("{{origin}}", origin);
  return new Uint8Array(Buffer.from(text, "latin1"));
}

function notFoundPage(path: string): Uint8Array<ArrayBuffer> {
  const shown = path.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return new TextEncoder().encode(
    `<!DOCTYPE html>\n<html lang="en">\n<title>Not found</title>\n<h1>Not found</h1>\n<p>There is nothing at ${shown}.</p>\n</html>\n`,
  );
}
