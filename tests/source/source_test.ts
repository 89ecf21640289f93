import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { gzipSync } from "node:zlib";
import { walk } from "../../mod.ts";
import {
  openSource,
  openSources,
  type Source,
  SourceError,
  type SourceOptions,
} from "../../src/source/mod.ts";
import { openSnapshot, sync } from "../../src/sync/mod.ts";
import { toNdjson, toReadableStream } from "../../src/write/mod.ts";
import { withFolder } from "../disk/with_folder.ts";
import { FaultServer, ok } from "../support/fault_server.ts";

const HOME = "https://example.com/";

/** Returns a sitemap of one page. */
function urlset(page: string): string {
  return `<urlset><url><loc>${HOME}${page}</loc></url></urlset>`;
}

function siteServer(): FaultServer {
  return new FaultServer({
    "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
    "/s.xml": ok("<urlset><url><loc>{{origin}}/a</loc></url></urlset>"),
    "/page": ok("<html></html>"),
  });
}

/** Returns the paths of the pages of a source, and what is known of it once it was read. */
async function readAll(source: Source) {
  const pages: string[] = [];
  for await (const event of source) {
    if (event.type === "page") pages.push(new URL(event.page.url).pathname);
  }
  const { kind, finished, notes } = source;
  return { pages, kind, verdict: finished?.verdict, notes: notes.map(({ code }) => code) };
}

Deno.test("openSource() reads sites and sitemaps, and walks the site of another URL", async () => {
  await using server = siteServer();
  const { host } = new URL(server.url);
  const site = { pages: ["/a"], kind: "site", verdict: "complete" };
  const rows: readonly (readonly [word: string, expected: object])[] = [
    [server.url, { ...site, notes: [] }],
    [`${server.url}s.xml`, { ...site, kind: "sitemap", notes: [] }],
    [`${server.url}page`, { ...site, notes: ["no-sitemap"] }],
    [host, { ...site, notes: ["http"] }],
  ];
  for (const [word, expected] of rows) {
    const source = openSource(word, { useKnownPaths: false });
    assertEquals(await readAll(source), expected as Awaited<ReturnType<typeof readAll>>);
    assertEquals(source.site?.host, host);
  }
});

Deno.test("openSource() reads folders, files, saved walks and snapshots", () =>
  withFolder({
    "dist/robots.txt": `Sitemap: ${HOME}s.xml\n`,
    "dist/s.xml": urlset("one"),
    "two.xml.gz": gzipSync(urlset("two")),
    "cut.ndjson": "",
  }, async (folder) => {
    await using server = siteServer();
    const options = { useKnownPaths: false };
    const events = toReadableStream(walk(server.url, options).batches()).pipeThrough(toNdjson());
    const saved = await new Response(events).text();
    await Deno.writeTextFile(`${folder}/walk.ndjson`, saved);
    await Deno.writeTextFile(`${folder}/cut.ndjson`, saved.replace(/.*"finished".*\n$/, ""));
    const snapshot = await openSnapshot(`${folder}/site.db`);
    for await (const _ of sync(server.url, { ...options, snapshot }).batches());
    await snapshot.close();
    const rows: readonly (readonly [word: string, options: SourceOptions, expected: unknown[]])[] =
      [
        ["dist", {}, [["/one"], "folder", "complete", ["served-at"]]],
        ["dist", { url: HOME }, [["/one"], "folder", "complete", []]],
        ["dist", { url: "https://b.test/" }, [[], "folder", "partial", ["other-origin"]]],
        ["two.xml.gz", {}, [["/two"], "file", "complete", []]],
        ["walk.ndjson", {}, [["/a"], "saved", "complete", []]],
        ["cut.ndjson", {}, [["/a"], "saved", undefined, ["unfinished"]]],
        ["site.db", {}, [["/a"], "snapshot", "complete", []]],
        ["site.db", { site: new URL(server.url).host }, [["/a"], "snapshot", "complete", []]],
        ["walk.ndjson", { includePage: () => false }, [[], "saved", "complete", []]],
      ];
    for (const [word, options, expected] of rows) {
      const path = `${folder}/${word}`;
      const { pages, kind, verdict, notes } = await readAll(openSource(path, options));
      assertEquals([word, pages, kind, verdict, notes], [word, ...expected]);
    }
    const runs = await Array.fromAsync(openSource(`${folder}/site.db`).runs());
    assertEquals(runs.map(({ verdict }) => verdict), ["complete"]);
  }));

