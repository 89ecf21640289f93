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

/** Form of a host, of a directory, or of the last segment of URLs with its query: a leaf. */
class Form<T = unknown> {
  readonly token: string;
  /** The same with a placeholder instead of a name or a word. */
  readonly general: string;
  /** Number of URLs of this form; 0 but for a leaf. */
  count = 0;
  /** How many URLs were added before the first one. */
  first: number = Infinity;
  example = "";
  sample: LowestRanks<T> | undefined;
  readonly children: Map<string, Form<T>> = new Map();
  readonly leaves: Map<string, Form<T>> = new Map();
  /** Whether names, words, queries and everything else become placeholders at once. */
  isGeneral = false;
  hasGeneralLeaves = false;
  hasAnyQuery = false;
  hasAnyLeaf = false;
  /** Whether it has one leaf for everything in and below it. */
  isCollapsed = false;
  last: Form<T> | undefined;
  lastKind: SegmentKind | -1 = -1;
  lastEnding = "";

  constructor(token: string, general: string) {
    this.token = token;
    this.general = general;
  }
}

type Forms<T> = Map<string, Form<T>>;

interface PlacedForm<T> extends UrlPattern, Pick<Form<T>, "first" | "sample"> {}

export class UrlPatterns<T = unknown> {
  readonly #maxItems: number;
  readonly #scan = new SegmentScan();
  readonly #directories = new DirectoryCache<Form<T>>();
  #root = new Form<T>("", "");
  #items = 0;
  #count = 0;

  /** `maxItems` limits what is kept while URLs are added. */
  constructor(maxItems: number = MAX_ITEMS) {
    this.#maxItems = maxItems;
  }

  /** Returns its form, which other forms may be merged with when the next URL is added. */
  add(parts: UrlParts): Form<T> {
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

  #forms(limit: number): PlacedForm<T>[] {
    const root = new Form<T>("", "");
    merge(root, this.#root);
    simplify(root, this.#count * MIN_SHARE);
    return narrowed(root, limit);
  }

  #enter(parts: UrlParts): Form<T> {
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

  #child(parent: Form<T>, name: string, general: string): Form<T> {
    const token = parent.isGeneral ? general : name;
    return parent.children.get(token) ?? this.#add(parent.children, token, general);
  }

  #add(forms: Forms<T>, token: string, general: string): Form<T> {
    this.#items++;
    return formOf(forms, ownCopy(token), ownCopy(general));
  }

