/**
 * Meanings of elements: {@linkcode resolveMeaning} looks an element up in the table of its format, once
 * for each path of elements that a document has.
 *
 * What an element inside an entry is worth depends on whether its own end tag closes it, or an element
 * around it does:
 *
 * | element              | closed                  | not closed                         |
 * | -------------------- | ----------------------- | ---------------------------------- |
 * | unknown, in an entry | hidden                  | its address, if the entry has none |
 * | unknown, in a field  | hidden                  | its text, if the field has none    |
 * | field, in a field    | hidden                  | hidden, except for an address      |
 * | unknown, in a title  | its text is the title's | its text is the title's            |
 *
 * A field in a title is read like an unknown element there, but a title that is not closed ends before it.
 *
 * @module
 */

import { excerpt } from "../data/text.ts";
import type { InternedName } from "../xml/names.ts";
import {
  AFTER,
  ATTRIBUTES,
  BEFORE,
  CLOSE,
  ElementNode,
  FLEETING,
  HASHED,
  HIDES,
  OPEN,
  ROOT,
  SHORT,
  STRAY,
  TEXT,
  watchClosing,
} from "../xml/steps.ts";
import { familyOf } from "./families.ts";
import type {
  AddressRanks,
  Draft,
  ElementContext,
  ElementSpec,
  ElementTable,
  Format,
} from "./schema.ts";
import { FORMATS } from "./xml_formats.ts";

/** `junk` is before the root element, `after` is what follows it. */
type Role =
  | "junk"
  | "outer"
  | "entry"
  | "group"
  | "leaf"
  | "skip"
  | "after"
  | "html"
  | "html-body";

/**
 * How the text of an element is read: `bytes` falls back to `text`, `inner` is that of an element inside a
 * field, and belongs to the field if the element is not closed and the field has no text of its own.
 */
type TextKind = "none" | "address" | "date" | "bytes" | "text" | "inner" | "title";

/** Spec with all keys, so that all have one hidden class (`docs/ARCHITECTURE.md`, V8). */
type FullSpec = {
  readonly [K in keyof ElementSpec<Draft>]-?: ElementSpec<Draft>[K] | undefined;
};

const NO_SPEC: FullSpec = {
  children: undefined,
  isList: undefined,
  open: undefined,
  isAddress: undefined,
  isUrl: undefined,
  date: undefined,
  text: undefined,
  bytes: undefined,
  wants: undefined,
  unreadable: undefined,
  ranks: undefined,
  hasMarkup: undefined,
  separator: undefined,
  close: undefined,
};

/** Number of bits for the fields of an entry; those of a group have the others of 32. */
const ENTRY_FIELDS = 14;
export const ENTRY_BITS: number = (1 << ENTRY_FIELDS) - 1;

export class Meaning {
  name = "";
  /** Its key in the tables of its format. */
  key = "";
  role: Role = "skip";
  kind: TextKind = "none";
  spec: FullSpec = NO_SPEC;
  format: Format<Draft> | undefined = undefined;
  root: MeaningNode | undefined = undefined;
  /** Entry that contains it, or itself. */
  entry: MeaningNode | undefined = undefined;
  /** Element that its text belongs to. */
  leaf: MeaningNode | undefined = undefined;
  /** Fields of the entry or group that it opens or is part of. */
  fields: readonly ElementSpec<Draft>[] = [];
  /** Its bit among the fields of its entry and of its group; 0 if it may be repeated. */
  bit = 0;
  isMisplaced = false;
  isUnknown = false;
  /** Whether an element around it, outside of entries, is misplaced. */
  isInMisplaced = false;
  /** Whether it is one of several addresses. */
  isAddressList = false;
  /** Whether its text is an address. */
  isUrl = false;
  /** Whether it is named like an entry, but is none in this place. */
  isUnread = false;
  /** The same root element in the other format of its document, see `Format.otherwise`. */
  twin: MeaningNode | undefined = undefined;
}

export type MeaningNode = ElementNode<Meaning>;

/** Sets the meaning and the flags of an element; with `notes`, also those of what is only noted. */
export function resolveMeaning(node: MeaningNode, notes: boolean): void {
  resolveInPlace(node);
  if (!notes) return;
  const { meaning } = node;
  if (meaning.isUnknown || node.scope !== node.parent!.scope) node.flags |= OPEN;
}

