import { type Arguments, formatConflict } from "./arguments.ts";
import type { ListColumn } from "./columns.ts";
import { UsageError } from "./failure.ts";
import type { FormatName } from "./format_names.ts";
import { type FormatSettings, formatsOf, type FormatSpec } from "./formats.ts";
import { samplingOption } from "./sampling.ts";
import { isSnapshot } from "./snapshots.ts";

/** Pages of a sitemap that the tree shows on a terminal. */
export const SHOWN_PAGES = 10;

export function formatSettings(args: Arguments): FormatSettings {
  const sampled = samplingOption(args);
  const format = listFormat(args, sampled !== undefined);
  const stripUrl = args.has("strip-url");
  const columns = args.value<readonly ListColumn[]>("columns");
  const ofSitemaps = args.has("sitemaps");
  const formats = formatsOf({ ofSitemaps });
  const { hasOnlyPages = false, canStripUrl = false } = formats[format]!;
  const ofPages = ["sample", "per-pattern", "columns"].find((name) => args.has(name));
  if (ofSitemaps && ofPages !== undefined) {
    throw new UsageError(`Option "--sitemaps" cannot be combined with "--${ofPages}"`);
  }
  if (sampled !== undefined && !hasOnlyPages) {
    throw formatConflict(sampled, format, `it works with ${formatsWith("hasOnlyPages", formats)}`);
  }
  if (stripUrl && !canStripUrl) {
    throw formatConflict(
      "strip-url",
      format,
      `it works with ${formatsWith("canStripUrl", formats)}`,
    );
  }
  if (columns !== undefined && format !== "csv") {
    throw formatConflict("columns", format, "add --format=csv");
  }
  if (args.has("all") && format !== "tree") {
    throw formatConflict("all", format, "it works with tree");
  }
  if (args.has("notes") && format !== "events") {
    throw formatConflict("notes", format, "add --format=events");
  }
  return {
    ...{ format, ofSitemaps, stripUrl, columns },
    hasSite: hasManySites(args),
    mark: args.byteOrderMark(),
    ...(!args.has("all") && { maxPages: SHOWN_PAGES }),
  };
}

function listFormat(args: Arguments, isSampled: boolean): FormatName<"list"> {
  if (args.has("format")) return args.format();
  const format = args.format<FormatName<"list">>();
  return isSampled && format === "tree" ? "pages" : format;
}

function formatsWith(
  property: "hasOnlyPages" | "canStripUrl",
  formats: Readonly<Record<string, FormatSpec>>,
): string {
  return Object.keys(formats).filter((name) => formats[name]![property]).join(", ");
}

/** A list or a snapshot counts as many: its length may change from one run to the next. */
function hasManySites(args: Arguments): boolean {
  const { operands } = args;
  return operands.length > 1 || args.has("from") || !args.has("site") && operands.some(isSnapshot);
}
