import type { Severity } from "../../check/severity.ts";
import { grouped } from "../../data/text.ts";
import { hostOf as hostIn } from "../../data/url_parts.ts";
import { duration, VERDICTS } from "../../data/words.ts";
import type { ReportOverlap, ReportSite } from "../report.ts";

export const MARKS: Readonly<Record<Severity, string>> = { error: "✕", warning: "▲", notice: "●" };

const LIMITS: Readonly<Record<string, string>> = {
  deadline: "the time limit ended the walk",
  "max-pages": "the limit of pages ended the walk",
  "max-sitemaps": "the limit of sitemaps ended the walk",
};

export function verdictText({ verdict, endedBy, reason }: ReportSite): string {
  const words = verdict === undefined ? "the walk did not end" : VERDICTS[verdict];
  const detail = endedBy === undefined ? reason : LIMITS[endedBy] ?? endedBy;
  return capitalized(detail === undefined ? words : `${words}: ${detail}`);
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function repeatedText({ repeated, sampledOneIn }: ReportOverlap): string {
  const about = sampledOneIn > 1 ? "about " : "";
  return repeated === 0 ? "" : `${about}${grouped(repeated)} in several sitemaps`;
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