  #addLeaf(
    directory: Form<T>,
    parts: UrlParts,
    kind: SegmentKind,
    count: number,
  ): Form<T> {
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
      leaf = this.#add(directory.leaves, token, general);
      leaf.first = count;
      leaf.example = ownCopy(startOf(url, MAX_EXAMPLE_LENGTH));
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
      const names = named(directory.children);
      if (names.length > 1) generalize(directory.children, names);
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

/** Returns those that have a name or a word for which there is a placeholder. */
function named<T>(forms: Forms<T>): Form<T>[] {
  return [...forms.values()].filter(({ token, general }) => token !== general);
}

function formOf<T>(forms: Forms<T>, token: string, general: string): Form<T> {
  let form = forms.get(token);
  if (form === undefined) forms.set(token, form = new Form<T>(token, general));
  return form;
}

/** Adds the counts of a form, and of those in it, to another. */
function merge<T>(target: Form<T>, source: Form<T>): void {
  target.count += source.count;
  if (source.sample !== undefined) {
    target.sample = target.sample?.union(source.sample) ?? source.sample;
  }
  if (source.first < target.first) {
    target.first = source.first;
    target.example = source.example;
  }
  for (const kind of ["leaves", "children"] as const) {
    for (const form of source[kind].values()) {
      merge(formOf(target[kind], form.token, form.general), form);
    }
  }
  target.isGeneral ||= source.isGeneral;
  target.hasGeneralLeaves ||= source.hasGeneralLeaves;
  target.hasAnyQuery ||= source.hasAnyQuery;
  target.hasAnyLeaf ||= source.hasAnyLeaf;
  if (target.leaves.size > MAX_WORDS) limitLeaves(target);
}

/** Adds a form to another one beside it. */
function rename<T>(forms: Forms<T>, form: Form<T>, token: string, general = token): void {
  if (form.token === token) return;
  forms.delete(form.token);
  merge(formOf(forms, token, general), form);
}

function generalize<T>(forms: Forms<T>, names: readonly Form<T>[]): void {
  for (const form of names) rename(forms, form, form.general);
}

/** Replaces queries, words or all leaves where there are too many; returns how many more there are. */
function limitLeaves(directory: Form): number {
  const { leaves } = directory;
  const before = leaves.size;
  directory.lastKind = -1;
  const queries = [...leaves.values()].filter(({ token }) => token.includes("?"));
  if (queries.length > MAX_WORDS) {
    directory.hasAnyQuery = true;
    for (const leaf of queries) {
      rename(leaves, leaf, withAnyQuery(leaf.token), withAnyQuery(leaf.general));
    }
  }
  const words = named(leaves);
  if (words.length > MAX_WORDS) {
    directory.hasGeneralLeaves = true;
    generalize(leaves, words);
  }
  if (leaves.size > MAX_LEAVES) {
    directory.hasAnyLeaf = true;
    for (const leaf of [...leaves.values()]) rename(leaves, leaf, ANY);
  }
  return leaves.size - before;
}

function withAnyQuery(token: string): string {
  return token.slice(0, token.indexOf("?")) + ANY_QUERY;
}

function collapse(directory: Form): void {
  const any = new Form(ANY, ANY);
  for (const { leaves } of directoriesOf(directory)) {
    for (const leaf of leaves.values()) merge(any, leaf);
  }
  directory.leaves.clear();
  directory.leaves.set(ANY, any);
  directory.children.clear();
  directory.lastKind = -1;
  directory.hasAnyLeaf = directory.isCollapsed = true;
}

function* directoriesOf<T>(root: Form<T>): Generator<Form<T>> {
  const stack = [root];
  for (const directory of stack) {
    yield directory;
    stack.push(...directory.children.values());
  }
}

/** Returns the directory with the most names, or with the most children if all have few. */
function widest<T>(root: Form<T>): Form<T> {
  let most = root, width = -1;
  for (const directory of directoriesOf(root)) {
    const names = named(directory.children).length;
    const own = names > 1 ? names * MAX_ITEMS : directory === root ? 0 : directory.children.size;
    if (own > width) [most, width] = [directory, own];
  }
  return most;
}

function sizeOf(root: Form): number {
  let size = 0;
  for (const { children, leaves } of directoriesOf(root)) size += children.size + leaves.size;
  return size;
}

/** Returns the number of URLs of a leaf, or in and below a directory. */
function countOf(form: Form): number {
  let { count } = form;
  for (const { leaves } of directoriesOf(form)) {
    for (const leaf of leaves.values()) count += leaf.count;
  }
  return count;
}

/** Replaces rare names where there are many, from the top down. */
function simplify(root: Form, minCount: number): void {
  for (const { children, leaves } of directoriesOf(root)) {
    for (const forms of [children, leaves]) {
      const names = named(forms);
      if (names.length > MAX_RARE) {
        generalize(forms, names.filter((form) => countOf(form) < minCount));
      }
      mergeYears(forms);
    }
  }
}

/** Counts numbers that could be years as numbers where there are others. */
function mergeYears(forms: Forms<unknown>): void {
  for (const form of [...forms.values()]) {
    if (!form.token.startsWith(YEAR)) continue;
    const token = NUMBER + form.token.slice(YEAR.length);
    const number = forms.get(token);
    if (number && countOf(number) > countOf(form) * MIN_NUMBERS) rename(forms, form, token);
  }
}

/** Returns the forms, those with the most URLs first; names become placeholders if there are too many. */
function narrowed<T>(root: Form<T>, limit: number): PlacedForm<T>[] {
  for (;;) {
    const patterns = patternsOf(root);
    if (patterns.length <= limit) return patterns;
    const { children } = widest(root);
    const names = named(children);
    if (names.length <= 1) return patterns;
    generalize(children, names);
  }
}

function patternsOf<T>(root: Form<T>): PlacedForm<T>[] {
  const hosts = [...root.children.values()];
  const found: PlacedForm<T>[] = [];
  const add = (directory: Form<T>, path: string) => {
    for (const { token, count, example, first, sample } of directory.leaves.values()) {
      found.push({ pattern: `${path}/${token}`, count, example, first, sample });
    }
    for (const child of directory.children.values()) add(child, `${path}/${child.token}`);
  };
  for (const host of hosts) add(host, hosts.length > 1 || host.token === HOST ? host.token : "");
  return found.sort((a, b) => b.count - a.count || a.first - b.first);
}
