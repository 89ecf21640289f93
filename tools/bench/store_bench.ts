/**
 * Cost of a collected tree: bytes and nanoseconds a page, in memory and on disk.
 *
 *     deno run -A tools/bench/store_bench.ts [pages]
 *
 * Each row runs in a separate process.
 */
import { Buffer } from "node:buffer";
import process from "node:process";
import type { SitemapRef, TreeEvent } from "../../src/data/events.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { PageLog } from "../../src/bytes/page_log.ts";
import { collect } from "../../src/tree/collect.ts";

const PAGES_PER_SITEMAP = 35_000;
const BATCH = 1000;
const WORDS = ["garden", "kitchen", "light", "oak", "paper", "river", "stone", "wool"] as const;

const STORES = ["none", "memory", "disk"] as const;

/** Returns a flat string, as the parser emits them; a template would be a cons string. */
function flat(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}

/** The same page for the same number; `rich` ones have an image and an alternate besides. */
function makePage(n: number, rich: boolean): SitemapPage {
  const random = Math.imul(n, 0x9e3779b1) >>> 0;
  const word = (shift: number) => WORDS[(random >>> shift) & 7];
  const path = `${word(3)}/${word(6)}-${word(9)}-${word(12)}-${100_000 + n}`;
  return {
    url: flat(`https://www.example.com/shop/${path}.html`),
    lastModified: new Date(1_500_000_000_000 + (random % 200_000_000) * 1000).toISOString(),
    changeFrequency: "weekly",
    priority: 0.8,
    ...(rich && {
      images: [{ loc: flat(`https://cdn.example.com/${path}.jpg`), title: flat(word(15)!) }],
      alternates: [{ hreflang: "de", href: flat(`https://www.example.com/de/${path}.html`) }],
    }),
  };
}

/** How long the page is in a sitemap without any white space. */
function textLength(page: SitemapPage): number {
  const image = "<image:image><image:loc></image:loc><image:title></image:title></image:image>";
  const link = '<xhtml:link rel="alternate" hreflang="" href=""/>';
  const seconds = "2020-01-01T00:00:00Z";
  return "<url><loc></loc><lastmod></lastmod></url>".length + page.url.length + seconds.length +
    "<changefreq>weekly</changefreq><priority>0.8</priority>".length +
    (page.images ?? []).reduce((sum, i) => sum + image.length + i.loc.length + i.title!.length, 0) +
    (page.alternates ?? []).reduce((sum, a) => sum + link.length + a.href.length + 2, 0);
}

function* makeEvents(count: number, rich: boolean): Generator<TreeEvent, void, void> {
  const site: SitemapRef = {
    id: 0,
    type: "IndexWebsiteSitemap",
    url: "https://www.example.com/",
    level: -1,
    parent: null,
    index: 0,
  };
  yield { type: "sitemap-entered", sitemap: site };
  for (let index = 0; index * PAGES_PER_SITEMAP < count; index++) {
    const sitemap: SitemapRef = {
      id: index + 1,
      type: "PagesXmlSitemap",
      url: `https://www.example.com/sitemap-${index}.xml`,
      level: 0,
      parent: 0,
      index,
    };
    yield { type: "sitemap-entered", sitemap };
    const end = Math.min((index + 1) * PAGES_PER_SITEMAP, count);
    for (let n = index * PAGES_PER_SITEMAP; n < end; n++) {
      yield { type: "page", page: makePage(n, rich), sitemap };
    }
  }
}

/** Nanoseconds an append, without the making of the pages. */
function timeAppends(log: PageLog, count: number, rich: boolean): number {
  let elapsed = 0;
  for (let n = 0; n < count; n += BATCH) {
    const pages = Array.from({ length: BATCH }, (_, i) => makePage(n + i, rich));
    const start = performance.now();
    for (const page of pages) log.append(page, undefined);
    elapsed += performance.now() - start;
  }
  log.flush();
  log[Symbol.dispose]();
  return elapsed / count * 1e6;
}

function collectGarbage(): number {
  (globalThis as unknown as { gc(): void }).gc();
  // Deno counts array buffers as external.
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function measure(kind: typeof STORES[number], count: number, rich: boolean): Promise<void> {
  const peak = () => `${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`;
  if (kind === "none") {
    let text = 0;
    for (const event of makeEvents(count, rich)) {
      if (event.type === "page") text += textLength(event.page);
    }
    return print([kind, "", "", "", `${(text / count).toFixed(1)} text`, peak()]);
  }
  const before = collectGarbage();
  using tree = await collect(makeEvents(count, rich), { onDisk: kind === "disk" });
  const bytes = (collectGarbage() - before) / count;
  let seen = 0;
  const start = performance.now();
  for (const page of tree.allPages()) seen += page.url.length > 0 ? 1 : 0;
  const read = (performance.now() - start) / count * 1e6;
  if (seen !== count) throw new Error(`Cannot trust the bench: ${seen} pages of ${count}`);
  const list = tree.subSitemaps[0]!.pages;
  const lookups = 20_000;
  const startAt = performance.now();
  for (let i = 0; i < lookups; i++) list.at((i * 7919) % list.length);
  const at = (performance.now() - startAt) / lookups * 1e6;
  const peakOfTree = peak();
  const append = timeAppends(new PageLog(kind), count, rich);
  print([kind, append.toFixed(0), read.toFixed(0), at.toFixed(0), bytes.toFixed(1), peakOfTree]);
}

function print(cells: readonly string[]): void {
  console.log(cells.map((cell) => cell.padStart(12)).join(""));
}

const [pages = "1000000", kind, shape] = Deno.args;
if (kind !== undefined) {
  await measure(kind as typeof STORES[number], Number(pages), shape === "rich");
} else {
  for (const shape of ["plain", "rich"]) {
    console.log(`${pages} ${shape} pages`);
    print(["store", "ns/append", "ns/read", "ns/at()", "bytes/page", "peak RSS"]);
    for (const kind of STORES) {
      const flags = ["run", "-A", "--v8-flags=--expose-gc", import.meta.filename!];
      const child = new Deno.Command(Deno.execPath(), {
        args: [...flags, pages, kind, shape],
        stdout: "inherit",
      });
      const { success } = await child.output();
      if (!success) Deno.exit(1);
    }
  }
}
