import { assert, assertEquals } from "@std/assert";
import { parseSitemap } from "../../mod.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import { chunked } from "../support/chunked.ts";

const FORMATS = new URL("../../fixtures/formats/", import.meta.url);

/** Content of `<name>.expected.json`. */
interface Expectation {
  readonly options?: Parameters<typeof parseSitemap>[1];
  readonly type: string;
  readonly code?: string;
  readonly pages: readonly unknown[];
  readonly children: readonly string[];
  readonly complete: boolean;
  readonly warnings: Readonly<Record<string, number>>;
}

interface Fixture {
  readonly path: string;
  readonly expectation: Expectation;
}

function fixtures(): Fixture[] {
  const found: Fixture[] = [];
  for (const { name: format } of Deno.readDirSync(FORMATS)) {
    const files = [...Deno.readDirSync(new URL(`${format}/`, FORMATS))].map(({ name }) => name);
    for (const name of files.filter((name) => !name.endsWith(".expected.json"))) {
      const path = `${format}/${name}`;
      const stem = path.slice(0, path.indexOf("."));
      const json = Deno.readTextFileSync(new URL(`${stem}.expected.json`, FORMATS));
      found.push({ path, expectation: JSON.parse(json) });
    }
    assertEquals(files.length % 2, 0, `An expectation without fixture in "${format}"`);
  }
  return found.sort((a, b) => a.path < b.path ? -1 : 1);
}

/** The events of one document as an expectation states them. */
async function outcomeOf(events: AsyncIterable<TreeEvent>): Promise<Omit<Expectation, "options">> {
  const pages: unknown[] = [];
  const children: string[] = [];
  let root: Pick<Expectation, "type" | "code"> | undefined;
  let left: Pick<Expectation, "complete" | "warnings"> = { complete: false, warnings: {} };
  for await (const event of events) {
    if (event.type === "page") pages.push(JSON.parse(JSON.stringify(event.page)));
    else if (event.type === "sitemap-entered") {
      assertEquals(root, undefined, "a document is entered once");
      root = { type: event.sitemap.type };
    } else if (event.type === "sitemap-left") {
      left = { complete: event.complete, warnings: event.warnings };
    } else if (event.type === "invalid" && event.sitemap.level > 0) {
      assertEquals(event.code, "unfetched");
      assertEquals(event.sitemap.index, children.length);
      children.push(event.sitemap.url);
    } else if (event.type === "invalid") {
      root = { type: event.sitemap.type, code: event.code };
    }
  }
  if (root === undefined) throw new Error("The document was neither entered nor invalid");
  return { ...root, pages, children, ...left };
}

function defaultUrl(path: string): string {
  return path.startsWith("robots/")
    ? "https://site.test/robots.txt"
    : "https://site.test/dir/sitemap.xml";
}

const FIXTURES = fixtures();

Deno.test("each format has fixtures, each with an expectation", () => {
  assert(FIXTURES.length >= 80);
});

for (const { path, expectation } of FIXTURES) {
  Deno.test(`parseSitemap() reads ${path} as expected, whatever its chunks`, async () => {
    const bytes = Deno.readFileSync(new URL(path, FORMATS));
    const { options: given, ...expected } = expectation;
    const options = { url: defaultUrl(path), ...given };
    assertEquals(await outcomeOf(parseSitemap(bytes, options)), expected);
    for (const size of [1, 7, Infinity]) {
      const stream = ReadableStream.from(chunked(bytes, size));
      assertEquals(await outcomeOf(parseSitemap(stream, options)), expected, `chunks of ${size}`);
    }
  });
}
