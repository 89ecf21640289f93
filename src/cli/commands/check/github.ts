import type { Finding } from "../../../check/finding.ts";
import { SEVERITIES } from "../../../check/severity.ts";
import { count } from "../../../data/text.ts";
import { escapeControls } from "../../../write/escape.ts";
import {
  fileOfFinding,
  findingLines,
  placedMessage,
  type SiteCheck,
  summaryText,
} from "./finding_text.ts";

/** Annotations of a severity that GitHub shows of a step; it drops the others. */
const MAX_SHOWN = 10;

/** Returns workflow commands, one per line: the first ten of each severity, of all sites together. */
export function githubText(checks: readonly SiteCheck[]): string {
  const lines: string[] = [];
  for (const severity of SEVERITIES) {
    const found = checks.flatMap((check) =>
      check.result.findings.filter((finding) => finding.severity === severity)
        .map((finding) => [check, finding] as const)
    );
    lines.push(...found.slice(0, MAX_SHOWN).map(([check, finding]) => annotation(check, finding)));
    const more = found.length - MAX_SHOWN;
    if (more > 0) {
      const others = count(more, `more ${severity}`);
      lines.push(`and ${others}: GitHub shows ${MAX_SHOWN} of each severity`);
    }
  }
  // a site is not at the beginning, where it could be a command
  const summaries = checks.map((check) =>
    `Checked ${escapeControls(check.result.site)}: ${summaryText(check)}`
  );
  const isInterrupted = checks.some(({ result }) => result.verdict === "interrupted");
  return (isInterrupted ? [...summaries, ...lines] : [...lines, ...summaries]).map((line) =>
    `${line}\n`
  ).join("");
}

function annotation(check: SiteCheck, finding: Finding): string {
  const { code, severity, sitemap, examples } = finding;
  const path = fileOfFinding(check, finding);
  const line = examples.find((example) => example.line !== undefined)?.line;
  const properties = [
    ...(path === undefined ? [] : [["file", pathOf(check.folder, path)]]),
    ...(path === undefined || line === undefined ? [] : [["line", String(line)]]),
    ["title", code],
  ].map(([name, value]) => `${name}=${escapeProperty(value!)}`);
  const text = findingLines(finding, placedMessage(finding, sitemap)).map(escapeControls)
    .join("\n");
  return `::${severity} ${properties.join(",")}::${escapeData(text)}`;
}

/** Returns a path from the working directory, in the form that GitHub compares. */
function pathOf(folder = "", path: string): string {
  const whole = folder === "" || folder === "."
    ? path
    : `${folder.replace(/(?<![/\\])[/\\]+$/, "")}/${path}`;
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
