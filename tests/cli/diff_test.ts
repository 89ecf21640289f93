/** `sitetree diff`: every kind of operand, formats, exit codes, and sides that were not read. @module */

import { assert, assertEquals } from "@std/assert";
import { diffMarkdown } from "../../src/sync/diff_markdown.ts";
import { inFolder } from "../support/in_folder.ts";
import { HAS_PERMISSIONS, runCli } from "./run_cli.ts";
import { robots, urlset } from "./sites.ts";
import { type Site, transcripts } from "./transcript.ts";

const SITE = "https://mill.example";

function sitemapOf(...pages: readonly string[]): string {
  const xml = urlset(...pages.map((page) => `${SITE}/${page}`));
  return xml.replace("<urlset", '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"');
}

const BEFORE = sitemapOf("a 2024-05-01", "b", "c", "b 2024-01-01");
const AFTER = sitemapOf("d", "c", "a 2024-05-02", "%65");

function serving(sitemap: string | number): Site {
  return { "/robots.txt": robots("/s.xml"), "/s.xml": sitemap };
}

transcripts("diff", {
  formats: {
    files: { "a.xml": BEFORE, "b.xml": AFTER.replaceAll(SITE, "http://localhost:3000") },
  },
  operands: {
    sites: { before: serving(BEFORE), after: serving(AFTER) },
    files: { "before/sitemap.xml": BEFORE, "after/sitemap.xml": AFTER },
  },
  unread: {
    sites: { partial: serving(BEFORE.slice(0, BEFORE.indexOf("/c</loc>"))), blocked: serving(403) },
    files: { "a.xml": BEFORE },
  },
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
