/** What `formatCheck()` writes. @module */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import SARIF_SCHEMA from "@microsoft/jest-sarif/sarif-2.1.0-rtm.5.json" with { type: "json" };
import { SaxesParser } from "saxes";
import {
  type CheckResult,
  type Finding,
  formatCheck,
  type RuleCode,
  type Severity,
  type SiteCheck,
} from "../../src/check/mod.ts";
import { VERSION } from "../../src/data/version.ts";
import { assertFits } from "../cli/fitting.ts";

const SITE = "https://example.com/";
const CODES: readonly RuleCode[] = [
  "sitemap-failed",
  "content-type",
  "loc-duplicate",
  "lastmod-invalid",
  "lastmod-missing",
];

function resultOf(findings: readonly Finding[], more: Partial<CheckResult> = {}): CheckResult {
  const number = (severity: Severity) =>
    findings.filter((finding) => finding.severity === severity).length;
  const counts = { error: number("error"), warning: number("warning"), notice: number("notice") };
  return {
    site: SITE,
    verdict: "complete",
    pages: 3400,
    sitemaps: 12,
    counts,
    findings,
    skipped: [],
    ...more,
  };
}

const FINDINGS: readonly Finding[] = [
  {
    code: "sitemap-failed",
    severity: "error",
    message: "Cannot be fetched: 404 Not Found",
    help: "Serve the sitemap with status 200, or remove it from robots.txt or the index",
    sitemap: `${SITE}shop/products-1.xml`,
    count: 1,
    examples: [{ url: `${SITE}shop/products-1.xml`, value: "404 Not Found" }],
  },
  {
    code: "lastmod-invalid",
    severity: "error",
    message: "3 dates cannot be read",
    help:
      "Write dates as 2024-05-01 or 2024-05-01T12:30:00Z, which is the format of W3C that the " +
      "protocol asks for; some generators write local forms",
    sitemap: `${SITE}sitemap.xml`,
    count: 3,
    examples: [
      { url: `${SITE}a`, line: 9, value: "2024-13-45" },
      { url: `${SITE}products/wheel-${"x".repeat(90)}`, line: 1020, value: "yesterday" },
    ],
  },
  {
    code: "loc-duplicate",
    severity: "warning",
    message: "About 12,000 pages are listed in several sitemaps",
    help: "List each page once",
    count: 12_000,
    isEstimated: true,
    examples: [{ url: `${SITE}a` }, { url: `${SITE}b` }],
  },
  ...Array.from({ length: 7 }, (_, at): Finding => ({
    code: "lastmod-missing",
    severity: "notice",
    message: "Has no dates",
    help: "Add lastmod, so that crawlers find what has changed",
    sitemap: `${SITE}pages-${at + 1}.xml`,
    count: 1,
    examples: [],
  })),
];

const SKIPPED = [{
  code: "content-type",
  reason: "The source of the events has no responses",
}] as const;

const WEB: SiteCheck = resultOf(FINDINGS, { verdict: "partial", skipped: SKIPPED });

function fileOf(url: string): string | undefined {
  return url.startsWith(SITE) ? decodeURIComponent(new URL(url).pathname.slice(1)) : undefined;
}

const FOLDER: SiteCheck = {
  ...resultOf(FINDINGS.slice(0, 2), { site: "https://folder.example/" }),
  folder: { path: "./my site", url: "file:///srv/my%20site/", fileOf },
};

const HEALTHY: SiteCheck = resultOf([], { site: "https://healthy.example/" });

const CHECKS = [WEB, FOLDER, HEALTHY];

const FORMATS = ["text", "markdown", "github", "junit", "sarif"] as const;

type Options = NonNullable<Parameters<typeof formatCheck>[2]>;

function textOf(check: SiteCheck, options: Options): string {
  return formatCheck(check, "text", options);
}

/** Asserts that output equals `fixtures/check/<name>.txt`; `UPDATE_GOLDEN=1` rewrites it. */
async function assertGolden(name: string, output: string): Promise<void> {
  const path = new URL(`../../fixtures/check/${name}.txt`, import.meta.url);
  if (Deno.env.get("UPDATE_GOLDEN") === "1") await Deno.writeTextFile(path, output);
  assertEquals(output, await Deno.readTextFile(path));
}