function resolveInPlace(node: MeaningNode): void {
  const meaning = node.meaning = new Meaning();
  meaning.name = node.name.name;
  const outer = node.parent!.meaning;
  if (node.depth === 1) return resolveRoot(node, meaning);
  meaning.format = outer.format;
  meaning.root = outer.root;
  meaning.entry = outer.entry;
  if (meaning.format !== undefined) meaning.key = keyOf(node, node.name, node.uri);
  switch (outer.role) {
    case "junk":
      meaning.role = "junk";
      node.flags = BEFORE;
      break;
    case "outer":
      resolveOuter(node, meaning, outer);
      break;
    case "after":
      resolveAfter(node, meaning);
      break;
    case "html":
      resolveInHtml(node, meaning);
      break;
    case "entry":
    case "group":
      resolveField(node, meaning, outer);
      break;
    case "leaf":
      if (outer.spec.hasMarkup) resolveMarkup(node, meaning, outer);
      else if (outer.kind === "inner") resolveInField(node, meaning);
      else resolveField(node, meaning, outer);
      break;
    case "skip":
      if (meaning.entry !== undefined) resolveInField(node, meaning);
      else node.flags = node.parent!.flags & AFTER;
      break;
  }
}

export function meaningAfter({ meaning: { format, root } }: MeaningNode): Meaning {
  const meaning = new Meaning();
  meaning.role = format === undefined ? "skip" : "after";
  meaning.format = format;
  meaning.root = root;
  return meaning;
}

/**
 * Returns the element in which a tag opens. A root element closes junk before it, and an entry closes
 * one that is still open, unless an element of that one hides it, as `isHidden` says.
 */
export function adoptingNode(
  node: MeaningNode,
  name: InternedName,
  uri: string | undefined,
  isHidden: boolean,
): MeaningNode {
  const { role, entry, format } = node.meaning;
  if (role === "junk") return FORMATS.has(name.lowerLocal) ? documentOf(node) : node;
  if (entry === undefined || (isHidden && (node.flags & HIDES) !== 0)) return node;
  return format!.entries[keyOf(node, name, uri)] === undefined ? node : entry.parent!;
}

/** Returns the root element in the other format, if an entry of that format opens in a node. */
export function twinFor(
  node: MeaningNode,
  name: InternedName,
  uri: string | undefined,
): MeaningNode | undefined {
  const { role, root, format } = node.meaning;
  const other = format?.otherwise;
  if (role !== "outer" || other === undefined) return undefined;
  const key = keyOf(node, name, uri);
  const isOther = other.entries[key] !== undefined && format!.entries[key] === undefined;
  return isOther ? root!.meaning.twin ??= twinOf(root!, other) : undefined;
}

function twinOf(root: MeaningNode, format: Format<Draft>): MeaningNode {
  const meaning = new Meaning();
  const twin: MeaningNode = new ElementNode(root.parent, root.name, root.scope, root.uri, meaning);
  meaning.name = root.meaning.name;
  meaning.role = "outer";
  meaning.format = format;
  meaning.root = meaning.twin = twin;
  twin.flags = root.flags | FLEETING;
  return twin;
}

/** Whether a name is that of a root element, or of an entry or a field of the format. */
export function isNameOfFormat(
  node: MeaningNode,
  name: InternedName,
  uri: string | undefined,
): boolean {
  const { format } = node.meaning;
  if (FORMATS.has(name.lowerLocal)) return true;
  return format !== undefined && hasKey(format.entries, keyOf(node, name, uri));
}

export function openEntryAround(
  node: MeaningNode,
  name: InternedName,
  uri: string | undefined,
): MeaningNode | undefined {
  const { entry, format } = node.meaning;
  return entry === undefined || format!.entries[keyOf(node, name, uri)] === undefined
    ? undefined
    : entry;
}

function documentOf(node: MeaningNode): MeaningNode {
  let outer = node;
  while (outer.parent !== undefined) outer = outer.parent;
  return outer;
}

function resolveRoot(node: MeaningNode, meaning: Meaning): void {
  const { lowerLocal } = node.name;
  meaning.root = node;
  meaning.format = FORMATS.get(lowerLocal);
  meaning.role = meaning.format !== undefined ? "outer" : lowerLocal === "html" ? "html" : "junk";
  node.flags = OPEN | (meaning.role === "junk" ? BEFORE : ROOT);
}

