/**
 * A treemap that zooms by mouse and by keyboard.
 *
 * It shows the areas of one level, and faintly those below them. Areas of a level are one stop of the
 * tab key; arrow keys move between them.
 *
 * @module
 */

import { hierarchy, type HierarchyRectangularNode, treemap } from "d3-hierarchy";
import type { Severity } from "../../check/severity.ts";
import { count, grouped } from "../../data/text.ts";
import { share } from "../../data/words.ts";
import { colorOf, legend, responsive } from "./charts.ts";
import { type Attributes, element, graphic } from "./dom.ts";
import { type MapNode, plainNode, type Scale } from "./map_nodes.ts";
import { disclosure, longTable } from "./tables.ts";
import { MARKS } from "./words.ts";

/** Areas that are drawn in one area, by level; the smallest are merged. */
const MAX_AREAS = [100, 16, 12];
/** Least share of all pages that an area needs so that others are drawn in it. */
const MIN_DIVIDED_SHARE = 0.01;
/** Height of the title of an area, and of the least one that has a text. */
const TITLE = 24, MIN_TEXT_HEIGHT = 18;
/** Width of most characters, and how many of a long text must fit. */
const CHARACTER = 8, MIN_CHARACTERS = 5;
/** Areas for which a low treemap is enough. */
const MAX_FLAT = 3;
const TIP_WIDTH = 260, TIP_HEIGHT = 120;

const HINT = "Click an area to zoom. By keyboard: arrow keys move, Enter zooms, Escape goes back.";

interface Area {
  readonly node: MapNode;
  readonly children: readonly Area[];
}

type Box = HierarchyRectangularNode<Area>;

export class Treemap {
  readonly view: HTMLElement;
  readonly #label: string;
  readonly #crumbs: HTMLElement = element("nav", { "aria-label": "Position in the treemap" });
  readonly #news: HTMLElement = element("p.unseen", { role: "status" });
  readonly #canvas: HTMLElement;
  readonly #table: HTMLElement = element("div");
  #trail: MapNode[];
  #boxes: readonly Box[] = [];
  #cells: readonly SVGElement[] = [];
  readonly #boxOf = new WeakMap<Element, Box>();
  #tip: SVGForeignObjectElement | undefined;
  #width = 0;

  constructor(label: string, root: MapNode, { title, tones }: Scale) {
    this.#label = label;
    this.#trail = startOf(root);
    this.#canvas = responsive((width) => this.#draw(width));
    this.view = element(
      "div.treemap",
      this.#crumbs,
      this.#canvas,
      legend(tones, `${title}:`),
      this.#current.children.some(({ children }) => children.length > 0) &&
        element("p.hint.muted", HINT),
      this.#table,
      this.#news,
    );
    this.#describe();
  }

