/**
 * Forms of URLs, such as `/blog/{slug}` and `/{year}/{month}/{slug}.html`, with counts.
 *
 * Segments that are numbers, dates, identifiers or titles become placeholders at once. Names of
 * directories and single words stay as they are, until a level has many different ones: then those with
 * few pages become a placeholder too. The counts of a form are added to those of the more general one,
 * so that sums are exact.
 *
 * @module
 */

import type { LowestRanks } from "./lowest_ranks.ts";
import { ownCopy, startOf } from "./text.ts";
import { DirectoryCache, hostOf, segmentsOf, type UrlParts } from "./url_parts.ts";
import {
  queryNames,
  type SegmentKind,
  SegmentScan,
  SLUG,
  TOKENS,
  TWO_DIGITS,
  WORD,
} from "./url_segment.ts";

/** Forms of the last segment and directories, while URLs are added. */
const MAX_ITEMS = 10_000;
/** Single words, and all forms, at the end of the URLs of one directory, while URLs are added. */
const MAX_WORDS = 100, MAX_LEAVES = 150;
/** Names on one level that are listed, however few pages they have. */
const MAX_RARE = 20;
/** Share of the pages with which a name is listed, however many there are. */
const MIN_SHARE = 0.01;
/** Other numbers for each year, from which on years are numbers too. */
const MIN_NUMBERS = 0.1;
/** Segments of a directory; deeper ones are cut off. */
const MAX_DEPTH = 8;
const MAX_NAME_LENGTH = 60;
const MAX_EXAMPLE_LENGTH = 299;
const ANY = "*",
  ANY_QUERY = "?*",
  REST = "…",
  HOST = "{host}",
  YEAR = "{year}",
  NUMBER = "{number}";

interface UrlPattern {
  /** Form, with its host if there are several. */
  readonly pattern: string;
  readonly count: number;
  /** First URL of this form. */
  readonly example: string;
}

/** Form of the last segment and of the query in a directory. */
interface Leaf<T = unknown> {
  readonly token: string;
  /** The same with a placeholder instead of a word. */
  readonly general: string;
  count: number;
  /** How many URLs were added before the first one. */
  first: number;
  example: string;
  sample: LowestRanks<T> | undefined;
}

interface Form<T> extends UrlPattern, Pick<Leaf<T>, "first" | "sample"> {}

/** Host, or form of a directory. */
class Directory<T = unknown> {
  readonly token: string;
  readonly general: string;
  readonly children: Map<string, Directory<T>> = new Map();
  readonly leaves: Map<string, Leaf<T>> = new Map();
  /** Whether names, words, queries and everything else become placeholders at once. */
  isGeneral = false;
  hasGeneralLeaves = false;
  hasAnyQuery = false;
  hasAnyLeaf = false;
  /** Whether it has one leaf for everything in and below it. */
  isCollapsed = false;
  last: Leaf<T> | undefined;
  lastKind: SegmentKind | -1 = -1;
  lastEnding = "";

  constructor(token: string, general: string) {
    this.token = token;
    this.general = general;
  }

  get names(): Directory[] {
    return [...this.children.values()].filter(({ token, general }) => token !== general);
  }

  get words(): Leaf[] {
    return [...this.leaves.values()].filter(({ token, general }) => token !== general);
  }
}

export class UrlPatterns<T = unknown> {
  readonly #maxItems: number;
  readonly #scan = new SegmentScan();
  readonly #directories = new DirectoryCache<Directory<T>>();
  #root = new Directory<T>("", "");
  #items = 0;
  #count = 0;

  /** `maxItems` limits what is kept while URLs are added. */
  constructor(maxItems: number = MAX_ITEMS) {
    this.#maxItems = maxItems;
  }

