/**
 * Names of elements and attributes, interned: each is decoded and taken apart once.
 *
 * @module
 */

import type { BytePattern, ValueScan } from "../bytes/value_scan.ts";

/** Names that are kept; a document has a dozen, a hostile one millions. */
const MAX_KEPT_NAMES = 512;
/** Names longer than this are not kept. */
const MAX_KEPT_LENGTH = 64;
/** Names are read up to this length. */
export const MAX_NAME_LENGTH = 1024;
/** Slots of the table at first; a power of two. */
const FIRST_SLOTS = 64;
/** A hostile document could put all names into neighbouring slots. */
const MAX_PROBES = 16;

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** The parts of a name. */
export interface XmlName {
  /** As written, such as `image:Loc`. */
  readonly name: string;
  /** The part before the colon, `""` without one. */
  readonly prefix: string;
  /** The part behind the colon, or the whole name. */
  readonly local: string;
  /** `name` in lower case, by which end tags find their start tags. */
  readonly lowerName: string;
  /** `local` in lower case. */
  readonly lowerLocal: string;
}

/**
 * How a tag with attributes was written: a memo of the scanner's own reading. Tags of the same shape
 * differ in the values of their attributes only.
 */
export interface TagShape {
  /** The bytes before the first value, between values, and behind the last, quotes included. */
  readonly pieces: readonly BytePattern[];
  /** The quotes around each value, a byte. */
  readonly quotes: readonly number[];
  /** Names of the attributes. */
  readonly names: readonly InternedName[];
  /** Whether it is the tag of an empty element. */
  readonly isEmpty: boolean;
  /** Whether any attribute binds a namespace or `xml:base`. */
  readonly isBinding: boolean;
}

/** A name as the scanner keeps it. */
export class InternedName implements XmlName {
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  readonly lowerName: string;
  readonly lowerLocal: string;
  /** The name in UTF-8. */
  readonly bytes: Uint8Array;
  /** Position among the kept names, from 0; -1 if it is not kept. */
  readonly id: number;
  /** The prefix that an attribute of this name binds, `""` for `xmlns`; most bind none. */
  readonly boundPrefix: string | undefined;

  /** Shapes of start tags of this name. */
  readonly shapes: TagShape[] = [];
  /** Whether a tag of this name with attributes was read before. */
  isRepeated = false;
  /** Whether an attribute of this name is for the scanner: `xmlns`, `xmlns:a`, `xml:base`. */
  readonly isSpecial: boolean;

  constructor(name: string, bytes: Uint8Array, id: number) {
    const colon = name.indexOf(":");
    this.bytes = bytes;
    this.id = id;
    // property keys are internalized: comparing those with literals is comparing pointers
    this.name = id < 0 ? name : Object.keys({ [name]: 0 })[0]!;
    this.prefix = colon > 0 ? name.slice(0, colon) : "";
    this.local = colon > 0 ? name.slice(colon + 1) : name;
    this.lowerName = name.toLowerCase();
    this.lowerLocal = this.local.toLowerCase();
    const isBinding = name.startsWith("xmlns") && (name.length === 5 || colon === 5);
    this.boundPrefix = isBinding ? name.slice(6) : undefined;
    this.isSpecial = isBinding || name === "xml:base";
  }
}

/** Adds a byte to the hash of a name. */
export function hashByte(hash: number, byte: number): number {
  return Math.imul(hash, 31) + byte | 0;
}

/** Finds names by their bytes, without making strings of known ones. */
export class NameTable {
  #slots = new Array<InternedName | undefined>(FIRST_SLOTS).fill(undefined);
  #hashes: number[] = [];
  readonly #names: InternedName[] = [];

  /** Returns the name in a range whose bytes hash to `hash`; `undefined` if it is not kept. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): InternedName | undefined {
    const mask = this.#slots.length - 1;
    let slot = (hash ^ hash >>> 15) & mask;
    for (let probes = 0; probes < MAX_PROBES; probes++, slot = (slot + 1) & mask) {
      const known = this.#slots[slot];
      if (known === undefined) return this.#add(bytes, start, end, hash, slot);
      if (isAt(known.bytes, bytes, start, end)) return known;
    }
    return undefined;
  }

  #add(
    bytes: Uint8Array,
    start: number,
    end: number,
    hash: number,
    slot: number,
  ): InternedName | undefined {
    const id = this.#names.length;
    if (id === MAX_KEPT_NAMES || end - start > MAX_KEPT_LENGTH) return undefined;
    const name = new InternedName(textOf(bytes, start, end), bytes.slice(start, end), id);
    this.#slots[slot] = name;
    this.#names.push(name);
    this.#hashes.push(hash);
    if (4 * id > this.#slots.length) this.#grow();
    return name;
  }

  #grow(): void {
    const slots = new Array<InternedName | undefined>(4 * this.#slots.length).fill(undefined);
    for (const [id, name] of this.#names.entries()) {
      const hash = this.#hashes[id]!;
      let slot = (hash ^ hash >>> 15) & (slots.length - 1);
      while (slots[slot] !== undefined) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = name;
    }
    this.#slots = slots;
  }
}

/** A name that is not kept. */
export function passingName(bytes: Uint8Array, start: number, end: number): InternedName {
  const last = Math.min(end, start + MAX_NAME_LENGTH);
  return new InternedName(textOf(bytes, start, last), bytes.slice(start, last), -1);
}

/** Text of a name; most are short and ASCII, which the decoder takes a microsecond for. */
function textOf(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at++) {
    if (bytes[at]! > 0x7f || at - start > MAX_KEPT_LENGTH) {
      return DECODER.decode(bytes.subarray(start, end));
    }
    text += String.fromCharCode(bytes[at]!);
  }
  return text;
}

