/**
 * Which family of elements a name belongs to, by its namespace or, failing that, its usual prefix.
 *
 * @module
 */

import type { XmlElement } from "../xml/element.ts";

/** The families; `own` is that of the format itself. */
export type Family = "own" | "news" | "image" | "video" | "xhtml" | "dc" | "foreign";

/** Parts of namespaces by which extensions are known. */
const EXTENSIONS: readonly (readonly [string, Family])[] = [
  ["/sitemap-news/", "news"],
  ["/sitemap-image/", "image"],
  ["/sitemap-video/", "video"],
  ["/1999/xhtml", "xhtml"],
  ["purl.org/dc/", "dc"],
];

/** What a prefix means that is bound to nothing, or to a namespace nobody knows. */
const USUAL_PREFIXES: ReadonlyMap<string, Family> = new Map([
  ["news", "news"],
  ["image", "image"],
  ["video", "video"],
  ["xhtml", "xhtml"],
  ["dc", "dc"],
]);

/** A name with the namespace it has where it stands. */
export type NamespacedName = Pick<XmlElement, "prefix" | "uri">;

/** Sorts names into families, for one document. */
export class Families {
  readonly #root: NamespacedName;
  readonly #own: readonly string[];
  readonly #known = new Map<string, Family>();

  /** `own` are parts of namespaces that mean the format itself, besides none and the root's. */
  constructor(root: NamespacedName, own: readonly string[]) {
    this.#root = root;
    this.#own = own;
  }

  /** The family of a name. */
  of(name: NamespacedName): Family {
    const key = `${name.prefix} ${name.uri}`;
    let family = this.#known.get(key);
    if (family === undefined) {
      family = this.#sort(name);
      // a hostile document can bind a new namespace for every element
      if (this.#known.size < 1000 && key.length < 1000) this.#known.set(key, family);
    }
    return family;
  }

  #sort({ prefix, uri }: NamespacedName): Family {
    const root = this.#root;
    if (uri === root.uri && prefix === root.prefix) return "own";
    const extension = uri && EXTENSIONS.find(([part]) => uri.includes(part));
    if (extension) return extension[1];
    if (uri === "" || (uri !== undefined && uri === root.uri)) return "own";
    if (uri !== undefined && this.#own.some((part) => uri.includes(part))) return "own";
    return USUAL_PREFIXES.get(prefix.toLowerCase()) ?? "foreign";
  }
}
