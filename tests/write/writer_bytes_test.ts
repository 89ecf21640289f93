import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "../support/fast_check.ts";
import { parseSitemap, type TreeEvent } from "../../mod.ts";
import { defaultColumns } from "../../src/cli/columns.ts";
import { eventWriter } from "../../src/cli/commands/ls.ts";
import type { Output } from "../../src/cli/run/output.ts";
import type { PageEvent } from "../../src/data/events.ts";
import type { SitemapPage } from "../../src/data/page.ts";
import { numberText } from "../../src/data/text.ts";
import { cellReader, DEFAULT_COLUMNS, PAGE_COLUMNS } from "../../src/write/columns.ts";
import { chosenColumns } from "../../src/write/csv.ts";
import { encodeWhitespace, escapeControls } from "../../src/write/escape.ts";
import { type CsvOptions, toCsv, toJson, toNdjson, toText } from "../../src/write/mod.ts";
import type { WriterInput } from "../../src/write/text_stream.ts";
import { anyString, anyText, hostilePage, jsonPage } from "../data/arbitrary_page.ts";
import { readFixtures } from "../support/golden_events.ts";
import { CSV_COLUMNS, FULL_PAGE, PLAIN_PAGE, ref } from "./samples.ts";
import {
  csvPage,
  csvRow,
  jsonText,
  ndjsonLine,
  safeText,
  tabtreeText,
  urlLine,
} from "./writer_oracle.ts";
import { written } from "./written.ts";

const SITEMAP = ref(1, "PagesXmlSitemap", "/sitemap.xml");

function columnsOf(names: readonly string[]) {
  return chosenColumns(names, PAGE_COLUMNS);
}

async function checkWriters(events: readonly TreeEvent[]): Promise<void> {
  const pageEvents = events.filter((event) => event.type === "page");
  const pages = pageEvents.map(({ page }) => page);
  assertEquals(await written(toNdjson(), events), events.map(ndjsonLine).join(""));
  assertEquals(await written(toNdjson(), pages), pages.map(ndjsonLine).join(""));
  assertEquals(await written(toJson(), events), jsonText(pages));
  assertEquals(await written(toText(), events), pages.map(({ url }) => urlLine(url)).join(""));
  for (const columns of [DEFAULT_COLUMNS, CSV_COLUMNS]) {
    const rows = pageEvents.map((event) => csvPage(event, columnsOf(columns)));
    assertEquals(
      await written(toCsv({ columns }), events),
      csvRow(columns) + rows.join("").toWellFormed(),
    );
  }
}

/** Returns what the command line writes, of several sites if `site` is given. */
async function listed(
  format: "pages" | "tabtree" | "ndjson" | "json" | "csv",
  events: readonly TreeEvent[],
  site?: string,
): Promise<string> {
  let text = "";
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const output: Pick<Output, "isTerminal" | "isFile" | "write"> = {
    isTerminal: false,
    isFile: true,
    write(bytes) {
      text += decoder.decode(bytes);
      return Promise.resolve();
    },
  };
  const columns = defaultColumns(site !== undefined);
  const settings = { format, stripUrl: false, columns };
  const writer = await eventWriter(settings, output as Output, undefined, false);
  await writer.writeAll(events, site);
  await writer.close();
  return text;
}

async function checkFormats(events: readonly TreeEvent[], site?: string): Promise<void> {
  const pages = events.filter((event) => event.type === "page");
  const records = pages.map(({ page, sitemap }) => ({ ...page, sitemap: sitemap.url, site }));
  const columns = [...DEFAULT_COLUMNS, "sitemap" as const];
  const sites = site === undefined ? [] : [site];
  const rows = [
    csvRow(site === undefined ? columns : ["site", ...columns]),
    ...pages.map((event) =>
      csvRow([...sites, ...columnsOf(columns).map((column) => cellReader(column)(event))])
    ),
  ];
  assertEquals(await listed("ndjson", events, site), records.map(ndjsonLine).join(""));
  assertEquals(await listed("json", events, site), jsonText(records));
  assertEquals(await listed("csv", events, site), rows.join("").toWellFormed());
  assertEquals(
    await listed("pages", events),
    pages.map(({ page }) => urlLine(page.url)).join("").toWellFormed(),
  );
  assertEquals(await listed("tabtree", events), tabtreeText(events));
}

