/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Elements of the page. Values become text nodes and attributes, never markup.
 *
 * @module
 */

import { escapeControls } from "../../write/escape.ts";

/** Text has its control characters escaped; `undefined` and `false` are left out. */
export type Child = Node | string | number | undefined | false;

/** `true` is an empty attribute, `undefined` and `false` are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

type Part = Child | Attributes;

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const WEB_REGEXP = /^https?:\/\//i;

function isChild(part: Part): part is Child {
  return typeof part !== "object" || part instanceof Node;
}

function fill<E extends Element>(node: E, classes: readonly string[], parts: readonly Part[]): E {
  if (classes.length > 0) node.setAttribute("class", classes.join(" "));
  for (const [name, value] of parts.flatMap((part) => isChild(part) ? [] : Object.entries(part))) {
    if (value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, parts.filter(isChild));
  return node;
}

export function append(node: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : escapeControls(String(child)));
  }
}

/** `tag` is a name, perhaps with classes: `p.muted`. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  tag: Name | `${Name}.${string}`,
  ...parts: readonly Part[]
): HTMLElementTagNameMap[Name] {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElement(name as Name), classes, parts);
}

export function graphic<Name extends keyof SVGElementTagNameMap>(
  tag: Name | `${Name}.${string}`,
  ...parts: readonly Part[]
): SVGElementTagNameMap[Name] {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElementNS(SVG_NAMESPACE, name as Name), classes, parts);
}

export function muted(...children: readonly Child[]): HTMLElement {
  return element("p.muted", ...children);
}

/** Rows without a value are left out. */
export function terms(
  list: "dl.figures" | "dl.facts",
  rows: readonly (readonly [name: string, value: Child, note?: string | false])[],
): HTMLElement {
  const views = rows.filter(([, value]) => value !== undefined && value !== false).map((
    [name, value, note],
  ) =>
    element("div", element("dt", name), element("dd", value), !!note && element("dd.muted", note))
  );
  return element(list, ...views);
}

export function prose(text: string): Child[] {
  return text.split("`").map((part, at) => at % 2 === 0 ? part : element("code", part));
}

export function link(url: string): HTMLElement {
  if (!WEB_REGEXP.test(url)) return element("span.url", url);
  return element("a.url", { href: url, rel: "noopener noreferrer nofollow" }, url);
}