for (const format of FORMATS) {
  Deno.test(`formatCheck() writes ${format} of several sites`, async () => {
    const output = formatCheck(CHECKS, format, { codes: CODES, verboseHint: "-v" });
    const stable = output.replaceAll(`@${VERSION}/`, "@{{version}}/")
      .replaceAll(`"${VERSION}"`, '"{{version}}"');
    await assertGolden(format, stable);
  });
}

Deno.test("formatCheck() writes JSON of one result as an object, of several as an array", () => {
  const { folder: _folder, ...result } = FOLDER;
  const cases: [SiteCheck | SiteCheck[], unknown][] = [
    [{ ...FOLDER, note: "x" }, result],
    [[HEALTHY], [HEALTHY]],
    [[HEALTHY, WEB], [HEALTHY, WEB]],
    [[], []],
  ];
  for (const [checks, expected] of cases) {
    assertEquals(JSON.parse(formatCheck(checks, "json")), expected);
  }
});

Deno.test("formatCheck() lists the rules that are judged without requests, or with them", () => {
  const answers = { requested: 1, unrequested: 0, failed: 0, redirected: 0 };
  const asked = { ...HEALTHY, answers: { ...answers, disallowed: 0, noindex: 0 } };
  const hasPages = (checks: SiteCheck[]) =>
    (["junit", "sarif"] as const).map((name) => formatCheck(checks, name).includes("page-status"));
  assertEquals(hasPages([HEALTHY]), [false, false]);
  assertEquals(hasPages([HEALTHY, asked]), [true, true]);
});

Deno.test("formatCheck() throws for unknown formats and options", () => {
  const cases: [string, object, ErrorConstructor | TypeErrorConstructor][] = [
    ["xml", {}, TypeError],
    ["toString", {}, TypeError],
    ["text", { colour: true }, TypeError],
    ["text", { width: 0 }, RangeError],
    ["junit", { failOn: "fatal" }, TypeError],
    ["sarif", { codes: ["no-rule"] }, TypeError],
  ];
  for (const [format, options, error] of cases) {
    assertThrows(() => formatCheck(HEALTHY, format as "text", options), error);
  }
});

Deno.test("check writes text for a terminal, shortened and not", async () => {
  for (
    const [name, options] of Object.entries({
      "80": { width: 80, verboseHint: "-v" },
      "200": { width: 200, verbose: true, verboseHint: "-v" },
    })
  ) {
    const output = textOf(WEB, options);
    assertFits(output, options.width);
    await assertGolden(`text_${name}`, output);
  }
});

Deno.test("the text of a check has colors that change nothing else", () => {
  for (const check of CHECKS) {
    const colored = textOf(check, { width: 80, color: true });
    assert(colored.includes("\x1b["));
    // deno-lint-ignore no-control-regex -- they are what is removed
    assertEquals(colored.replace(/\x1b\[\d+m/g, ""), textOf(check, { width: 80 }));
  }
});

Deno.test("the text of a healthy site is one line, whatever is skipped another", () => {
  assertEquals(
    textOf(HEALTHY, { width: 80 }),
    "https://healthy.example/: no problems in 12 sitemaps, 3,400 pages\n",
  );
  const skipped = resultOf([], { skipped: SKIPPED });
  assertEquals(
    textOf(skipped, { width: 80 }),
    "https://example.com/: no problems in 12 sitemaps, 3,400 pages\n1 rule not judged\n",
  );
});

Deno.test("the text of a check has an example without line and URL in a line of its own", () => {
  const finding = { ...FINDINGS[0]!, message: "Cannot be fetched" };
  assertMatch(
    textOf(resultOf([finding]), { width: 80 }),
    /\n {2}\/shop\/products-1\.xml: cannot be fetched\n {4}404 Not Found\n {2}help: /,
  );
});

Deno.test("the summary says what was not read", () => {
  const [finding] = FINDINGS;
  const verdicts = ["complete", "partial", "none", "blocked"] as const;
  const summaryOf = (check: SiteCheck) =>
    /^Checked https:\/\/example.com\/: (.*)$/m.exec(formatCheck(check, "github"))?.[1];
  const summaries = verdicts.map((verdict) =>
    [[], [finding!]].map((findings) => summaryOf(resultOf(findings, { verdict })))
  );
  const seen = "in 12 sitemaps, 3,400 pages";
  assertEquals(summaries, [
    [`no problems ${seen}`, `1 error ${seen}`],
    [
      `no problems ${seen}; not everything could be read`,
      `1 error ${seen}; not everything could be read`,
    ],
    ["no sitemap was found", `1 error ${seen}; no sitemap was found`],
    ["nothing could be read", `1 error ${seen}; nothing could be read`],
  ]);
  const nothing = { verdict: "partial", sitemaps: 0, pages: 0 } as const;
  assertEquals(summaryOf(resultOf([], nothing)), "not everything could be read");
});

/** Compiles the schema of SARIF, which uses nothing of draft 4 but the names of two keys. */
function sarifSchema(): ValidateFunction {
  const { $schema: _draft, id: _id, ...schema } = SARIF_SCHEMA as Record<string, unknown>;
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  formats.default(ajv);
  return ajv.compile(schema);
}

const VALIDATE = sarifSchema();

function sarifFaults(json: string): unknown {
  VALIDATE(JSON.parse(json));
  return VALIDATE.errors;
}

/** Whether `xmllint` accepts a document; unknown without it. */
async function isWellFormed(xml: string): Promise<boolean | undefined> {
  try {
    const child = new Deno.Command("xmllint", {
      args: ["--noout", "-"],
      ...{ stdin: "piped", stdout: "null", stderr: "null" },
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(xml));
    await writer.close();
    return (await child.status).success;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log("skipped: xmllint is not installed");
    return undefined;
  }
}

/** Returns the names of the elements of a document, in order; throws if it is not well-formed. */
function elementsOf(xml: string): string[] {
  const names: string[] = [];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name }) => {
    names.push(name);
  });
  parser.write(xml).close();
  return names;
}