function isAt(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const { length } = name;
  if (length !== end - start) return false;
  for (let i = 0; i < length; i++) if (name[i] !== bytes[start + i]) return false;
  return true;
}

// MERGED: Namespaces in scope, as elements open and close.

/** Bindings that `xml` and `xmlns` have without being declared (Namespaces in XML 1.0 §3). */
const PREDECLARED: readonly (readonly [prefix: string, uri: string])[] = [
  ["xml", "http://www.w3.org/XML/1998/namespace"],
  ["xmlns", "http://www.w3.org/2000/xmlns/"],
];

/** Stands for `xml:base` among the prefixes; no prefix has a blank in it. */
export const BASE = " base";

/** Scopes below a scope that are kept; a hostile document has millions. */
const MAX_KEPT_SCOPES = 16;
/** Longer namespaces are not worth keeping. */
const NAMESPACES_MAX_KEPT_LENGTH = 256;

/** A binding and those before it. Equal chains are the same object, as far as they are kept. */
export class Scope {
  /** Number of bindings. */
  readonly size: number;
  /** Characters of all of them. */
  readonly weight: number;
  readonly parent: Scope | undefined;
  readonly prefix: string;
  readonly uri: string;
  readonly #inner: Scope[] = [];

  /** Without arguments: the scope of a document. */
  constructor(parent?: Scope, prefix = "", uri = "") {
    this.size = parent === undefined ? 0 : parent.size + 1;
    this.weight = (parent?.weight ?? 0) + prefix.length + uri.length;
    this.parent = parent;
    this.prefix = prefix;
    this.uri = uri;
  }

  /** The scope with one more binding. */
  with(prefix: string, uri: string): Scope {
    for (const scope of this.#inner) {
      if (scope.uri === uri && scope.prefix === prefix) return scope;
    }
    const scope = new Scope(this, prefix, uri);
    const isWorthIt = this.#inner.length < MAX_KEPT_SCOPES &&
      prefix.length + uri.length <= NAMESPACES_MAX_KEPT_LENGTH;
    if (isWorthIt) this.#inner.push(scope);
    return scope;
  }
}

/** No binding. */
const NONE = -1;

/**
 * The bindings of the current scope. Found by a hash of their prefix, and each knows the one that it
 * hides: lookups are constant, however many namespaces a document binds. Neither bindings nor prefixes
 * are keys of a `Map`: V8 internalizes such strings, and a hostile document has millions.
 */
export class Namespaces {
  readonly #prefixes: string[] = [];
  readonly #uris: string[] = [];
  readonly #hashes: number[] = [];
  readonly #hidden: number[] = [];
  readonly #innermost = new Map<number, number>();
  readonly #scan: ValueScan;

  /** `scan` hashes prefixes, by a key that keeps a hostile document from choosing some that collide. */
  constructor(scan: ValueScan) {
    this.#scan = scan;
    for (const [prefix, uri] of PREDECLARED) this.bind(prefix, uri);
  }

  /** Binds a prefix. */
  bind(prefix: string, uri: string): void {
    const hash = this.#hashOf(prefix);
    this.#hidden.push(this.#innermost.get(hash) ?? NONE);
    this.#innermost.set(hash, this.#prefixes.length);
    this.#prefixes.push(prefix);
    this.#hashes.push(hash);
    this.#uris.push(uri);
  }

  /** Drops the last bindings until those of `scope` are left. */
  releaseTo(scope: Scope): void {
    while (this.#prefixes.length > PREDECLARED.length + scope.size) {
      const hash = this.#hashes.pop()!;
      this.#prefixes.pop();
      this.#uris.pop();
      const hidden = this.#hidden.pop()!;
      if (hidden === NONE) this.#innermost.delete(hash);
      else this.#innermost.set(hash, hidden);
    }
  }

  /** The namespace of a prefix; `undefined` if it is not bound. */
  lookup(prefix: string): string | undefined {
    let at = this.#innermost.get(this.#hashOf(prefix)) ?? NONE;
    while (at !== NONE && this.#prefixes[at] !== prefix) at = this.#hidden[at]!;
    return at === NONE ? undefined : this.#uris[at];
  }

  #hashOf(prefix: string): number {
    this.#scan.text(prefix);
    return this.#scan.high;
  }
}