/** Resolves an element outside of entries: an entry, or one around entries. */
function resolveOuter(node: MeaningNode, meaning: Meaning, outer: Meaning): void {
  const format = meaning.format!;
  const spec = format.entries[meaning.key];
  if (spec === undefined) {
    meaning.role = "outer";
    // content of a misplaced element is not reported again
    meaning.isInMisplaced = outer.isMisplaced || outer.isInMisplaced;
    meaning.isMisplaced = !meaning.isInMisplaced && isUnexpected(meaning);
    meaning.isUnknown = !meaning.isInMisplaced && !meaning.isMisplaced && !format.isFeed &&
      !outer.isUnknown;
    meaning.isUnread = isNamedLikeEntry(node);
    // the first entry decides on the format
    if (format.otherwise?.entries[meaning.key] !== undefined) node.flags = FLEETING;
  } else {
    resolveEntry(node, meaning, spec);
    const isTwin = meaning.root!.meaning.twin === meaning.root;
    meaning.isMisplaced = isTwin || !format.places.includes(placeOf(node));
  }
  if (meaning.isMisplaced || meaning.isUnread) node.flags |= OPEN;
}

function isNamedLikeEntry(node: MeaningNode): boolean {
  const { lowerLocal } = node.name, { isFeed } = node.meaning.format!;
  // the `image` of a feed has a `url`
  if (isFeed && lowerLocal === "url" && node.parent!.name.lowerLocal === "image") return false;
  return [...FORMATS.values()].some(({ entries }) => entries[`own:${lowerLocal}`] !== undefined);
}

function resolveEntry(node: MeaningNode, meaning: Meaning, spec: ElementSpec<Draft>): void {
  meaning.role = "entry";
  meaning.spec = { ...NO_SPEC, ...spec };
  meaning.fields = fieldsOf(spec);
  meaning.entry = node;
  node.flags = CLOSE | (meaning.format!.stray === undefined ? 0 : STRAY);
}

/** Resolves an element after the root element: another root or an entry; anything else is ignored. */
function resolveAfter(node: MeaningNode, meaning: Meaning): void {
  const spec = meaning.format!.entries[meaning.key];
  if (spec !== undefined) resolveEntry(node, meaning, spec);
  else if (node.name.lowerLocal === meaning.root!.name.lowerLocal) {
    meaning.role = "outer";
    meaning.root = node;
    node.flags = ROOT;
  } else {
    meaning.format = undefined;
    node.flags = AFTER;
  }
}

function resolveField(node: MeaningNode, meaning: Meaning, outer: Meaning): void {
  const spec = outer.spec.children?.[meaning.key];
  if (spec === undefined) {
    resolveInField(node, meaning);
    meaning.isMisplaced = isUnexpected(meaning);
    meaning.isUnknown = !meaning.isMisplaced && !meaning.format!.isFeed;
    if (meaning.isMisplaced) node.flags |= OPEN;
    return;
  }
  meaning.spec = { ...NO_SPEC, ...spec };
  meaning.bit = spec.isList ? 0 : bitOf(outer, spec);
  if (spec.children !== undefined) {
    meaning.role = "group";
    meaning.fields = isPart(spec) ? outer.fields : fieldsOf(spec);
    if (!isPart(spec)) node.flags = OPEN | CLOSE;
    return;
  }
  meaning.role = "leaf";
  meaning.leaf = node;
  meaning.kind = kindOf(spec);
  meaning.isAddressList = spec.isAddress === true && spec.isList === true;
  meaning.isUrl = spec.isAddress === true || spec.isUrl === true;
  // an entry inside a value shows that the value is not closed
  node.flags = meaning.kind === "none" ? HIDES : spec.isAddress ? TEXT | HASHED : TEXT;
  if (spec.open !== undefined) node.flags |= OPEN | ATTRIBUTES;
  if (spec.date !== undefined || spec.bytes !== undefined) node.flags |= SHORT;
}

/**
 * Skips the content of the element; only an address, and text in place of that of a field, are kept
 * in case that the elements around it are never closed.
 */
function resolveInField(node: MeaningNode, meaning: Meaning): void {
  const { key } = meaning, { entries, addresses } = meaning.format!, outer = node.parent!.meaning;
  node.flags = entries[key] === undefined ? HIDES : HIDES | FLEETING;
  const hasText = outer.role === "leaf"
    ? outer.kind !== "none"
    : (node.parent!.flags & STRAY) !== 0;
  if (addresses.includes(key)) resolveStray(node, meaning);
  else if (hasText && !hasKey(entries, key)) {
    meaning.role = "leaf";
    meaning.leaf = node;
    meaning.kind = "inner";
    meaning.isUrl = outer.isUrl || outer.role === "entry";
    node.flags |= TEXT;
  }
}

/**
 * Resolves an element whose text belongs to that of the field around it; unless the element is a field
 * too, and the one around it is not closed.
 */
