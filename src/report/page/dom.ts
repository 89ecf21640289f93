/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Elements of the page. Values become text nodes and attributes, never markup.
 *
 * @module
 */

import { escapeControls } from "../../write/escape.ts";

/** Text has its control characters escaped. */
export type Child = Node | string | number | undefined;

/** `true` is an empty attribute, `undefined` and `false` are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const WEB_REGEXP = /^https?:\/\//i;

function fill<E extends Element>(node: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
}

export function append(node: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === undefined) continue;
    node.append(child instanceof Node ? child : escapeControls(String(child)));
  }
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  return fill(document.createElement(name), attributes, children);
}

export function graphic<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  return fill(document.createElementNS(SVG_NAMESPACE, name), attributes, children);
}

export function muted(...children: readonly Child[]): HTMLElement {
  return element("p", { class: "muted" }, ...children);
}

export function list(items: readonly (readonly Child[])[]): HTMLElement {
  return element("ul", {}, ...items.map((item) => element("li", {}, ...item)));
}

/** Rows without a value are left out. */
export function terms(
  className: string,
  rows: readonly (readonly [name: string, value: Child, note?: string])[],
): HTMLElement {
  const views = rows.filter(([, value]) => value !== undefined).map(([name, value, note]) =>
    element(
      "div",
      {},
      element("dt", {}, name),
      element("dd", {}, value),
      note ? element("dd", { class: "muted" }, note) : undefined,
    )
  );
  return element("dl", { class: className }, ...views);
}

export function prose(text: string): Child[] {
  return text.split("`").map((part, at) => at % 2 === 0 ? part : element("code", {}, part));
}

export function link(url: string): HTMLElement {
  if (!WEB_REGEXP.test(url)) return element("span", { class: "url" }, url);
  return element("a", { class: "url", href: url, rel: "noopener noreferrer nofollow" }, url);
}
