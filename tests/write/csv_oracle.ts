/** Cells by the name of their column and the JSON of the page alone. @module */

import type { SitemapPage, SitemapVideo } from "../../src/data/page.ts";
import type { CsvColumn } from "../../src/write/mod.ts";

/** The cell of a page in a column, as `toCsv()` should write it unless it neutralizes. */
export function cellOf(page: SitemapPage, column: CsvColumn): string {
  const [first = "", second] = column.split(".");
  const fields = page[first as keyof SitemapPage] as unknown;
  if (fields === undefined) return "";
  const cells: unknown[] = [fields].flat().map((item) => fieldOf(item as never, second));
  return cells.map((cell) => Array.isArray(cell) ? cell.join("|") : String(cell ?? ""))
    .map((cell) => /Modified$|Date$/.test(column) ? cell.replace(".000Z", "Z") : cell)
    .join("|")
    .toWellFormed();
}

function fieldOf(item: Record<string, unknown>, name: string | undefined): unknown {
  switch (name) {
    case undefined:
      return item;
    case "restriction":
    case "platform": {
      const restriction = item[name] as SitemapVideo["restriction"];
      return restriction && `${restriction.relationship}: ${restriction.values.join(" ")}`;
    }
    case "uploader":
      return (item["uploader"] as SitemapVideo["uploader"])?.name;
    case "uploaderInfo":
      return (item["uploader"] as SitemapVideo["uploader"])?.info;
    case "tags":
      return (item["tags"] as string[] | undefined)?.join(", ");
    case "gallery":
      return (item["gallery"] as SitemapVideo["gallery"])?.loc;
    case "galleryTitle":
      return (item["gallery"] as SitemapVideo["gallery"])?.title;
    case "prices":
      return (item["prices"] as SitemapVideo["prices"])?.map((price) =>
        [price.amount, price.currency, price.type, price.resolution]
          .filter((part) => part !== undefined).join(" ")
      ).join(", ");
    default:
      return item[name];
  }
}

/**
 * The cells of a table as a spreadsheet reads it that splits rows at `separator`: quotes count only
 * at the start of a cell, and what follows the closing one belongs to the cell.
 */
export function spreadsheetCells(text: string, separator: string): string[] {
  const end = `${separator}\r\n`;
  const cells: string[] = [];
  for (let at = 0; at < text.length; at++) {
    let cell = "";
    if (text[at] === '"') {
      for (at++; at < text.length && (text[at] !== '"' || text[++at] === '"'); at++) {
        cell += text[at];
      }
    }
    for (; at < text.length && !end.includes(text[at]!); at++) cell += text[at];
    cells.push(cell);
  }
  return cells;
}
