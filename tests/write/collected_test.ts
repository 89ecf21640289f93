import { assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { collect } from "../../mod.ts";
import * as write from "../../src/write/mod.ts";
import { sitemapPage } from "../data/arbitrary_page.ts";
import { CSV_COLUMNS, eventsOf } from "./samples.ts";
import { written } from "./written.ts";

const WRITERS: Readonly<Record<string, () => Parameters<typeof written>[0]>> = {
  toNdjson: write.toNdjson,
  toJson: write.toJson,
  toCsv: () =>
    write.toCsv({ columns: CSV_COLUMNS.filter((column) => !column.startsWith("sitemap")) }),
  toSitemapXml: write.toSitemapXml,
};

for (const [name, onDisk] of [["in memory", false], ["on disk", true]] as const) {
  Deno.test(`writers write the pages of a tree ${name} as those of the stream`, async () => {
    const pages = fc.array(sitemapPage(), { minLength: 1, maxLength: 40 });
    const property = fc.asyncProperty(pages, async (pages) => {
      using tree = await collect(eventsOf(pages), { onDisk });
      for (const make of Object.values(WRITERS)) {
        assertEquals(await written(make(), tree.allPages()), await written(make(), pages));
      }
    });
    await fc.assert(property, { numRuns: 20 });
  });
}