Deno.test("writers write the pages of every fixture byte for byte as their oracles do", async () => {
  let pages = 0;
  for (const { bytes, options } of readFixtures()) {
    const events = await Array.fromAsync(parseSitemap(bytes, options));
    await checkWriters(events);
    await checkFormats(events);
    await checkFormats(events, "https://site.test/");
    pages += events.filter(({ type }) => type === "page").length;
  }
  assert(pages >= 500, `${pages} pages`);
});

function pageEvent(page: SitemapPage): PageEvent {
  return { type: "page", page, sitemap: SITEMAP };
}

Deno.test("writers write arbitrary pages byte for byte as their oracles do", async () => {
  const page = fc.oneof(hostilePage(), jsonPage());
  const url = anyText().map((path) => ref(1, "PagesXmlSitemap", path));
  const events = fc.tuple(fc.array(page, { maxLength: 4 }), url).map(([pages, sitemap]) =>
    [{ type: "sitemap-entered", sitemap } as const].concat(
      pages.map((page) => ({ type: "page", page, sitemap }) as never),
    ) as TreeEvent[]
  );
  await fc.assert(fc.asyncProperty(events, anyText(), async (events, site) => {
    await checkWriters(events.map(wellFormed));
    await checkFormats(events.map(wellFormed), site.toWellFormed());
    assertEquals(await written(toNdjson(), events), events.map(ndjsonLine).join(""));
  }));
});

/** Returns an event without lone surrogates, which only JSON can express. */
function wellFormed(event: TreeEvent): TreeEvent {
  return JSON.parse(
    JSON.stringify(event),
    (_, value) => typeof value === "string" ? value.toWellFormed() : value,
  );
}

Deno.test("writers write each hostile character, in every place of a text, as their oracles do", async () => {
  const codes = [
    ...Array(0x300).keys(),
    0x61c,
    ...range(0x2000, 0x2070),
    ...range(0xfe00, 0x10000),
  ];
  const pages = codes.flatMap((code) => {
    const character = String.fromCharCode(code).toWellFormed();
    return [character, `${character}b`, `a${character}b`, `a${character}`].map((text) => ({
      url: text,
      images: [{ loc: text, title: `${text};${text}` }],
    }));
  });
  await checkWriters(pages.map(pageEvent));
  await checkFormats(pages.map(pageEvent));
});

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, at) => start + at);
}

Deno.test("writers write the sitemap of each page, as sitemaps take turns", async () => {
  const events = [1, 2, 1, 1, 2].map((id) => ({
    ...pageEvent(PLAIN_PAGE),
    sitemap: ref(id, "PagesXmlSitemap", `/${id}.xml`),
  }));
  await checkWriters(events);
  await checkFormats(events);
  await checkFormats(events, "https://site.test/");
});

Deno.test("escapes are those of their oracles", () => {
  fc.assert(fc.property(fc.oneof(anyText(), anyString()), (text) => {
    assertEquals(escapeControls(text), safeText(text));
    const url = text.toWellFormed();
    assertEquals(`${encodeWhitespace(url)}\n`, urlLine(url));
  }));
});

Deno.test("toCsv() writes rows with any separator as its oracle does", async () => {
  const options: fc.Arbitrary<CsvOptions> = fc.record({
    separator: fc.constantFrom(",", ";", "\t", "|", "::", ".", "a", "-", " ", "0", "é"),
  }, { requiredKeys: [] });
  const pages = fc.array(fc.oneof(hostilePage(), jsonPage()), { maxLength: 3 });
  await fc.assert(fc.asyncProperty(options, pages, async (options, pages) => {
    const rows = pages.map((page) => csvPage({ page }, PAGE_COLUMNS, options));
    assertEquals(
      await written(toCsv({ ...options, columns: CSV_COLUMNS, header: false }), pages),
      rows.join("").toWellFormed(),
    );
  }));
});

function ndjsonOf(object: object): Promise<string> {
  return written(toNdjson(), [object as WriterInput]);
}

Deno.test("toNdjson() writes any object as JSON.stringify() does", async () => {
  const value = fc.anything({
    key: fc.oneof(anyText(), fc.constantFrom("__proto__", "toJSON", "constructor", "0", "url")),
    values: [
      anyText(),
      fc.double(),
      fc.boolean(),
      fc.constantFrom(null, undefined, -0, 0.1 + 0.2, Symbol("s"), () => 1),
    ],
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    maxDepth: 4,
  });
  const object = fc.dictionary(fc.oneof(anyText(), fc.constantFrom("url", "images")), value)
    .filter((object) => !("type" in object));
  await fc.assert(
    fc.asyncProperty(object, async (object) => {
      assertEquals(await ndjsonOf(object), ndjsonLine(object));
    }),
    { numRuns: 500 },
  );
});