Deno.test("JUnit is well-formed, SARIF valid by its schema", async () => {
  const junit = formatCheck(CHECKS, "junit");
  assert(await isWellFormed(junit) ?? true);
  assert(await isWellFormed(junit.replace("</testsuites>", "")) !== true, "xmllint finds faults");
  assertEquals(sarifFaults(formatCheck(CHECKS, "sarif")), null);
  assert(sarifFaults('{"version":"2.1.0","runs":[{"results":[]}]}') !== null, "ajv finds faults");
});

/** Texts that mean something in one of the formats. */
const HOSTILE: readonly string[] = [
  "\n::error::injected",
  "::stop-commands::x",
  "%0A::set-output name=a::b",
  "\r\n##[command]x",
  "a,file=/etc/passwd:line=1::x",
  "</failure></testcase><testcase name='x'/>",
  "]]><x/>",
  "<!--",
  "&amp;&#10;&lt;",
  "\"'`",
  "\0\x07\x08\x0b\x1b[31m\x7f\x9b31m",
  "\ud800",
  "\udc00x\ufffe\uffff",
  "\u202egnp.exe\u2028\u2029\ufeff",
  "a | b | c \\| d",
  "``` x ```",
  "<script>alert(1)</script><img src=x onerror=alert(1)>",
  "[click](https://evil.example) ![x](https://evil.example/x.png) <https://evil.example>",
  "\\[click\\](https://evil.example)",
  "{0} {{1}} [link](1)",
  "https://evil.example/ www.evil.example @octocat #1 GH-1",
  "`|` call-us@evil.example https://evil.example www.evil.example @octocat #1 :tada: $x$",
  "**bold** _it_ ~~x~~ $x$ \\",
  "# heading",
  'http://[::1]:80/a|b^c"<>{}[]%zz%',
  "x".repeat(5000),
];

function hostileCheck(hostile: string, folder: boolean): SiteCheck {
  const sitemap = `${SITE}${hostile}`;
  const finding: Finding = {
    code: "lastmod-invalid",
    severity: "error",
    message: `"${hostile}"`,
    help: hostile,
    sitemap,
    count: 2,
    examples: [{ url: sitemap, line: 3, value: hostile }, {
      url: hostile,
      line: 4,
      value: hostile,
    }],
  };
  const { sitemap: _sitemap, ...ofSite } = finding;
  const result = resultOf([finding, { ...ofSite, severity: "notice" }], {
    site: hostile,
    skipped: [{ code: "content-type", reason: hostile }],
  });
  const name = `${hostile}/${hostile}`;
  return folder
    ? { ...result, folder: { path: hostile, url: "file:///srv/", fileOf: () => name } }
    : result;
}