function resolveMarkup(node: MeaningNode, meaning: Meaning, outer: Meaning): void {
  const { key } = meaning, { entries, addresses } = meaning.format!;
  node.flags = entries[key] === undefined ? TEXT | HIDES : TEXT | HIDES | FLEETING;
  meaning.role = "leaf";
  meaning.leaf = outer.leaf;
  meaning.spec = outer.leaf!.meaning.spec;
  if (addresses.includes(key)) return resolveStray(node, meaning);
  if (!hasKey(entries, key)) return;
  meaning.spec = { ...meaning.spec, open: (_draft, element) => element.markField() };
  node.flags |= OPEN;
}

/** Resolves an address inside an element that may not be closed; in a title, its text is the title's too. */
function resolveStray(node: MeaningNode, meaning: Meaning): void {
  const { depth } = node;
  const { ranks = rankText } = meaning.entry!.meaning.spec.children![meaning.key]!;
  const { spec } = meaning;
  let textRank = -1;
  const open: ElementSpec<Draft>["open"] = (_draft, element) => {
    if (meaning.isMisplaced) reportMisplaced(meaning, element);
    if (spec.hasMarkup) element.openAside();
    const [hrefRank, rank] = ranks(element);
    textRank = rank;
    const href = hrefRank < 0 ? undefined : element.addressAttribute("href");
    if (href !== undefined) element.stray(href, hrefRank, depth - 1);
  };
  const take = (text: string, element: ElementContext) => {
    if (textRank >= 0 && text !== "") element.stray(element.addressOf(text), textRank, depth - 1);
  };
  meaning.isUrl = true;
  node.flags |= TEXT | OPEN | ATTRIBUTES;
  if (spec.hasMarkup) {
    meaning.spec = {
      ...spec,
      open,
      close: (_draft, element) => take(element.closeAside(), element),
    };
    node.flags |= CLOSE;
  } else {
    meaning.role = "leaf";
    meaning.leaf = node;
    meaning.kind = "text";
    meaning.spec = { ...NO_SPEC, open, text: (_draft, text, element) => take(text, element) };
  }
  for (let outer = node.parent!; outer !== meaning.entry; outer = outer.parent!) {
    watchClosing(outer);
  }
}

function rankText(): AddressRanks {
  return [-1, 0];
}

export function reportMisplaced(
  { name }: Meaning,
  element: Pick<ElementContext, "warn">,
): void {
  element.warn("misplaced-element", `Unexpected element "${excerpt(name)}"`);
}

function bitOf({ role, fields }: Meaning, spec: ElementSpec<Draft>): number {
  const index = fields.filter(({ isList }) => !isList).indexOf(spec);
  const [first, end] = role === "group" ? [ENTRY_FIELDS, 32] : [0, ENTRY_FIELDS];
  if (first + index >= end) throw new RangeError("More fields than bits, see ENTRY_FIELDS");
  return 1 << first + index;
}

/** Whether an element belongs to the format, or is read by it, but elsewhere. */
function isUnexpected({ key, format }: Meaning): boolean {
  return !format!.isFeed && (key.startsWith("own:") || hasKey(format!.entries, key));
}

function resolveInHtml(node: MeaningNode, meaning: Meaning): void {
  const { lowerLocal } = node.name;
  meaning.role = lowerLocal === "body" ? "html-body" : "html";
  if (lowerLocal === "title") meaning.kind = "title";
  node.flags = lowerLocal === "title" ? TEXT : lowerLocal === "body" ? OPEN : 0;
}

function keyOf(
  { meaning: { root, format } }: MeaningNode,
  { prefix, lowerLocal }: InternedName,
  uri: string | undefined,
): string {
  return `${familyOf(prefix, uri, root!, format!)}:${lowerLocal}`;
}

function hasKey(table: ElementTable<Draft>, key: string): boolean {
  return table[key] !== undefined ||
    Object.values(table).some(({ children }) => children !== undefined && hasKey(children, key));
}

function kindOf(spec: ElementSpec<Draft>): TextKind {
  if (spec.isAddress) return "address";
  if (spec.date !== undefined) return "date";
  return spec.bytes !== undefined ? "bytes" : spec.text !== undefined ? "text" : "none";
}

/** Returns the names of the elements below the root that an element is in. */
function placeOf(node: MeaningNode): string {
  const names: string[] = [];
  for (let outer = node.parent!; outer !== node.meaning.root; outer = outer.parent!) {
    names.unshift(outer.name.lowerLocal);
  }
  return names.join("/");
}

/** Whether a group is part of the one around it, like `news:publication`, and shares its fields. */
function isPart({ children, open }: ElementSpec<Draft>): boolean {
  return children !== undefined && open === undefined;
}

function fieldsOf(spec: ElementSpec<Draft>): readonly ElementSpec<Draft>[] {
  return Object.values(spec.children ?? {}).flatMap((child) =>
    isPart(child) ? fieldsOf(child) : [child]
  );
}
