import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import type { SitemapRef, TreeEvent } from "../../mod.ts";
import { Failure } from "../../src/cli/failure.ts";
import type { EventWriter } from "../../src/cli/event_writer.ts";
import { openSplitOutput, splitWriter } from "../../src/cli/split_output.ts";

const REF: SitemapRef = {
  id: 1,
  type: "PagesTextSitemap",
  url: "https://a.test/s.txt",
  level: 0,
  parent: 0,
  index: 0,
};

function pageEvent(url: string): TreeEvent {
  return { type: "page", page: { url }, sitemap: REF };
}

/** A path in a folder that is removed after the test. */
async function withPath(test: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(`${folder}/set`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

async function writePages(writer: EventWriter, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await writer.writeAll([pageEvent(`https://a.test/${at}`)]);
}

Deno.test("splitWriter() writes sitemaps of 50,000 URLs and their index, renamed at the end", () =>
  withPath(async (folder) => {
    const output = await openSplitOutput(folder);
    const writer = await splitWriter(output, new URL("https://b.test/blog/sitemap.xml"));
    await writePages(writer, 50_001);
    await writer.close();
    for (const name of namesIn(folder)) assertMatch(name, /^\.sitemap.+\.xml\.[0-9a-f]{8}\.tmp$/);
    await output.commit();
    assertEquals(namesIn(folder), ["sitemap-1.xml", "sitemap-2.xml", "sitemap_index.xml"]);
    const index = await Deno.readTextFile(`${folder}/sitemap_index.xml`);
    assertEquals([...index.matchAll(/<loc>(.*?)<\/loc>/g)].map((match) => match[1]), [
      "https://b.test/sitemap-1.xml",
      "https://b.test/sitemap-2.xml",
    ]);
    const second = await Deno.readTextFile(`${folder}/sitemap-2.xml`);
    assertStringIncludes(second, "<loc>https://a.test/50000</loc>");
  }));

Deno.test("splitWriter() uses the site of the first page by default", () =>
  withPath(async (folder) => {
    const output = await openSplitOutput(folder);
    const writer = await splitWriter(output, undefined);
    await writePages(writer, 1);
    await writer.close();
    await output.commit();
    const index = await Deno.readTextFile(`${folder}/sitemap_index.xml`);
    assertStringIncludes(index, "<loc>https://a.test/sitemap-1.xml</loc>");
  }));

Deno.test("splitWriter() writes the pages of operands that are read at the same time", () =>
  withPath(async (folder) => {
    const output = await openSplitOutput(folder);
    const writer = await splitWriter(output, undefined);
    await Promise.all([writePages(writer, 30_000), writePages(writer, 30_000)]);
    await writer.close();
    await output.commit();
    assertEquals(namesIn(folder), ["sitemap-1.xml", "sitemap-2.xml", "sitemap_index.xml"]);
  }));

Deno.test("SplitOutput keeps an interrupted set as .part beside an earlier one", () =>
  withPath(async (folder) => {
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/sitemap_index.xml`, "old");
    const output = await openSplitOutput(folder);
    const writer = await splitWriter(output, undefined);
    await writePages(writer, 3);
    await writer.close();
    assertEquals(await output.keepPartial(), `${folder}/sitemap_index.xml.part`);
    assertEquals(namesIn(folder), [
      "sitemap-1.xml.part",
      "sitemap_index.xml",
      "sitemap_index.xml.part",
    ]);
    assertEquals(await Deno.readTextFile(`${folder}/sitemap_index.xml`), "old");
    assertMatch(await Deno.readTextFile(`${folder}/sitemap-1.xml.part`), /<\/urlset>\n$/);
  }));

Deno.test("SplitOutput removes everything if it is discarded or has no pages", () =>
  withPath(async (folder) => {
    const discarded = await openSplitOutput(folder);
    const writer = await splitWriter(discarded, undefined);
    await writePages(writer, 3);
    await writer.close();
    discarded.discard();
    assertEquals(isThere(folder), false);
    const opening = await openSplitOutput(folder);
    const opened = opening.open("sitemap-1.xml");
    opening.discard();
    await assertRejects(() => opened, Failure);
    assertEquals(isThere(folder), false);
    const empty = await openSplitOutput(folder);
    await (await splitWriter(empty, undefined)).close();
    await empty.commit();
    assertEquals(isThere(folder), false);
  }));

Deno.test("openSplitOutput() rejects a folder that cannot be written", () =>
  withPath(async (path) => {
    await assertRejects(
      () => openSplitOutput(`${path}/no/such`),
      Failure,
      "no such folder",
    );
    await Deno.writeTextFile(path, "a file");
    await assertRejects(() => openSplitOutput(path), Failure, `Cannot write "${path}`);
  }));

Deno.test("splitWriter() reports a file that cannot be written, in write() and in close()", () =>
  withPath(async (folder) => {
    for (const count of [1, 200_000]) {
      const output = await openSplitOutput(folder);
      await Deno.mkdir(`${folder}/sitemap-1.xml`, { recursive: true });
      const writer = await splitWriter(output, undefined);
      await assertRejects(
        async () => {
          await writePages(writer, count);
          if (count === 1) await writer.close();
        },
        Failure,
        "sitemap-1.xml",
      );
      output.discard();
    }
  }));

Deno.test("splitWriter() reports pages without a site", () =>
  withPath(async (folder) => {
    const output = await openSplitOutput(folder);
    const writer = await splitWriter(output, undefined);
    await assertRejects(
      async () => {
        for (let at = 0; at < 5000; at++) await writer.writeAll([pageEvent("no url")]);
      },
      Failure,
      "Cannot place the sitemaps",
    );
    output.discard();
    assertEquals(isThere(folder), false);
  }));
