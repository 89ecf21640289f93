import { format } from "@std/fmt/bytes";
import type { Severity } from "../../check/severity.ts";
import { duration, grouped } from "../../data/text.ts";
import { hostOf as hostIn } from "../../data/url_parts.ts";
import type { ReportOverlap, ReportSite } from "../report.ts";

export const MARKS: Readonly<Record<Severity, string>> = { error: "✕", warning: "▲", notice: "●" };

const VERDICTS: Readonly<Record<string, string>> = {
  complete: "Everything declared was read",
  partial: "Some of what is declared was not read",
  blocked: "Nothing could be read",
  none: "No sitemap was found",
};

const LIMITS: Readonly<Record<string, string>> = {
  deadline: "the time limit ended the walk",
  "max-pages": "the limit of pages ended the walk",
  "max-sitemaps": "the limit of sitemaps ended the walk",
};

export function verdictText({ verdict, endedBy, reason }: ReportSite): string {
  const sentence = VERDICTS[verdict ?? ""] ?? "The walk did not end";
  const detail = endedBy === undefined ? reason : LIMITS[endedBy] ?? endedBy;
  return detail === undefined ? sentence : `${sentence}: ${detail}`;
}

export function repeatedText({ repeated, sampledOneIn }: ReportOverlap): string {
  const about = sampledOneIn > 1 ? "about " : "";
  return repeated === 0 ? "" : `${about}${grouped(repeated)} in several sitemaps`;
}

/** Returns a share such as `12.5 %`; what is neither nothing nor all is never shown as such. */
export function share(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  if (part === whole) return "100 %";
  const percent = Math.min(99.9, Math.max(0.1, part / whole * 100));
  return part / whole < 0.001 ? "< 0.1 %" : `${percent.toFixed(1)} %`;
}

/** Such as `1.2 MB`. */
export function size(bytes: number): string {
  return format(bytes);
}

/** Such as `12 ms` or `1.2 s`. */
export function time(milliseconds: number): string {
  return milliseconds < 100 ? `${Math.round(milliseconds)} ms` : duration(milliseconds);
}

export function day(time: string): string {
  return time.slice(0, 10);
}

/** Such as `2024-05-01 12:00 UTC`. */
export function moment(time: string): string {
  const [date = "", clock = ""] = time.split("T");
  return clock === "" ? date : `${date} ${clock.slice(0, 5)}${clock.endsWith("Z") ? " UTC" : ""}`;
}

export function hostOf(url: string): string {
  return hostIn(url) || url;
}

export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]+(?=.)/i, "");
}
