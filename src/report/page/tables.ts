/**
 * Tables: numbers behind a chart, bars in rows, and long lists with a search.
 *
 * @module
 */

import { grouped } from "../../data/text.ts";
import { share } from "../../data/words.ts";
import { append, type Child, element, graphic } from "./dom.ts";

/** A header that begins with `#` has numbers below it. */
export function table(
  caption: string,
  headers: readonly string[],
  rows: readonly (readonly Child[])[],
): HTMLTableElement {
  const cells = headers.map((header) =>
    element("th", { scope: "col", class: classOf(header) }, header.replace("#", ""))
  );
  return element(
    "table",
    element("caption.unseen", caption),
    element("thead", element("tr", ...cells)),
    element("tbody", ...rows.map((row) => tableRow(headers, row))),
  );
}

function classOf(header: string): string | false {
  return header.startsWith("#") && "number";
}

function tableRow(headers: readonly string[], cells: readonly Child[]): HTMLTableRowElement {
  return element(
    "tr",
    ...cells.map((cell, at) => {
      const attributes = { class: classOf(headers[at] ?? "") };
      return at === 0
        ? element("th", { scope: "row", ...attributes }, cell)
        : element("td", attributes, cell);
    }),
  );
}

/** `make` is called when it is first opened. */
export function disclosure(
  summary: Child,
  make: () => readonly Child[],
  className?: string,
  isOpen = false,
): HTMLDetailsElement {
  const attributes = { class: className, open: isOpen };
  const details = element("details", attributes, element("summary", summary));
  const complete = () => {
    if (details.open && details.childElementCount === 1) append(details, make());
  };
  complete();
  details.addEventListener("toggle", complete);
  return details;
}

/** A list that is printed. */
export function folded(
  summary: Child,
  makeItems: () => readonly (readonly Child[])[],
): HTMLDetailsElement {
  return disclosure(
    summary,
    () => [element("ul", ...makeItems().map((item) => element("li", ...item)))],
    "printed",
  );
}

export function barTable(
  caption: string,
  name: string,
  items: readonly (readonly [Child, number])[],
  whole: number,
): HTMLTableElement {
  const most = Math.max(1, ...items.map(([, number]) => number));
  const rows = items.map(([label, number]) => [
    label,
    graphic(
      "svg.bar",
      { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      graphic("rect", { width: number === 0 ? 0 : Math.max(0.5, number / most * 100), height: 8 }),
    ),
    grouped(number),
    share(number, whole),
  ]);
  const result = table(caption, [name, "", "#Pages", "#Share"], rows);
  result.classList.add("bars");
  return result;
}

const STEP = 25, NEXT_STEP = 200;

export class GrowingList<Item> {
  readonly more: HTMLButtonElement = element("button.more", { type: "button" });
  readonly #place: Element;
  readonly #make: (item: Item) => Node;
  #items: readonly Item[] = [];
  #shown = 0;

  constructor(place: Element, make: (item: Item) => Node, items: readonly Item[]) {
    this.#place = place;
    this.#make = make;
    this.more.addEventListener("click", () => this.#grow(NEXT_STEP));
    this.show(items);
  }

  show(items: readonly Item[]): void {
    this.#items = items;
    this.#shown = 0;
    this.#place.replaceChildren();
    this.#grow(STEP);
  }

  #grow(number: number): void {
    const { length } = this.#items, end = this.#shown + number;
    this.#place.append(...this.#items.slice(this.#shown, end).map(this.#make));
    this.#shown = Math.min(length, end);
    this.more.hidden = this.#shown === length;
    this.more.textContent = `More (${grouped(this.#shown)} of ${grouped(length)} shown)`;
  }
}

interface LongTable<Row> {
  readonly caption: string;
  readonly headers: readonly string[];
  readonly rows: readonly Row[];
  readonly cells: (row: Row) => readonly Child[];
  /** Text that is searched, if the table has a search. */
  readonly text?: (row: Row) => string;
}

export function longTable<Row>({ caption, headers, rows, cells, text }: LongTable<Row>): Node {
  const view = table(caption, headers, []);
  const list = new GrowingList(view.tBodies[0]!, (row: Row) => tableRow(headers, cells(row)), rows);
  const search = text !== undefined && rows.length > STEP &&
    searchField(`Search: ${caption}`, (query) => {
      const matches = rows.filter((row) => text(row).toLowerCase().includes(query));
      list.show(matches);
      return query === "" ? "" : `${grouped(matches.length)} of ${grouped(rows.length)}`;
    });
  return element("div.long", search, view, list.more);
}

/** `find` gets what was entered, in lower case, and returns the result. */
export function searchField(label: string, find: (query: string) => string): HTMLElement {
  const input = element("input", { type: "search", "aria-label": label, placeholder: "Search" });
  const result = element("span.muted", { role: "status" });
  input.addEventListener("input", () => {
    result.textContent = find(input.value.trim().toLowerCase());
  });
  return element("p.search", input, result);
}