Deno.test("sources of folders and sitemap files know the file behind a URL", () =>
  withFolder({
    "dist/robots.txt": "",
    "dist/maps/2.xml": urlset("two"),
    "sitemap.xml": urlset("one"),
  }, async (folder) => {
    const open = async (name: string, options: SourceOptions = {}) => {
      const source = openSource(`${folder}/${name}`, options);
      await readAll(source);
      return source;
    };
    const dist = await open("dist", { url: `${HOME}docs/` });
    const file = await open("sitemap.xml", { url: `${HOME}s.xml` });
    const path = `${folder}/sitemap.xml`;
    const rows: readonly (readonly [Source, url: string, expected: string | undefined])[] = [
      [dist, `${HOME}docs/maps/2.xml?v=1`, "maps/2.xml"],
      [dist, `${HOME}docs/robots.txt`, "robots.txt"],
      [dist, `${HOME}maps/2.xml`, undefined],
      [dist, `${HOME}docs/`, undefined],
      [dist, `${HOME}docs/missing.xml`, undefined],
      [file, `${HOME}s.xml`, path],
      [file, `${HOME}one`, undefined],
      [await open("sitemap.xml"), new URL(`file://${path}`).href, path],
    ];
    for (const [source, url, expected] of rows) assertEquals(source.fileOf(url), expected);
  }));

Deno.test("openSources() reads lists too", () =>
  withFolder({ "a.xml": urlset("a"), "list.txt": "" }, async (folder) => {
    await Deno.writeTextFile(`${folder}/list.txt`, `# more\n\n${folder}/a.xml\nhttps://b.test/\n`);
    const sources = await openSources(["c.test"], { from: [`${folder}/list.txt`] });
    const names = ["https://c.test/", `${folder}/a.xml`, "https://b.test/"];
    assertEquals(sources.map(({ name }) => name), names);
    assertEquals(await readAll(sources[1]!).then(({ pages }) => pages), ["/a"]);
  }));

Deno.test("what cannot be an operand is an error at once, and what cannot be read when it is read", () =>
  withFolder({
    "empty/x.html": "",
    "bad.ndjson": "{\n",
    "two.txt": "https://a.test/ b\n",
  }, async (folder) => {
    for (const word of ["ftp://a.test/", "http://", "a b", ""]) {
      const error = assertThrows(() => openSource(word), SourceError);
      assertEquals([word, error.code], [word, "operand"]);
    }
    const rows: readonly (readonly [word: string, code: SourceError["code"]])[] = [
      [`${folder}/missing.xml`, "file"],
      [`${folder}/empty`, "folder-url"],
      [`${folder}/bad.ndjson`, "saved-walk"],
      ["https://no.invalid/", "unreachable"],
    ];
    for (const [word, code] of rows) {
      const error = await assertRejects(() => readAll(openSource(word)), SourceError);
      assertEquals([word, error.code], [word, code]);
    }
    await assertRejects(() => openSources([], { from: [`${folder}/none.txt`] }), SourceError);
  }));

Deno.test("leaving a source, and its signal, stop it", async () => {
  await using server = siteServer();
  await using source = openSource(server.url);
  for await (const _event of source) break;
  assertEquals((await source.next()).done, true);
  const controller = new AbortController();
  const stopped = openSource(server.url, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assertRejects(() => stopped.next(), Error, "enough");
});
