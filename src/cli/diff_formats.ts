import type { Verdict } from "../data/events.ts";
import { count, grouped } from "../data/text.ts";
import { VERDICTS } from "../data/words.ts";
import { encodeWhitespace } from "../write/escape.ts";
import type { RowSpec } from "../write/rows.ts";
import type { TextFormat } from "../write/text_stream.ts";
import type { DiffEvent, DiffStats } from "../sync/diff.ts";
import { type ChangeEvent, changeRows, differencesOf } from "./change_formats.ts";
import { codeSpan, details, inertText } from "../write/markdown.ts";
import { paragraph } from "../write/layout.ts";

type IncompleteSide = Extract<DiffEvent, { readonly type: "incomplete" }> & {
  /** Its name: a URL or a path. */
  readonly site: string;
};

export interface DiffSummary extends DiffStats {
  readonly a: string;
  readonly verdictA: Verdict;
  readonly b: string;
  readonly verdictB: Verdict;
}

export type DiffRow = IncompleteSide | ChangeEvent;

/** Rows and characters of a table at most: GitHub refuses a comment of more than 65,536 characters. */
const MAX_ROWS = 100;
const MAX_LENGTH = 20_000;

const EFFECTS: Readonly<Record<IncompleteSide["side"], string>> = {
  a: "pages that seem added may only be unread there",
  b: "pages that seem removed may only be unread there",
};

function incompleteText({ site, verdict, side }: IncompleteSide): string {
  return `${site}: ${VERDICTS[verdict]} (${verdict}); ${EFFECTS[side]}`;
}

/** `width` is that of the terminal, infinite elsewhere. */
export function diffRows(color: boolean, width: number): RowSpec<DiffRow> {
  const { columns, object, line } = changeRows(color) as Required<RowSpec<ChangeEvent>>;
  return {
    columns: columns.map(([name, read]) => [
      name,
      (row) => {
        if (row.type !== "incomplete") return read(row);
        return name === "type" || name === "site" ? row[name] : undefined;
      },
    ]),
    object: (row) => row.type === "incomplete" ? row : object(row),
    line(row) {
      if (row.type !== "incomplete") return line(row);
      const text = incompleteText({ ...row, site: encodeWhitespace(row.site) });
      return paragraph(`! ${text}`, width).join("\n");
    },
  };
}

const TITLES: Readonly<Record<ChangeEvent["type"], string>> = {
  added: "➕ added",
  changed: "✏️ changed",
  removed: "➖ removed",
};

/** `summary` returns the figures once all rows are written. */
export function markdown(
  summary: () => DiffSummary | undefined,
  maxRows: number = MAX_ROWS,
): TextFormat<DiffRow> {
  const warnings: string[] = [];
  const lengths = { added: 0, changed: 0, removed: 0 };
  const rows: Record<ChangeEvent["type"], string[]> = { added: [], changed: [], removed: [] };
  return {
    write(row) {
      if (row.type === "incomplete") warnings.push(`> ⚠️ ${inertText(incompleteText(row))}`);
      else if (rows[row.type].length < maxRows && lengths[row.type] < MAX_LENGTH) {
        const text = tableRow(row);
        lengths[row.type] += text.length;
        if (lengths[row.type] <= MAX_LENGTH) rows[row.type].push(text);
      }
      return "";
    },
    end() {
      const figures = summary();
      return figures === undefined ? "" : document(figures, warnings, rows);
    },
  };
}

function document(
  summary: DiffSummary,
  warnings: readonly string[],
  rows: Readonly<Record<ChangeEvent["type"], readonly string[]>>,
): string {
  const { a, b, unchanged } = summary;
  const kinds = Object.keys(rows) as ChangeEvent["type"][];
  const tables = kinds.filter((type) => rows[type].length > 0).flatMap((type) => {
    const more = summary[type] - rows[type].length;
    return details(`${TITLES[type]}: ${count(summary[type], "page")}`, [
      type === "changed" ? "| page | what changed |" : "| page | sitemap |",
      "| --- | --- |",
      ...rows[type],
      ...(more > 0 ? ["", `and ${count(more, "more page")}`] : []),
    ]);
  });
  const counts = kinds.map((type) => `${grouped(summary[type])} ${type}`).join(", ");
  const lines = [
    `## Pages of ${codeSpan(b)} compared with ${codeSpan(a)}`,
    ...(warnings.length > 0 ? ["", warnings.join("\n>\n")] : []),
    "",
    `**${counts}**, ${grouped(unchanged)} unchanged`,
    ...tables,
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function tableRow(change: ChangeEvent): string {
  const detail = change.type === "changed"
    ? differencesOf(change).map(inertText).join("<br>")
    : codeSpan(change.sitemap);
  return `| ${codeSpan(change.page.url)} | ${detail} |`;
}