  /** Returns its form, which other forms may be merged with when the next URL is added. */
  add(parts: UrlParts): Leaf<T> {
    const { url, pathEnd } = parts;
    const directory = this.#directories.get(parts) ?? this.#enter(parts);
    const scan = this.#scan;
    const kind = scan.scan(url, parts.leafStart, parts.leafEnd);
    const count = this.#count++;
    if (pathEnd === url.length && kind === directory.lastKind) {
      const { lastEnding } = directory;
      const isSame = scan.stemEnd === parts.leafEnd
        ? lastEnding === ""
        : url.slice(scan.stemEnd, parts.leafEnd) === lastEnding;
      if (isSame) {
        directory.last!.count++;
        return directory.last!;
      }
    }
    return this.#addLeaf(directory, parts, kind, count);
  }

  list(limit: number): { readonly patterns: UrlPattern[]; readonly other: number } {
    const forms = this.#forms(limit);
    const patterns = forms.slice(0, limit)
      .map(({ pattern, count, example }) => ({ pattern, count, example }));
    const other = forms.slice(limit).reduce((sum, { count }) => sum + count, 0);
    return { patterns, other };
  }

  /** Returns the samples of the forms that {@linkcode list} lists, and one of all others. */
  samples(limit: number): LowestRanks<T>[] {
    const samples = this.#forms(limit).flatMap(({ sample }) => sample ?? []);
    const others = samples.splice(limit);
    return others.length === 0
      ? samples
      : [...samples, others.reduce((union, sample) => union.union(sample))];
  }

  #forms(limit: number): Form<T>[] {
    const root = new Directory<T>("", "");
    merge(root, this.#root);
    simplify(root, this.#count * MIN_SHARE);
    return narrowed(root, limit);
  }

  #enter(parts: UrlParts): Directory<T> {
    if (this.#items > this.#maxItems) this.#generalize();
    let directory = this.#child(this.#root, hostOf(parts.directory), HOST);
    const segments = segmentsOf(parts.directory, MAX_DEPTH + 1);
    for (const [depth, segment] of segments.entries()) {
      if (directory.isCollapsed) break;
      if (depth === MAX_DEPTH) {
        directory = this.#child(directory, REST, REST);
        break;
      }
      const scan = this.#scan;
      const kind = scan.scan(segment, 0, segment.length);
      const general = placeholder(kind, segment, directory.token);
      const isName = (kind === WORD || kind === SLUG) && segment.length <= MAX_NAME_LENGTH;
      directory = this.#child(directory, isName ? segment : general, general);
    }
    return this.#directories.set(parts, directory);
  }

  #child(parent: Directory<T>, name: string, general: string): Directory<T> {
    const token = parent.isGeneral ? general : name;
    let child = parent.children.get(token);
    if (child === undefined) {
      child = new Directory<T>(ownCopy(token), general);
      parent.children.set(child.token, child);
      this.#items++;
    }
    return child;
  }

  #addLeaf(
    directory: Directory<T>,
    parts: UrlParts,
    kind: SegmentKind,
    count: number,
  ): Leaf<T> {
    // before the leaf is added, since it must not be merged before its caller has it
    if (directory.leaves.size > MAX_WORDS) this.#items += limitLeaves(directory);
    const { url, leafStart, leafEnd } = parts;
    const { stemEnd } = this.#scan;
    const ending = url.slice(stemEnd, leafEnd);
    const names = queryNames(url, parts.pathEnd);
    const query = names !== "" && directory.hasAnyQuery ? ANY_QUERY : names;
    const stem = kind === WORD ? url.slice(leafStart, stemEnd) : "";
    const form = leafStart === leafEnd
      ? ""
      : placeholder(kind, url.slice(leafStart, leafStart + 2), directory.token);
    const general = directory.hasAnyLeaf ? ANY : form + ending + query;
    const isWord = kind === WORD && form !== "" && !directory.hasGeneralLeaves;
    const token = isWord && !directory.hasAnyLeaf ? stem + ending + query : general;
    let leaf = directory.leaves.get(token);
    if (leaf === undefined) {
      const example = ownCopy(startOf(url, MAX_EXAMPLE_LENGTH));
      leaf = {
        ...{ token: ownCopy(token), general: ownCopy(general), count: 0, first: count, example },
        sample: undefined,
      };
      directory.leaves.set(leaf.token, leaf);
      this.#items++;
    }
    leaf.count++;
    if (query === "" && kind !== WORD && kind !== TWO_DIGITS) {
      directory.last = leaf;
      directory.lastKind = kind;
      directory.lastEnding = ownCopy(ending);
    }
    return leaf;
  }

  /** Replaces names by placeholders where there are the most, until a half is free. */
  #generalize(): void {
    for (let before = Infinity; this.#items > this.#maxItems / 2 && this.#items < before;) {
      before = this.#items;
      const directory = widest(this.#root);
      const { names } = directory;
      if (names.length > 1) generalizeNames(directory, names);
      else if (directory !== this.#root) collapse(directory);
      directory.isGeneral = true;
      this.#items = sizeOf(this.#root);
    }
    this.#directories.clear();
  }
}

