/**
 * Output of `console.log()`.
 *
 * Only the hook of `node:util` is used. Deno and Bun call it too, and unlike Deno's own hook it may
 * return an object, which is then printed at the depth and in the colors of its context.
 *
 * @module
 */

import { type DatePrecision, TO_TIME } from "./calendar.ts";
import { isoDate } from "./date.ts";

const CUSTOM: symbol = Symbol.for("nodejs.util.inspect.custom");

/** Prints the instances of a class as the fields that `describe` returns. */
export function inspectAs<T extends object>(
  target: abstract new (...args: never[]) => T,
  name: string | ((value: T) => string),
  describe: (value: T) => object,
): void {
  Object.defineProperty(target.prototype, CUSTOM, {
    value(this: T): object {
      const className = typeof name === "string" ? name : name(this);
      // the printed name is that of the constructor
      const View = { [className]: class {} }[className]!;
      return Object.assign(new View(), describe(this));
    },
    configurable: true,
    writable: true,
  });
}

/** Options that `inspect()` passes to its hook. */
interface InspectOptions {
  readonly stylize?: (text: string, style: string) => string;
}

/** Returns an object that is printed as text without quotes. */
function shownText(text: string, style: string): object {
  return Object.defineProperty({}, CUSTOM, {
    value: (_depth: number, { stylize }: InspectOptions): string => stylize?.(text, style) ?? text,
  });
}

/** Returns an object that is printed as a date at its precision. */
export function shownDate(time: number, precision: DatePrecision): object {
  return precision === TO_TIME ? new Date(time) : shownText(isoDate(time, precision), "date");
}

/** Returns the first items of a list, and an object that is printed as the number of the others. */
export function shownItems(items: Iterable<object>, length: number, max: number): object[] {
  const shown: object[] = [];
  for (const item of items) {
    if (shown.length === max) break;
    shown.push(item);
  }
  const left = length - shown.length;
  if (left > 0) shown.push(shownText(`... ${left} more item${left === 1 ? "" : "s"}`, "special"));
  return shown;
}
