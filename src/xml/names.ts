/**
 * Names and namespaces: element names are interned, so that each is decoded and split once.
 *
 * @module
 */

import { BytePattern } from "../bytes/byte_pattern.ts";
import type { Window } from "../bytes/window.ts";
import { ownCopy } from "../data/text.ts";

/** Maximum number of interned names; a document has a dozen, a hostile one millions. */
const MAX_NAMES = 512;
/** Number of recent names; a power of two. */
const RECENT_NAMES = 64;
const MAX_INTERNED_LENGTH = 64;
/** Maximum length of a name; the rest is ignored. */
export const MAX_NAME_LENGTH = 1024;

export class InternedName extends BytePattern {
  /** As written, such as `image:Loc`. */
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  /** `name` in lower case, by which end tags find their start tags. */
  readonly lowerName: string;
  readonly lowerLocal: string;
  /** Number of the name if it is interned, from 0; else -1. */
  readonly id: number;

  constructor(window: Window, start: number, end: number, id = -1) {
    const last = Math.min(end, start + MAX_NAME_LENGTH);
    super(window.view, start, last);
    const name = window.copy(start, last, true);
    const colon = name.indexOf(":");
    this.id = id;
    this.name = name;
    this.prefix = colon > 0 ? name.slice(0, colon) : "";
    this.local = colon > 0 ? name.slice(colon + 1) : name;
    this.lowerName = name.toLowerCase();
    this.lowerLocal = this.local.toLowerCase();
  }
}

export class NameTable {
  /** By their bytes as latin1. */
  readonly #names = new Map<string, InternedName>();
  /** Last name of each slot, compared first: cheaper than a key (`deno task bench`, RSS, rich). */
  readonly #recent = new Array<InternedName | undefined>(RECENT_NAMES).fill(undefined);

  intern(window: Window, start: number, end: number): InternedName {
    const { bytes, view, text } = window, length = end - start;
    const slot = (5 * length + 3 * bytes[start]! + bytes[end - 1]!) % RECENT_NAMES;
    const recent = this.#recent[slot];
    if (recent !== undefined && recent.length === length && recent.isAt(view, start)) return recent;
    const key = text.slice(start, end);
    const known = this.#names.get(key);
    if (known !== undefined) return this.#recent[slot] = known;
    const id = this.#names.size;
    const isKept = id < MAX_NAMES && key.length <= MAX_INTERNED_LENGTH;
    const name = new InternedName(window, start, end, isKept ? id : -1);
    if (isKept) this.#names.set(ownCopy(key), name);
    return name;
  }
}

/** Bindings of the prefixes `xml` and `xmlns` (Namespaces in XML 1.0 §3). */
const PREDECLARED: ReadonlyMap<string, string> = new Map([
  ["xml", "http://www.w3.org/XML/1998/namespace"],
  ["xmlns", "http://www.w3.org/2000/xmlns/"],
]);

/** Pseudo-prefix that `xml:base` is bound to; real ones have no space. */
export const BASE = " base";

/** What a binding weighs in addition to its length: all of those in scope are searched one by one. */
const BINDING_WEIGHT = 1024;
/** Maximum number of inner scopes that a scope keeps; a hostile document has millions. */
const MAX_INNER_SCOPES = 16;
/** Maximum length of a binding that is kept. */
const MAX_KEPT_LENGTH = 256;

/** A binding and those around it. Equal chains are the same object, as far as they are kept. */
export class Scope {
  /** Length and number of all bindings. */
  readonly weight: number;
  readonly parent: Scope | undefined;
  readonly prefix: string;
  readonly uri: string;
  readonly #inner: Scope[] = [];

  /** Without arguments: the scope of a document. */
  constructor(parent?: Scope, prefix = "", uri = "") {
    this.weight = parent === undefined
      ? 0
      : parent.weight + BINDING_WEIGHT + prefix.length + uri.length;
    this.parent = parent;
    this.prefix = prefix;
    this.uri = uri;
  }

  with(prefix: string, uri: string): Scope {
    for (const scope of this.#inner) {
      if (scope.uri === uri && scope.prefix === prefix) return scope;
    }
    const scope = new Scope(this, ownCopy(prefix), uri);
    const isKept = this.#inner.length < MAX_INNER_SCOPES &&
      prefix.length + uri.length <= MAX_KEPT_LENGTH;
    if (isKept) this.#inner.push(scope);
    return scope;
  }

  lookup(prefix: string): string | undefined {
    if (this.parent === undefined) return PREDECLARED.get(prefix);
    return this.prefix === prefix ? this.uri : this.parent.lookup(prefix);
  }
}
