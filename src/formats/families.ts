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

/** Prefixes that mean the family of that name, bound to nothing or to a namespace nobody knows. */
const USUAL_PREFIXES: readonly Family[] = ["news", "image", "video", "xhtml", "dc"];

/** A name with the namespace it has where it stands. */
export type NamespacedName = Pick<XmlElement, "prefix" | "uri">;

/** How many prefixes with their namespaces are remembered; a document has a few. */
const MAX_KEPT = 16;
/** Prefixes and namespaces longer than this together are not worth remembering. */
const MAX_KEPT_LENGTH = 256;

interface KnownFamily extends NamespacedName {
  readonly family: Family;
}

/** Sorts names into families, for one document. */
export class Families {
  readonly #root: NamespacedName;
  readonly #own: readonly string[];
  readonly #known: KnownFamily[] = [];

  /** `own` are parts of namespaces that mean the format itself, besides none and the root's. */
  constructor(root: NamespacedName, own: readonly string[]) {
    this.#root = root;
    this.#own = own;
  }

  /** The family of a name. */
  of(name: NamespacedName): Family {
    const { prefix, uri } = name;
    // few, so that no map is needed: V8 makes every string old that is looked up in one
    for (const known of this.#known) {
      if (known.prefix === prefix && known.uri === uri) return known.family;
    }
    const family = this.#sort(name);
    // a hostile document can bind a new namespace for every element
    const isShort = prefix.length + (uri?.length ?? 0) <= MAX_KEPT_LENGTH;
    if (isShort && this.#known.length < MAX_KEPT) this.#known.push({ prefix, uri, family });
    return family;
  }

  #sort({ prefix, uri }: NamespacedName): Family {
    const root = this.#root;
    if (uri === root.uri && prefix === root.prefix) return "own";
    const extension = uri && EXTENSIONS.find(([part]) => uri.includes(part));
    if (extension) return extension[1];
    if (uri === "" || (uri !== undefined && uri === root.uri)) return "own";
    if (uri !== undefined && this.#own.some((part) => uri.includes(part))) return "own";
    const lowerPrefix = prefix.toLowerCase();
    return USUAL_PREFIXES.find((usual) => usual === lowerPrefix) ?? "foreign";
  }
}
