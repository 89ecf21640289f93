/**
 * Splits URLs into directory and leaf, for folds over many URLs of which most share a few directories.
 *
 * @module
 */

import { ownCopy } from "./text.ts";

const SLASH = 0x2f;
/** Length of `https://`: a directory is longer. */
const SCHEME_LENGTH = 8;
/** Directories that are remembered, a power of two. */
const DIRECTORY_SLOTS = 256;
const HOST_REGEXP = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)/i;

/** The properties are those of the last URL. */
export class UrlParts {
  url = "";
  /** URL up to the slash before the leaf, as the same string for the same directory if possible. */
  directory = "";
  slot = 0;
  /** Offsets of the last segment, without a slash at its end; equal at the root of a host. */
  leafStart = 0;
  leafEnd = 0;
  /** Offset of `?` or `#`, or the end. */
  pathEnd = 0;
  readonly #directories: string[] = new Array(DIRECTORY_SLOTS).fill("");

  set(url: string): void {
    let end = url.indexOf("?");
    const fragment = url.indexOf("#");
    if (fragment >= 0 && (end < 0 || fragment < end)) end = fragment;
    if (end < 0) end = url.length;
    this.url = url;
    this.pathEnd = end;
    if (url.charCodeAt(end - 1) === SLASH) end--;
    let length = url.lastIndexOf("/", end - 1) + 1;
    if (length <= SCHEME_LENGTH) length = end = this.pathEnd;
    this.leafStart = length;
    this.leafEnd = end;
    const slot = (Math.imul(url.charCodeAt(length - 2), 31) + url.charCodeAt(length - 4) +
      Math.imul(length, 7)) & (DIRECTORY_SLOTS - 1);
    this.slot = slot;
    const text = url.slice(0, length);
    const remembered = this.#directories[slot]!;
    this.directory = text === remembered ? remembered : this.#directories[slot] = ownCopy(text);
  }
}

/** Values of the directories that were seen last. */
export class DirectoryCache<T> {
  readonly #directories: (string | undefined)[] = new Array(DIRECTORY_SLOTS).fill(undefined);
  readonly #values: T[] = [];

  get({ slot, directory }: UrlParts): T | undefined {
    return this.#directories[slot] === directory ? this.#values[slot] : undefined;
  }

  set({ slot, directory }: UrlParts, value: T): T {
    this.#directories[slot] = directory;
    return this.#values[slot] = value;
  }

  clear(): void {
    this.#directories.fill(undefined);
  }
}

/** Returns the host of a URL with its port, in lower case; empty if it has none. */
export function hostOf(url: string): string {
  return HOST_REGEXP.exec(url)?.[1]?.toLowerCase() ?? "";
}

export function segmentsOf(directory: string, max: number): string[] {
  const start = directory.indexOf("/", SCHEME_LENGTH);
  if (start < 0) return [];
  // one more than needed for each slash in a row would be unlimited
  return directory.slice(start + 1).split("/", 2 * max).filter((name) => name !== "").slice(0, max);
}
