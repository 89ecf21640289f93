import { count, grouped } from "../data/text.ts";
import type { Column } from "../write/columns.ts";
import { codeSpan, details, inertText } from "../write/markdown.ts";
import { rowFormat } from "../write/rows.ts";
import type { TextFormat } from "../write/text_stream.ts";
import {
  type ChangeEvent,
  differencesOf,
  type DiffRow,
  type DiffSummary,
  incompleteText,
} from "./change_rows.ts";

/** Rows and characters of a table at most: GitHub refuses a comment of more than 65,536 characters. */
const MAX_ROWS = 100;
const MAX_LENGTH = 20_000;

const PAGE: Column<ChangeEvent> = ["page", ({ page }) => page.url, "code"];
const SITEMAP: Column<ChangeEvent> = ["sitemap", ({ sitemap }) => sitemap, "code"];
const DIFFERENCES: Column<ChangeEvent> = [
  "what changed",
  (change) => differencesOf(change).map(inertText).join("<br>"),
  "markdown",
];

/** The first changes of a kind. */
class ChangeTable {
  readonly #title: string;
  readonly #format: TextFormat<ChangeEvent>;
  readonly #maxRows: number;
  readonly #rows: string[] = [];
  #length = 0;

  constructor(title: string, detail: Column<ChangeEvent>, maxRows: number) {
    this.#title = title;
    this.#format = rowFormat("markdown", { columns: [PAGE, detail] }, Infinity);
    this.#maxRows = maxRows;
  }

  add(change: ChangeEvent): void {
    if (this.#rows.length === this.#maxRows || this.#length > MAX_LENGTH) return;
    const row = this.#format.write(change);
    this.#length += row.length;
    if (this.#length <= MAX_LENGTH) this.#rows.push(row);
  }

  lines(total: number): string[] {
    const more = total - this.#rows.length;
    if (this.#rows.length === 0) return [];
    return details(`${this.#title}: ${count(total, "page")}`, [
      `${this.#format.head}${this.#rows.join("")}`.trimEnd(),
      ...(more > 0 ? ["", `and ${count(more, "more page")}`] : []),
    ]);
  }
}

/** `summary` returns the figures once all rows are written. */
export function diffMarkdown(
  summary: () => DiffSummary | undefined,
  maxRows: number = MAX_ROWS,
): TextFormat<DiffRow> {
  const warnings: string[] = [];
  const tables = {
    added: new ChangeTable("➕ added", SITEMAP, maxRows),
    changed: new ChangeTable("✏️ changed", DIFFERENCES, maxRows),
    removed: new ChangeTable("➖ removed", SITEMAP, maxRows),
  };
  const kinds = ["added", "changed", "removed"] as const;
  return {
    write(row) {
      if (row.type === "incomplete") warnings.push(`> ⚠️ ${inertText(incompleteText(row))}`);
      else tables[row.type].add(row);
      return "";
    },
    end() {
      const figures = summary();
      if (figures === undefined) return "";
      const counts = kinds.map((kind) => `${grouped(figures[kind])} ${kind}`).join(", ");
      const lines = [
        `## Pages of ${codeSpan(figures.b)} compared with ${codeSpan(figures.a)}`,
        ...(warnings.length > 0 ? ["", warnings.join("\n>\n")] : []),
        "",
        `**${counts}**, ${grouped(figures.unchanged)} unchanged`,
        ...kinds.flatMap((kind) => tables[kind].lines(figures[kind])),
      ];
      return lines.map((line) => `${line}\n`).join("");
    },
  };
}
