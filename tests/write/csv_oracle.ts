/**
 * Cells by the name of their column and the JSON of the page alone.
 *
 * @module
 */

import type { SitemapPage } from "../../src/data/page.ts";
import type {
  VideoGallery,
  VideoPrice,
  VideoRestriction,
  VideoUploader,
} from "../../src/data/page_schema.ts";
import type { CsvColumn } from "../../src/write/mod.ts";
import { pageToJsonText } from "../../src/write/ndjson.ts";

/** The cell of a page in a column, as `toCsv()` should write it unless it neutralizes. */
export function cellOf(page: SitemapPage, column: CsvColumn): string {
  const [first = "", second] = column.split(".");
  const fields = JSON.parse(pageToJsonText(page))[first];
  if (fields === undefined) return "";
  const cells: unknown[] = [fields].flat().map((item) => fieldOf(item, second));
  return cells.map((cell) => Array.isArray(cell) ? cell.join("|") : String(cell ?? ""))
    .join("|")
    .toWellFormed();
}

function fieldOf(item: Record<string, unknown>, name: string | undefined): unknown {
  switch (name) {
    case undefined:
      return item;
    case "restriction":
    case "platform": {
      const restriction = item[name] as VideoRestriction | undefined;
      return restriction && `${restriction.relationship}: ${restriction.values.join(" ")}`;
    }
    case "uploader":
      return (item["uploader"] as VideoUploader | undefined)?.name;
    case "uploaderInfo":
      return (item["uploader"] as VideoUploader | undefined)?.info;
    case "tags":
      return (item["tags"] as string[] | undefined)?.join(", ");
    case "gallery":
      return (item["gallery"] as VideoGallery | undefined)?.loc;
    case "galleryTitle":
      return (item["gallery"] as VideoGallery | undefined)?.title;
    case "prices":
      return (item["prices"] as VideoPrice[] | undefined)?.map((price) =>
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
