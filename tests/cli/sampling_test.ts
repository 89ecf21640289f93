import { assert, assertEquals, assertMatch } from "@std/assert";
import { parse } from "@std/csv/parse";
import { parseArguments } from "../../src/cli/arguments.ts";
import { Sampling } from "../../src/cli/run/sampling.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { ALL_PERMISSIONS, type CliResult, runCli, startCli } from "./run_cli.ts";

const POSTS = Array.from({ length: 200 }, (_, at) => `https://a.test/blog/post-number-${at + 100}`);
const ITEMS = Array.from({ length: 100 }, (_, at) => `https://b.test/item/${at}`);

function urlset(urls: readonly string[]): string {
  const entries = urls.map((url) => `<url><loc>${url}</loc><priority>0.5</priority></url>`);
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join("")}</urlset>`;
}

/** Runs commands in a folder with two sitemaps. */
async function inSite(test: (run: (line: string) => Promise<CliResult>) => Promise<void>) {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/posts.xml`, urlset(["https://a.test/", ...POSTS]));
    await Deno.writeTextFile(`${folder}/items.xml`, urlset(ITEMS));
    await test((line) => runCli(line.split(" "), { permissions: ALL_PERMISSIONS, cwd: folder }));
  });
}

function linesOf(text: string): string[] {
  return text.trimEnd().split(/\r?\n/);
}

function assertInOrder(urls: readonly string[], all: readonly string[]): void {
  const places = urls.map((url) => all.indexOf(url));
  assert(!places.includes(-1), urls.join(" "));
  assertEquals(places.toSorted((a, b) => a - b), places);
}

Deno.test("ls --sample writes the same pages in every format of pages, in document order", async () => {
  await inSite(async (run) => {
    const sample = "posts.xml --sample 5 --seed 7";
    const outputs = await Promise.all(
      [
        "",
        "-f ndjson",
        "-f json",
        "-f csv --columns all",
        "-f xml",
        "-u --url https://a.test/s.xml",
      ]
        .map((format) => run(`ls ./${sample} ${format}`.trim())),
    );
    for (const { code, stderr } of outputs) assertEquals([code, stderr], [0, ""]);
    const [pages, ndjson, json, csv, xml, stripped] = outputs.map(({ stdout }) => stdout);
    const urls = linesOf(pages!);
    assertEquals(urls.length, 5);
    assertInOrder(urls, POSTS);
    const objects = linesOf(ndjson!).map((line) => JSON.parse(line));
    assertEquals(objects.map(({ url }) => url), urls);
    assertMatch(objects[0].sitemap, /\/posts\.xml$/);
    assertEquals(JSON.parse(json!), objects);
    const rows: Record<string, string>[] = parse(csv!, { skipFirstRow: true });
    assertEquals(rows.map(({ url, sitemap }) => ({ url, sitemap, priority: 0.5 })), objects);
    assertEquals([...xml!.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url), urls);
    assertEquals(linesOf(stripped!), urls.map((url) => url.replace("https://a.test", "")));
  });
});

Deno.test("ls --sample and --per-pattern sample the pages of all operands after filters, by the seed that they name", async () => {
  await inSite(async (run) => {
    const [random, few, patterns] = await Promise.all([
      run("ls posts.xml items.xml --sample 9 --match [0-9]{2}$"),
      run("ls items.xml --sample 9 --max-pages 4"),
      run("ls posts.xml items.xml --per-pattern 3 -f csv --columns site,url"),
    ]);
    const all = [...POSTS, ...ITEMS].filter((url) => /\d{2}$/.test(url));
    const urls = linesOf(random.stdout);
    assertEquals([random.code, urls.length], [0, 9]);
    assertInOrder(urls, all);
    const line = linesOf(random.stderr).at(-1)!;
    assertMatch(line, /^sampled 9 of 290 pages: --seed \d+ gives them again$/);
    const seed = /--seed \d+/.exec(line)![0];
    const again = await run(`ls posts.xml items.xml --sample 9 --match [0-9]{2}$ ${seed} -q`);
    assertEquals(again, { ...random, stderr: "" });

    assertEquals(linesOf(few.stdout), ITEMS.slice(0, 4));
    assertMatch(few.stderr, /\nsampled 4 of 4 pages: --seed \d+ gives them again\n$/);

    assertMatch(patterns.stderr, /\nsampled 7 of 301 pages, at most 3 of each pattern: --seed /);
    const [, home, ...rows] = linesOf(patterns.stdout);
    assertEquals(home, "posts.xml,https://a.test/");
    const rest = rows.map((row) => row.split(",")[1]!);
    assertEquals(rest.map((url) => POSTS.includes(url)), [true, true, true, false, false, false]);
    assertInOrder(rest, [...POSTS, ...ITEMS]);
  });
});

Deno.test("Ctrl-C writes the sample of what was read", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  await using server = serveRoutes({
    "/index.xml": (request) => {
      const entries = ["a", "b"].map((name) =>
        `<sitemap><loc>${new URL(`/${name}.xml`, request.url)}</loc></sitemap>`
      );
      return new Response(`<sitemapindex>${entries.join("")}</sitemapindex>`);
    },
    "/a.xml": () => new Response(urlset(POSTS)),
    "/b.xml": () => new Response(new ReadableStream({ start: () => resolve() })),
  });
  const words = ["ls", `${server.url}index.xml`, "--sample", "3", "--concurrency", "1"];
  const child = startCli(words);
  await isRead;
  child.kill("SIGINT");
  const { code, stdout, stderr } = await child.output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assertEquals(code, 130);
  assertInOrder(linesOf(decode(stdout)), POSTS);
  assertMatch(decode(stderr), /\nsampled 3 of 200 pages: --seed \d+ gives them again\n$/);
});

Deno.test("a sample uses another seed each time, unless one is given", () => {
  const seedOf = (...words: string[]) =>
    /--seed (\d+)/.exec(Sampling.of(parseArguments("ls", words))!.summary)![1];
  assertEquals(Sampling.of(parseArguments("ls", [])), undefined);
  assertEquals(seedOf("--sample=1", "--seed=0"), "0");
  assert(new Set(Array.from({ length: 5 }, () => seedOf("--sample=1"))).size > 1);
});
