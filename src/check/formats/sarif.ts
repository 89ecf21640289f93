import { VERSION } from "../../data/version.ts";
import { escapeControls } from "../../write/escape.ts";
import { documentJson } from "../../write/json_text.ts";
import type { Finding } from "../finding.ts";
import { type RuleCode, RULES } from "../rules.ts";
import type { Severity } from "../severity.ts";
import {
  exampleText,
  fileOfFinding,
  findingLines,
  type FormatSettings,
  messageOf,
  ruleUrl,
  type SiteCheck,
  summaryText,
} from "./finding_text.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0-rtm.5.json";

const LEVELS: Readonly<Record<Severity, string>> = {
  error: "error",
  warning: "warning",
  notice: "note",
};

export function sarifText(checks: readonly SiteCheck[], { codes }: FormatSettings): string {
  const folders = [...new Set(checks.flatMap(({ folder }) => folder?.url ?? []))];
  const interrupted = checks.filter(({ verdict }) => verdict === "interrupted");
  const run = {
    ...(interrupted.length > 0 && {
      invocations: [{
        executionSuccessful: false,
        toolExecutionNotifications: interrupted.map((check) => ({
          level: "error",
          message: { text: messageText([`${check.site}: ${summaryText(check)}`]) },
        })),
      }],
    }),
    tool: {
      driver: {
        name: "sitetree",
        version: VERSION,
        semanticVersion: VERSION,
        rules: codes.map(ruleObject),
      },
    },
    ...(folders.length > 0 && {
      originalUriBaseIds: Object.fromEntries(
        folders.map((folder, at) => [baseId(at), { uri: folder }]),
      ),
    }),
    results: checks.flatMap((check) => {
      const base = check.folder && baseId(folders.indexOf(check.folder.url));
      return check.findings.map((finding) => resultObject(check, finding, codes, base));
    }),
    columnKind: "utf16CodeUnits",
  };
  const log = { $schema: SCHEMA, version: "2.1.0", runs: [run] };
  return documentJson(log);
}

function baseId(at: number): string {
  return at === 0 ? "SITE" : `SITE${at + 1}`;
}

function ruleObject(code: RuleCode): object {
  const { title, help, severity } = RULES[code];
  const helpUri = ruleUrl(code);
  return {
    id: code,
    shortDescription: { text: messageText([title]) },
    help: { text: messageText([help]) },
    ...(helpUri !== undefined && { helpUri }),
    defaultConfiguration: { level: LEVELS[severity] },
  };
}

function resultObject(
  check: SiteCheck,
  finding: Finding,
  codes: readonly RuleCode[],
  base: string | undefined,
): object {
  const { code, severity, sitemap, examples, count } = finding;
  const path = fileOfFinding(check, finding);
  const artifactLocation = base === undefined
    ? { uri: webUri(sitemap ?? check.site) }
    : { uri: path === undefined ? "./" : pathUri(path), uriBaseId: base };
  const [first, ...others] = examples.filter(({ line }) => line !== undefined);
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: LEVELS[severity],
    message: { text: messageText(findingLines(finding, messageOf(finding))) },
    locations: [location(artifactLocation, first?.line)],
    ...(others.length > 0 && {
      relatedLocations: others.map((example, at) => ({
        id: at + 1,
        ...location(artifactLocation, example.line),
        message: { text: messageText([exampleText(example)]) },
      })),
    }),
    occurrenceCount: Math.max(1, count),
  };
}

function location(artifactLocation: object, startLine: number | undefined): object {
  const region = startLine === undefined ? {} : { region: { startLine } };
  return { physicalLocation: { artifactLocation, ...region } };
}

/** Returns lines as a message without the links (`[text](url)`) and placeholders (`{0}`) of SARIF. */
function messageText(lines: readonly string[]): string {
  return lines.map((line) =>
    escapeControls(line).replace(/[\\[\]]/g, "\\$&").replace(/[{}]/g, "$&$&")
  ).join("\n");
}

function pathUri(path: string): string {
  return path.split("/").map((name) => encodeURIComponent(name.toWellFormed())).join("/");
}

/** What a path or query cannot contain: other characters, and a percent sign alone. */
const FOREIGN_REGEXP = /%(?![0-9a-f]{2})|[^\w.~:/?@!$&'()*+,;=%-]/giu;

function webUri(url: string): string {
  const { origin = "", href = url } = URL.parse(url) ?? {};
  const start = href.startsWith(origin) ? origin : "";
  return start +
    href.slice(start.length).toWellFormed().replace(FOREIGN_REGEXP, encodeURIComponent);
}
