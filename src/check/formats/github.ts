import { count } from "../../data/text.ts";
import { escapeControls } from "../../write/escape.ts";
import type { Finding } from "../finding.ts";
import { SEVERITIES } from "../severity.ts";
import {
  fileOfFinding,
  findingLines,
  messageOf,
  type SiteCheck,
  summaryText,
} from "./finding_text.ts";

/** Annotations of a severity that GitHub shows of a step; it drops the others. */
const MAX_SHOWN = 10;

/** Returns workflow commands, one per line: the first ten of each severity, of all sites together. */
export function githubText(checks: readonly SiteCheck[]): string {
  const lines = SEVERITIES.flatMap((severity) => {
    const found = checks.flatMap((check) =>
      check.findings.filter((finding) => finding.severity === severity)
        .map((finding) => [check, finding] as const)
    );
    const shown = found.slice(0, MAX_SHOWN).map(([check, finding]) => annotation(check, finding));
    const more = count(found.length - shown.length, `more ${severity}`);
    if (found.length === shown.length) return shown;
    return [...shown, `and ${more}: GitHub shows ${MAX_SHOWN} of each severity`];
  });
  // a site is not at the beginning, where it could be a command
  const summaries = checks.map((check) =>
    `Checked ${escapeControls(check.site)}: ${summaryText(check)}`
  );
  const isInterrupted = checks.some(({ verdict }) => verdict === "interrupted");
  return (isInterrupted ? [...summaries, ...lines] : [...lines, ...summaries])
    .map((line) => `${line}\n`).join("");
}

function annotation(check: SiteCheck, finding: Finding): string {
  const { code, severity, sitemap, examples } = finding;
  const path = fileOfFinding(check, finding);
  const line = examples.find((example) => example.line !== undefined)?.line;
  const properties = [
    ...(path === undefined ? [] : [`file=${escapeProperty(pathOf(check.folder!.path, path))}`]),
    ...(path === undefined || line === undefined ? [] : [`line=${line}`]),
    `title=${code}`,
  ];
  const text = findingLines(finding, messageOf(finding, sitemap)).map(escapeControls).join("\n");
  return `::${severity} ${properties.join(",")}::${escapeData(text)}`;
}

/** Returns a path from the working directory, in the form that GitHub compares. */
function pathOf(folder: string, path: string): string {
  const whole = folder === "." ? path : `${folder.replace(/(?<![/\\])[/\\]+$/, "")}/${path}`;
  return escapeControls(whole.replaceAll("\\", "/").replace(/^(?:\.\/+)+/, ""));
}

/** Escapes the text of a workflow command, as `@actions/core` does. */
function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Escapes a property of a workflow command, as `@actions/core` does. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
