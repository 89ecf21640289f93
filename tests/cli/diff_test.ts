/** `sitetree diff`: every kind of operand, formats, exit codes, and sides that were not read. @module */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { diffMarkdown } from "../../src/sync/diff_markdown.ts";
import { type Answer, FaultServer, ok, silence, status } from "../support/fault_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { test, testOnUnix } from "./folder_cases.ts";
import { ALL_PERMISSIONS, type CliResult, HAS_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import { closedUrl } from "./sites.ts";
import { assertTranscript, type CommandLine } from "./transcript.ts";

async function run(cwd: string, ...args: readonly string[]): Promise<CliResult> {
  return await runCli(args, { cwd, permissions: [...ALL_PERMISSIONS, "--allow-sys"] });
}

const SITE = "https://mill.example";

function sitemapOf(...pages: readonly string[]): string {
  const urls = pages.map((page) => {
    const [path, lastmod] = page.split(" ");
    return `<url><loc>${SITE}/${path}</loc>${lastmod ? `<lastmod>${lastmod}</lastmod>` : ""}</url>`;
  });
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>`;
}

const BEFORE = sitemapOf("a 2024-05-01", "b", "c", "b 2024-01-01");
const AFTER = sitemapOf("d", "c", "a 2024-05-02", "%65");
const TEXT = [
  `+ ${SITE}/d`,
  `~ ${SITE}/a (lastModified 2024-05-01 → 2024-05-02)`,
  `+ ${SITE}/%65`,
  `- ${SITE}/b`,
  "",
].join("\n");

function serve(sitemap: Answer): FaultServer {
  const robots = ok("Sitemap: /s.xml\n");
  return new FaultServer({ "*": status(404), "/robots.txt": robots, "/s.xml": sitemap });
}

/** Writes a site in every form that is not served, below a name. */
async function writeForms(folder: string, name: string, xml: string, url: string): Promise<void> {
  await Deno.mkdir(`${folder}/${name}`);
  await Deno.writeTextFile(`${folder}/${name}/sitemap.xml`, xml);
  await Promise.all([
    run(folder, "ls", url, "-q", "-f", "events", "-o", `${name}.ndjson.gz`),
    run(folder, "sync", url, `${name}.db`, "-q"),
  ]);
}

test("diff compares every kind of operand with every other", async (folder) => {
  await using before = serve(ok(BEFORE));
  await using after = serve(ok(AFTER));
  await writeForms(folder, "before", BEFORE, before.url);
  await writeForms(folder, "after", AFTER, after.url);
  const formsOf = (name: string, url: string) => [
    url,
    `${url}s.xml`,
    `./${name}`,
    `${name}/sitemap.xml`,
    `${name}.ndjson.gz`,
    `${name}.db`,
  ];
  const a = formsOf("before", before.url), b = formsOf("after", after.url);
  // each kind on each side
  const results = await Promise.all(a.map((form, at) => {
    const other = b[(at + 2) % b.length]!;
    return run(folder, "diff", form, other, "-q", "--exit-code");
  }));
  for (const { code, stdout, stderr } of results) {
    assertEquals([stdout, stderr, code], [TEXT, "", 10]);
  }
  const same = await run(folder, "diff", "before.db", "before.ndjson.gz", "--exit-code");
  assertEquals([same.stdout, same.stderr, same.code], ["", "", 0]);
});

test("diff writes every format, and figures; --fields and --ignore-origin choose", async (folder) => {
  await Deno.writeTextFile(`${folder}/a.xml`, BEFORE);
  await Deno.writeTextFile(`${folder}/b.xml`, AFTER.replaceAll(SITE, "http://localhost:3000"));
  const url = "--url=https://mill.example/s.xml";
  const step = (...args: readonly string[]): CommandLine => ({
    args: ["diff", "a.xml", "b.xml", url, "--ignore-origin", ...args],
    options: { cwd: folder, permissions: ALL_PERMISSIONS },
  });
  await assertTranscript("diff", {}, [
    step(),
    ...["ndjson", "json", "csv", "markdown"].map((name) => step("-f", name)),
    step("--summary"),
    step("--summary", "-f", "json", "--exit-code"),
    step("--summary", "-f", "markdown"),
    step("--fields", "alternates,priority"),
    step("--fields", "none", "-o", "diff.md", "--exit-code"),
  ]);
  const markdown = await Deno.readTextFile(`${folder}/diff.md`);
  assertStringIncludes(markdown, "\n**2 added, 0 changed, 1 removed**, 2 unchanged\n");
});

Deno.test("Markdown is not longer than a comment may be, and says what it leaves out", () => {
  const counts = { added: 500, changed: 500, removed: 500, unchanged: 0 };
  const verdicts = { verdictA: "complete", verdictB: "complete" } as const;
  const { write, end } = diffMarkdown(() => ({ a: SITE, b: SITE, ...verdicts, ...counts }));
  for (const type of ["added", "changed", "removed"] as const) {
    for (let at = 0; at < counts[type]; at++) {
      const page = { url: `${SITE}/${at}|${"`long-&<b>".repeat(at)}` };
      write({ type, page, previous: page, fields: ["priority"], sitemap: SITE, site: SITE });
    }
  }
  const text = end!();
  assert(text.length < 65_536, `${text.length} characters`);
  const shown = text.split("\n").filter((line) => line.includes("mill.example/")).length;
  const [...more] = text.matchAll(/^and (\d+) more pages$/gm);
  assertEquals(shown + more.reduce((sum, [, count]) => sum + Number(count), 0), 1500);
});

/** Sites that cannot be read, or not completely, by verdict. */
const BROKEN: Readonly<Record<string, Answer>> = {
  partial: ok(BEFORE.slice(0, BEFORE.indexOf("/c</loc>"))),
  blocked: status(403),
};

test("a side that was not read completely is said first, and the exit code is 3", async (folder) => {
  await Deno.writeTextFile(`${folder}/a.xml`, BEFORE);
  for (const [verdict, answer] of Object.entries(BROKEN)) {
    await using server = serve(answer);
    const [text, json, csv, markdown, figures] = await Promise.all(
      [[], ["-f", "json"], ["-f", "csv"], ["-f", "markdown"], ["--summary", "-f", "json"]]
        .map((args) => run(folder, "diff", "a.xml", server.url, "--exit-code", "-q", ...args)),
    );
    for (const { code } of [text!, json!, csv!, markdown!, figures!]) assertEquals(code, 3);
    const [first, second] = text!.stdout.split("\n");
    assertMatch(
      first!,
      new RegExp(`^! ${server.url}.* \\(${verdict}\\); pages that seem removed`),
    );
    assertMatch(second!, /^- /);
    const [row] = JSON.parse(json!.stdout);
    assertEquals(row, { type: "incomplete", side: "b", verdict, site: server.url });
    assertMatch(csv!.stdout, /^type,.*\r\nincomplete,/);
    assertMatch(markdown!.stdout, /^## .*\n\n> ⚠️ /);
    assertEquals(JSON.parse(figures!.stdout)[0].verdictB, verdict);
  }
  await using server = serve(BROKEN.partial!);
  const { stdout, stderr } = await run(folder, "diff", server.url, "a.xml");
  assertMatch(stdout, /^! .* \(partial\); pages that seem added may only be unread there\n\+ /);
  assertMatch(stderr, /: partial: 1 sitemap, /);
});

Deno.test("without permission for a temporary file, pages are compared in memory", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  await inFolder(async (folder) => {
    const urls = Array.from({ length: 30_000 }, (_, at) => `${SITE}/${"long-".repeat(40)}${at}`);
    await Deno.writeTextFile(`${folder}/a.txt`, urls.join("\n"));
    await Deno.writeTextFile(`${folder}/b.txt`, urls.slice(1).join("\n"));
    const options = { cwd: folder, permissions: ["--allow-read"] };
    const { code, stdout, stderr } = await runCli(["diff", "a.txt", "b.txt"], options);
    assertEquals([code, stdout, stderr], [0, `- ${urls[0]}\n`, ""]);
  });
});

test("an operand that cannot be read ends diff with its reason and without output", async (folder) => {
  await Deno.writeTextFile(`${folder}/a.xml`, BEFORE);
  const cases: readonly (readonly [args: string[], code: number, message: string])[] = [
    [
      ["a.xml", "./missing.xml"],
      1,
      'error: Cannot read "./missing.xml": no such file or folder\n',
    ],
    [[closedUrl(), "a.xml"], 5, "error: Cannot connect to"],
    [["a.xml"], 2, 'error: Missing operand after "a.xml"\n  expected A B, as in '],
    [["a.xml", "a.xml", "a.xml"], 2, 'error: Unexpected operand "a.xml"\n'],
    [["a.xml", "a.xml", "--fields", "lastmode"], 2, 'error: Unknown field "lastmode"'],
    [["a.xml", "a.xml", "-o", "x.xml"], 2, 'error: Unknown extension ".xml" of "x.xml"\n'],
  ];
  const results = await Promise.all(cases.map(([args]) => run(folder, "diff", ...args)));
  for (const [at, { code, stdout, stderr }] of results.entries()) {
    assertEquals([stdout, code], ["", cases[at]![1]], stderr);
    assert(stderr.startsWith(cases[at]![2]), stderr);
  }
});

testOnUnix("Ctrl-C ends diff without output", async (folder) => {
  let request = () => {};
  const requested = new Promise<void>((resolve) => request = resolve);
  await using server = serve((wire) => {
    request();
    return silence()(wire);
  });
  await Deno.writeTextFile(`${folder}/a.xml`, BEFORE);
  const args = ["diff", "a.xml", server.url, "-o", "diff.txt"];
  const child = startCli(args, { cwd: folder, permissions: ALL_PERMISSIONS });
  const output = child.output();
  await requested;
  child.kill("SIGINT");
  const { code, stdout } = await output;
  assertEquals([code, stdout.length], [130, 0]);
  assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["a.xml"]);
});