/** Returns the placeholder of a segment; two digits are a month after a year, and a day after that. */
function placeholder(kind: SegmentKind, segment: string, before: string): string {
  const token = TOKENS[kind];
  if (kind !== TWO_DIGITS) return token;
  const value = Number(segment);
  if (before === YEAR && value >= 1 && value <= 12) return "{month}";
  return before === "{month}" && value >= 1 && value <= 31 ? "{day}" : token;
}

/** Replaces queries, words or all leaves where there are too many; returns how many more there are. */
function limitLeaves(directory: Directory): number {
  const { leaves } = directory;
  const before = leaves.size;
  const queries = [...leaves.values()].filter(({ token }) => token.includes("?"));
  if (queries.length > MAX_WORDS) {
    directory.hasAnyQuery = true;
    for (const leaf of queries) {
      mergeLeaf(directory, leaf, withAnyQuery(leaf.token), withAnyQuery(leaf.general));
    }
  }
  const { words } = directory;
  if (words.length > MAX_WORDS) {
    directory.hasGeneralLeaves = true;
    for (const leaf of words) mergeLeaf(directory, leaf, leaf.general);
  }
  if (leaves.size > MAX_LEAVES) {
    directory.hasAnyLeaf = true;
    for (const leaf of [...leaves.values()]) mergeLeaf(directory, leaf, ANY);
  }
  return leaves.size - before;
}

function withAnyQuery(token: string): string {
  return token.slice(0, token.indexOf("?")) + ANY_QUERY;
}

function merge(target: Directory, source: Directory): void {
  for (const leaf of source.leaves.values()) addLeaf(target, leaf, leaf.token, leaf.general);
  for (const child of source.children.values()) {
    let into = target.children.get(child.token);
    if (into === undefined) {
      into = new Directory(child.token, child.general);
      target.children.set(child.token, into);
    }
    merge(into, child);
  }
  target.isGeneral ||= source.isGeneral;
  target.hasGeneralLeaves ||= source.hasGeneralLeaves;
  target.hasAnyQuery ||= source.hasAnyQuery;
  target.hasAnyLeaf ||= source.hasAnyLeaf;
  if (target.leaves.size > MAX_WORDS) limitLeaves(target);
}

function addLeaf(target: Directory, leaf: Leaf, token: string, general: string): void {
  const there = target.leaves.get(token);
  if (there === undefined) {
    target.leaves.set(token, { ...leaf, token, general });
    return;
  }
  there.count += leaf.count;
  if (leaf.sample !== undefined) there.sample = there.sample?.union(leaf.sample) ?? leaf.sample;
  if (leaf.first >= there.first) return;
  there.first = leaf.first;
  there.example = leaf.example;
}

function mergeLeaf(directory: Directory, leaf: Leaf, token: string, general = token): void {
  if (leaf.token === token) return;
  directory.leaves.delete(leaf.token);
  addLeaf(directory, leaf, token, general);
  if (directory.last === leaf) directory.lastKind = -1;
}