  get #current(): MapNode {
    return this.#trail[this.#trail.length - 1]!;
  }

  /** Enters those areas of the way that have others in them. */
  #zoom(way: readonly MapNode[]): void {
    const entered = way.filter((node) => node !== this.#current && node.children.length > 0);
    if (entered.length === 0) return;
    this.#trail.push(...entered);
    this.#change();
  }

  #leave(level: number): void {
    if (level < 0 || level >= this.#trail.length - 1) return;
    const from = this.#trail[level + 1];
    this.#trail = this.#trail.slice(0, level + 1);
    this.#change(from);
  }

  #change(from?: MapNode): void {
    this.#canvas.replaceChildren(this.#draw(this.#width));
    this.#describe();
    const { name, pages } = this.#current, areas = count(this.#boxes.length, "area");
    this.#news.textContent = `${name}: ${count(pages, "page")}, ${areas}`;
    const cameFrom = this.#boxes.findIndex(({ data }) => data.node === from);
    this.#focus(Math.max(cameFrom, 0));
  }

  #describe(): void {
    const last = this.#trail.length - 1;
    const crumbs = this.#trail.map(({ name }, level) => {
      const isLast = level === last;
      const state = { disabled: isLast, "aria-current": isLast && "page" };
      const button = element("button", { type: "button", ...state }, name);
      button.addEventListener("click", () => this.#leave(level));
      return element("li", button);
    });
    this.#crumbs.replaceChildren(element("ol.crumbs", ...crumbs));
    const { name, pages, children } = this.#current;
    const rows = children.length === 0 ? [this.#current] : children;
    this.#table.replaceChildren(disclosure("Numbers", () => [
      longTable<MapNode>({
        caption: `Areas of ${name}`,
        headers: ["Area", "#Pages", "#Share", "Details"],
        rows,
        cells: (row) => [row.name, grouped(row.pages), share(row.pages, pages), row.note],
      }),
    ], "printed"));
  }

  #draw(width: number): Element {
    this.#width = width;
    const { children } = this.#current;
    const isFlat = children.length <= MAX_FLAT &&
      children.every((one) => one.children.length === 0);
    const height = Math.round(Math.max(240, Math.min(520, width * (isFlat ? 0.3 : 0.55))));
    const root = hierarchy(areaOf(this.#current, this.#current.pages), ({ children }) => children)
      .sum(({ node, children }) => children.length === 0 ? node.pages : 0);
    const box = treemap<Area>().size([width, height]).round(true)
      .paddingInner(2).paddingTop(({ depth, children }) => depth > 0 && children ? TITLE : 0)(
        root,
      );
    this.#boxes = box.children ?? [box];
    const tiles = this.#boxes.map((cell, at) => this.#cell(cell, at));
    this.#cells = tiles.map((tile) => (tile.firstElementChild ?? tile) as SVGElement);
    const tipSize = { width: TIP_WIDTH, height: TIP_HEIGHT };
    this.#tip = graphic("foreignObject.tip", { ...tipSize, visibility: "hidden" });
    const view = graphic(
      "svg.map",
      { role: "group", "aria-label": this.#label, viewBox: `0 0 ${width} ${height}` },
      ...tiles,
      this.#tip,
    );
    view.addEventListener("click", (event) => this.#click(event));
    view.addEventListener("pointermove", (event) => this.#point(event));
    view.addEventListener("keydown", (event) => this.#press(event));
    view.addEventListener("pointerleave", () => this.#hideTip());
    view.addEventListener("focusin", (event) => {
      const box = this.#target(event);
      if (box !== undefined) this.#showTip(box.data.node, (box.x0 + box.x1) / 2, box.y0 + TITLE);
    });
    view.addEventListener("focusout", () => this.#hideTip());
    return view;
  }

  #cell(box: Box, at: number): SVGElement {
    const { node } = box.data;
    const canZoom = node !== this.#current && node.children.length > 0;
    return this.#tile(box, 0, 0, {
      class: `${canZoom ? "cell zooms" : "cell"} ${node.tone}`,
      tabindex: at === 0 ? 0 : -1,
      role: canZoom ? "button" : "img",
      "aria-label": [node.name, ...this.#facts(node)].join(", "),
    });
  }

  /** Returns a rectangle, and in front of it a text and other areas, which do not leave it. */
  #tile(box: Box, left: number, top: number, attributes: Attributes = {}): SVGElement {
    const { x0, y0, data: { node } } = box;
    const size = { width: box.x1 - x0, height: box.y1 - y0 };
    const place = { x: x0 - left, y: y0 - top };
    const label = labelIn(size.width, size.height, node);
    const offset = label === undefined ? place : {};
    const color = { class: node.tone, fill: colorOf(node.tone) };
    const area = graphic("rect", { ...color, rx: 3, ...offset, ...size, ...attributes });
    this.#boxOf.set(area, box);
    if (label === undefined) return area;
    const inner = (box.children ?? []).map((child) => this.#tile(child, x0, y0));
    return graphic("svg", { ...place, ...size }, area, label, ...inner);
  }

  #target({ target }: Event): Box | undefined {
    return this.#boxOf.get(target as Element);
  }

  #point(event: PointerEvent): void {
    const box = this.#target(event);
    if (box === undefined) return;
    const frame = this.#canvas.getBoundingClientRect();
    this.#showTip(box.data.node, event.clientX - frame.left, event.clientY - frame.top);
  }

  #click(event: Event): void {
    const way = this.#target(event)?.ancestors().map(({ data }) => data.node).reverse().slice(1);
    this.#zoom(way ?? []);
  }

  #facts({ pages, note }: MapNode): string[] {
    const part = `${count(pages, "page")}, ${share(pages, this.#current.pages)}`;
    return note === "" ? [part] : [part, note];
  }

  #showTip(node: MapNode, x: number, y: number): void {
    const height = this.#canvas.clientHeight, tip = this.#tip;
    if (tip === undefined) return;
    const left = Math.max(0, Math.min(x + 14, this.#width - TIP_WIDTH));
    const top = y + 20 + TIP_HEIGHT > height ? Math.max(0, y - TIP_HEIGHT + 30) : y + 20;
    const facts = this.#facts(node).map((fact) => element("span", fact));
    tip.setAttribute("x", String(left));
    tip.setAttribute("y", String(top));
    tip.setAttribute("visibility", "visible");
    tip.replaceChildren(
      element("div.tip-text", element("strong", node.name), ...facts),
    );
  }

  #hideTip(): void {
    this.#tip?.setAttribute("visibility", "hidden");
  }

  #focus(at: number): void {
    for (const [position, cell] of this.#cells.entries()) {
      cell.setAttribute("tabindex", position === at ? "0" : "-1");
    }
    this.#cells[at]?.focus();
  }

  #press(event: KeyboardEvent): void {
    const box = this.#target(event);
    if (box === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = DIRECTIONS[event.key];
    if (direction !== undefined) this.#focus(neighbour(this.#boxes, box, direction));
    else if (event.key === "Home") this.#focus(0);
    else if (event.key === "End") this.#focus(this.#cells.length - 1);
    else if (event.key === "Enter" || event.key === " ") this.#zoom([box.data.node]);
    else if (event.key === "Escape" || event.key === "Backspace") {
      this.#leave(this.#trail.length - 2);
    } else return;
    event.preventDefault();
  }
}