class OwnPage {
  url = "https://example.com/";
  readonly #secret = 1;

  get secret() {
    return this.#secret;
  }
}

class NamedValue {
  toJSON(name: string) {
    return `named ${name} \x9b`;
  }
}

Deno.test("toNdjson() writes objects of users as JSON.stringify() does", async () => {
  const url = "https://example.com/";
  const { rawJSON } = JSON as { rawJSON?: (text: string) => object };
  const objects: Record<string, object> = {
    "fields in another order": { priority: 0.3, lastModified: "2024", url },
    "further fields": { url, note: 'a "b" \\ \x7f \u202e', [`\x9b"`]: 1, 7: true },
    "undefined values": { url, priority: undefined, images: undefined },
    "no values": { url: undefined },
    "nothing": {},
    "numbers": { url, values: [-0, NaN, Infinity, 1e21, 1e-7, 0.30000000000000004, 0.1, 1, 10] },
    "a class": new OwnPage(),
    "a boxed text": new String("a\x9b"),
    "toJSON()": { url, toJSON: (name: string) => ({ name, url: "\x9b" }) },
    "toJSON() of a value": { url, first: new NamedValue(), list: [new NamedValue()] },
    "toJSON() of a list": { url, list: Object.assign(["a"], { toJSON: () => "b" }) },
    "toJSON that is not a function": { url, toJSON: 1, inner: { toJSON: null } },
    "a date": { url, lastModified: new Date(0) },
    "inherited fields": Object.create({ url, priority: 1 }, {
      url: { value: "\x85", enumerable: true },
      hidden: { value: 1, enumerable: false },
    }),
    "no prototype": Object.assign(Object.create(null), { url }),
    "a value without prototype": { url, news: Object.assign(Object.create(null), { title: "a" }) },
    "getters": {
      get url() {
        return `${url}\u2028`;
      },
    },
    "a proxy": new Proxy({ url, images: new Proxy([{ loc: url }], {}) }, {}),
    "functions and symbols": { url, call: () => 1, symbol: Symbol("a"), list: [() => 1, Symbol()] },
    "a function with toJSON()": { url, call: Object.assign(() => 1, { toJSON: () => "called" }) },
    "boxed values": {
      url: new String("a\x9b"),
      priority: new Number(0.5),
      live: new Boolean(true),
    },
    "holes": { url, list: [, 1, , undefined, null] },
    "__proto__": JSON.parse(`{"url":"a","__proto__":{"b":1}}`),
    "deep values": JSON.parse('{"a":['.repeat(50) + '"\\u009b"' + "]}".repeat(50)),
    ...(rawJSON && { "raw JSON": { url, priority: rawJSON("0.10") } }),
  };
  for (const [name, object] of Object.entries(objects)) {
    assertEquals(await ndjsonOf(object), ndjsonLine(object), name);
  }
});

Deno.test("toNdjson() fails for what JSON.stringify() fails for", async () => {
  const circular: Record<string, unknown> = { url: "https://example.com/" };
  circular["images"] = [{ loc: "a", page: circular }];
  await assertRejects(() => ndjsonOf(circular), TypeError, "circular");
  await assertRejects(() => ndjsonOf({ url: "a", views: 1n }), TypeError, "BigInt");
});

Deno.test("toNdjson() writes no fields that Object.prototype has", async () => {
  const prototype = Object.prototype as unknown as Record<string, unknown>;
  const pages = [PLAIN_PAGE, FULL_PAGE];
  const expected = pages.map(ndjsonLine).join("");
  prototype["planted"] = "value";
  try {
    assertEquals(await written(toNdjson(), pages), expected);
    prototype["toJSON"] = () => "all";
    assertEquals(await written(toNdjson(), pages), '"all"\n'.repeat(2));
  } finally {
    delete prototype["planted"];
    delete prototype["toJSON"];
  }
});

Deno.test("numberText() returns what String() returns", () => {
  const near = [...Array(12).keys()].flatMap((tenths) => {
    const number = tenths / 10;
    return [number, -number, number + Number.EPSILON, number - Number.EPSILON / 2, number * 10];
  });
  for (const number of [...near, NaN, Infinity, 0.1 + 0.2, 0.7 + 0.1]) {
    assertEquals(numberText(number), String(number));
  }
  fc.assert(fc.property(fc.double(), (number) => assertEquals(numberText(number), String(number))));
});