function mergeChild(directory: Directory, child: Directory, token: string): void {
  directory.children.delete(child.token);
  const into = directory.children.get(token) ?? new Directory(token, token);
  directory.children.set(token, into);
  merge(into, child);
}

function generalizeNames(directory: Directory, names: readonly Directory[]): void {
  for (const child of names) mergeChild(directory, child, child.general);
}

function collapse(directory: Directory): void {
  const stack = [...directory.children.values()];
  for (const child of stack) {
    for (const leaf of child.leaves.values()) addLeaf(directory, leaf, ANY, ANY);
    stack.push(...child.children.values());
  }
  for (const leaf of [...directory.leaves.values()]) mergeLeaf(directory, leaf, ANY);
  directory.children.clear();
  directory.hasAnyLeaf = directory.isCollapsed = true;
}

function* directoriesOf(root: Directory): Generator<Directory> {
  const stack = [root];
  for (const directory of stack) {
    yield directory;
    stack.push(...directory.children.values());
  }
}

/** Returns the directory with the most names, or with the most children if all have few. */
function widest(root: Directory): Directory {
  let most = root, width = -1;
  for (const directory of directoriesOf(root)) {
    const names = directory.names.length;
    const own = names > 1 ? names * MAX_ITEMS : directory === root ? 0 : directory.children.size;
    if (own > width) [most, width] = [directory, own];
  }
  return most;
}

function sizeOf(root: Directory): number {
  let size = 0;
  for (const { children, leaves } of directoriesOf(root)) size += children.size + leaves.size;
  return size;
}

function countOf(root: Directory): number {
  let count = 0;
  for (const { leaves } of directoriesOf(root)) {
    for (const leaf of leaves.values()) count += leaf.count;
  }
  return count;
}

/** Replaces rare names where there are many, from the top down. */
function simplify(root: Directory, minCount: number): void {
  for (const directory of directoriesOf(root)) {
    const { names, words } = directory;
    if (names.length > MAX_RARE) {
      generalizeNames(directory, names.filter((child) => countOf(child) < minCount));
    }
    if (words.length > MAX_RARE) {
      for (const leaf of words) if (leaf.count < minCount) mergeLeaf(directory, leaf, leaf.general);
    }
    mergeYears(directory);
  }
}

/** Counts numbers that could be years as numbers where there are others. */
function mergeYears(directory: Directory): void {
  const { leaves, children } = directory;
  for (const leaf of [...leaves.values()]) {
    if (!leaf.token.startsWith(YEAR)) continue;
    const token = NUMBER + leaf.token.slice(YEAR.length);
    if ((leaves.get(token)?.count ?? 0) > leaf.count * MIN_NUMBERS) {
      mergeLeaf(directory, leaf, token);
    }
  }
  const year = children.get(YEAR), number = children.get(NUMBER);
  if (year === undefined || number === undefined) return;
  if (countOf(number) > countOf(year) * MIN_NUMBERS) mergeChild(directory, year, NUMBER);
}

/** Returns the forms, those with the most URLs first; names become placeholders if there are too many. */
function narrowed<T>(root: Directory<T>, limit: number): Form<T>[] {
  for (;;) {
    const patterns = patternsOf(root);
    if (patterns.length <= limit) return patterns;
    const directory = widest(root);
    const { names } = directory;
    if (names.length <= 1) return patterns;
    generalizeNames(directory, names);
  }
}

function patternsOf<T>(root: Directory<T>): Form<T>[] {
  const hosts = [...root.children.values()];
  const found: Form<T>[] = [];
  const add = (directory: Directory<T>, path: string) => {
    for (const leaf of directory.leaves.values()) {
      found.push({ ...leaf, pattern: `${path}/${leaf.token}` });
    }
    for (const child of directory.children.values()) add(child, `${path}/${child.token}`);
  };
  for (const host of hosts) add(host, hosts.length > 1 || host.token === HOST ? host.token : "");
  return found.sort((a, b) => b.count - a.count || a.first - b.first);
}