const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Returns the position of `from` if there is none in the direction. */
function neighbour(boxes: readonly Box[], from: Box, [dx, dy]: readonly [number, number]): number {
  let best = boxes.indexOf(from), least = Infinity;
  for (const [at, box] of boxes.entries()) {
    const x = (box.x0 + box.x1 - from.x0 - from.x1) / 2;
    const y = (box.y0 + box.y1 - from.y0 - from.y1) / 2;
    const along = x * dx + y * dy, across = Math.abs(x * dy) + Math.abs(y * dx);
    if (box === from || along <= 0 || along + 2 * across >= least) continue;
    best = at;
    least = along + 2 * across;
  }
  return best;
}

/** Returns the way to the first area that contains several, without a root that contains one. */
function startOf(root: MapNode): MapNode[] {
  const trail = [root];
  for (let node = root; node.children.length === 1;) {
    node = node.children[0]!;
    if (node.children.length > 0) trail.push(node);
  }
  return trail.length === 1 ? trail : trail.slice(1);
}

function areaOf(node: MapNode, all: number, level = 0): Area {
  const max = MAX_AREAS[level], { children } = node;
  if (max === undefined || node.pages < all * MIN_DIVIDED_SHARE) return { node, children: [] };
  const kept = children.length <= max ? children : children.slice(0, max - 1);
  const rest = children.slice(kept.length);
  const pages = rest.reduce((sum, child) => sum + child.pages, 0);
  const other = plainNode(`other (${count(rest.length, "area")})`, pages);
  const shown = rest.length === 0 ? kept : [...kept, other];
  return { node, children: shown.map((child) => areaOf(child, all, level + 1)) };
}

function labelIn(width: number, height: number, { name, tone, pages }: MapNode): Node | undefined {
  const mark: string | undefined = MARKS[tone.replace("mark-", "") as Severity];
  const start = mark === undefined ? name : `${mark} ${name}`, figure = grouped(pages);
  const room = Math.floor((width - 8) / CHARACTER);
  if (height < MIN_TEXT_HEIGHT || room < Math.min(start.length, MIN_CHARACTERS)) return undefined;
  const text = start.length <= room ? start : `${start.slice(0, room - 1)}…`;
  return graphic(
    "text",
    { x: 6, y: 16, "aria-hidden": "true" },
    graphic("tspan.name", text),
    start.length + figure.length + 2 <= room && graphic("tspan", { dx: 6 }, figure),
  );
}
