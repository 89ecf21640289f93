/**
 * Charts of columns, drawn for the width that they have.
 *
 * @module
 */

import { grouped } from "../../data/text.ts";
import { element, graphic } from "./dom.ts";
import type { Scale } from "./map_nodes.ts";
import { disclosure, table } from "./tables.ts";

/** Values below the base line are removals. */
interface Series {
  readonly name: string;
  /** Name of its color. */
  readonly tone: string;
  readonly values: readonly number[];
  readonly isBelow?: boolean;
}

const HEIGHT = 190, TOP = 18, BOTTOM = 24, LEFT = 2;
/** Pixels of a character of a label. */
const CHARACTER = 7.5;

export function responsive(draw: (width: number) => Element): HTMLElement {
  const place = element("div.canvas");
  let last = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry!.contentRect.width);
    if (width === last || width === 0) return;
    last = width;
    place.replaceChildren(draw(width));
  }).observe(place);
  return place;
}

export function columnChart(
  label: string,
  name: string,
  labels: readonly string[],
  series: readonly Series[],
): HTMLElement {
  const rows = labels.map((text, at) => [
    text,
    ...series.map(({ values }) => grouped(values[at]!)),
  ]);
  const headers = [name, ...series.map((one) => `#${one.name}`)];
  return element(
    "figure",
    responsive((width) => columns(label, labels, series, width)),
    series.length > 1 && legend(series.map(({ tone, name }) => [tone, name])),
    disclosure("Numbers", () => [table(label, headers, rows)]),
  );
}

/** Returns the color of a name, which the style defines for light and dark. */
export function colorOf(tone: string): string {
  return `var(--${tone})`;
}

export function legend(tones: Scale["tones"], title?: string): HTMLElement {
  const entries = tones.map(([tone, name]) => {
    const area = graphic("rect", { fill: colorOf(tone), width: 12, height: 12, rx: 3 });
    const attributes = { viewBox: "0 0 12 12", "aria-hidden": "true" };
    return element("span", graphic("svg.swatch", attributes, area), name);
  });
  return element("p.legend", title, ...entries);
}

function columns(
  label: string,
  labels: readonly string[],
  series: readonly Series[],
  width: number,
): SVGSVGElement {
  const most = (isBelow: boolean) =>
    Math.max(0, ...labels.map((_, at) => sumAt(series, at, isBelow)));
  const above = Math.max(1, most(false)), unit = (HEIGHT - TOP - BOTTOM) / (above + most(true));
  const step = (width - 2 * LEFT) / labels.length, base = TOP + above * unit;
  const gap = step > 4 ? Math.min(4, step / 5) : 0, columnWidth = round(Math.min(64, step - gap));
  const column = (values: readonly number[], at: number, start: number, isBelow = false) => {
    if (values[at] === 0) return "";
    const height = Math.max(1, values[at]! * unit);
    const y = isBelow ? base + start * unit : base - start * unit - height;
    const place = `${round(LEFT + at * step + gap / 2)} ${round(y)}`;
    return `M${place}h${columnWidth}v${round(height)}h-${columnWidth}z`;
  };
  const paths = series.map(({ tone, values, isBelow }, position) => {
    const under = series.slice(0, position);
    const shape = values.map((_, at) => column(values, at, sumAt(under, at, isBelow), isBelow));
    return graphic("path", { fill: colorOf(tone), d: shape.join("") });
  });
  const readout = graphic("text.readout", { x: width, y: TOP - 6 });
  const view = graphic(
    "svg.chart",
    { role: "img", "aria-label": label, viewBox: `0 0 ${width} ${HEIGHT}` },
    graphic("line.grid", { x1: 0, x2: width, y1: TOP, y2: TOP }),
    ...paths,
    graphic("line.axis", { x1: 0, x2: width, y1: base, y2: base }),
    graphic("text", { x: 0, y: TOP - 6 }, grouped(above)),
    readout,
    ...ticks(labels, step, width),
  );
  view.addEventListener("pointermove", ({ clientX }) => {
    const x = clientX - view.getBoundingClientRect().left - LEFT;
    const at = Math.max(0, Math.min(labels.length - 1, Math.floor(x / step)));
    const parts = series.map(({ name, values }) => `${grouped(values[at]!)} ${name}`);
    readout.textContent = `${labels[at]}: ${parts.join(", ")}`;
  });
  view.addEventListener("pointerleave", () => readout.replaceChildren());
  return view;
}

function sumAt(series: readonly Series[], at: number, isBelow = false): number {
  const same = series.filter((one) => (one.isBelow ?? false) === isBelow);
  return same.reduce((sum, { values }) => sum + values[at]!, 0);
}

function ticks(labels: readonly string[], step: number, width: number): SVGTextElement[] {
  const space = Math.max(...labels.map(({ length }) => length)) * CHARACTER;
  const every = Math.max(1, Math.ceil((space + 2 * CHARACTER) / step));
  return labels.flatMap((text, at) => {
    const x = LEFT + at * step;
    if (at % every !== 0 || x + space > width) return [];
    return [graphic("text", { x: round(x), y: HEIGHT - 6 }, text)];
  });
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