/** Returns the shape of an output: what a reader of the format takes for structure, not for text. */
const SHAPES: Readonly<Record<typeof FORMATS[number], (output: string) => unknown>> = {
  // examples, and what follows the first line of a text, are indented by four
  text: (output) => output.split("\n").filter((line) => !line.startsWith("    ")).length,
  markdown: (output) => markdownShape(output),
  // every line is a command or one that begins with known words
  github: (output) =>
    output.split("\n").map((line) =>
      /^::(error|notice) (?:file=[^:,]*,line=3,)?title=lastmod-invalid::/.exec(line)?.[1] ??
        line.replace(/^Checked .*: 1 error, 1 notice in /, "")
    ),
  junit: elementsOf,
  sarif: (output) =>
    JSON.stringify(JSON.parse(output), (_key, value) => typeof value === "string" ? "" : value),
};

/** Characters that may have a meaning, outside of code and of our own tags and links. */
function markdownShape(output: string): string[] {
  return output.split("\n").map((line) =>
    line
      .replace(/`[^`|\\]+`/g, "code")
      .replaceAll("<b></b>", "")
      .replace(/<code>[^<>`|\\*_[\]@]*<\/code>/g, "code")
      .replace(/(?:&#\d+;|[^|<>[\]`*_~\\@#$&])+/g, "")
  );
}

for (const name of FORMATS) {
  const format = (check: SiteCheck) => formatCheck(check, name, { codes: CODES });
  Deno.test(`hostile texts are inert in ${name}`, async () => {
    for (const folder of [false, true]) {
      const expected = SHAPES[name](format(hostileCheck("plain", folder)));
      for (const hostile of HOSTILE) {
        const output = format(hostileCheck(hostile, folder));
        assertEquals(SHAPES[name](output), expected, JSON.stringify(hostile));
        // deno-lint-ignore no-control-regex -- no terminal and no reader of lines interprets them
        assert(!/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028\u2029\ufeff]/.test(output));
        assert(output.isWellFormed());
        if (name === "sarif") assertEquals(sarifFaults(output), null, JSON.stringify(hostile));
        if (name === "junit") assert(await isWellFormed(output) ?? true, JSON.stringify(hostile));
      }
    }
  });
}

Deno.test("annotations are those that GitHub shows, the rest is counted", () => {
  const many = Array.from({ length: 13 }, () => FINDINGS[0]!);
  const lines = formatCheck(resultOf([...many, FINDINGS[2]!]), "github").split("\n");
  assertEquals(lines.map((line) => line.split(/[ ,]/)[0]), [
    ...Array.from({ length: 10 }, () => "::error"),
    "and",
    "::warning",
    "Checked",
    "",
  ]);
  assertEquals(lines[10], "and 3 more errors: GitHub shows 10 of each severity");
});

Deno.test("JUnit has failures for what fails the check, and output for the rest", () => {
  const cases = (["error", "warning", "notice"] as const).map((failOn) => {
    const names = elementsOf(formatCheck(WEB, "junit", { codes: CODES, failOn }));
    const number = (name: string) => names.filter((other) => other === name).length;
    return ["testcase", "failure", "system-out", "skipped"].map(number);
  });
  assertEquals(cases, [[5, 2, 2, 1], [5, 3, 1, 1], [5, 4, 0, 1]]);
});

Deno.test("the paths of annotations begin at the working directory, those of SARIF at the folder", () => {
  const paths = ["dist", "./dist", "dist/", ".", "./", "/srv/dist", "a/../dist"].map((path) => {
    const check = { ...FOLDER, folder: { ...FOLDER.folder!, path } };
    const [run] = JSON.parse(formatCheck(check, "sarif")).runs;
    const [{ physicalLocation: { artifactLocation } }] = run.results[1].locations;
    assertEquals(artifactLocation, { uri: "sitemap.xml", uriBaseId: "SITE" });
    assertEquals(run.originalUriBaseIds.SITE.uri, "file:///srv/my%20site/");
    return /file=([^,:]*)/.exec(formatCheck(check, "github"))?.[1];
  });
  const shop = "shop/products-1.xml";
  assertEquals(paths, [
    `dist/${shop}`,
    `dist/${shop}`,
    `dist/${shop}`,
    shop,
    shop,
    `/srv/dist/${shop}`,
    `a/../dist/${shop}`,
  ]);
});
