/** Cells by the name of their column and the JSON of the page alone. @module */

import type { SitemapPage, SitemapVideo } from "../../src/data/page.ts";
import type { CsvColumn } from "./samples.ts";

/** The cell of a page in a column, before `toCsv()` escapes it. */
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
  if (name === undefined) return item;
  const { restriction, platform, uploader, tags, gallery, prices } = item as SitemapVideo;
  const restrictionText = (value: SitemapVideo["restriction"]) =>
    value && `${value.relationship}: ${value.values.join(" ")}`;
  const ofVideos: Record<string, unknown> = {
    restriction: restrictionText(restriction),
    platform: restrictionText(platform),
    uploader: uploader?.name,
    uploaderInfo: uploader?.info,
    tags: tags?.join(", "),
    gallery: gallery?.loc,
    galleryTitle: gallery?.title,
    prices: prices?.map(({ amount, currency, type, resolution }) =>
      [amount, currency, type, resolution].filter((part) => part !== undefined).join(" ")
    ).join(", "),
  };
  return name in ofVideos ? ofVideos[name] : item[name];
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
