import { assert, assertEquals } from "@std/assert";
import { parseSitemap } from "../../mod.ts";
import { chunked } from "../support/chunked.ts";
import { eventLines, FORMATS, readFixtures } from "../support/golden_events.ts";

const FIXTURES = readFixtures();

Deno.test("each format has fixtures, and each golden file and option has a fixture", () => {
  assert(FIXTURES.length >= 270);
  const golden = new Set(FIXTURES.map((fixture) => fixture.golden.href));
  assertEquals(golden.size, FIXTURES.length);
  const files = [...Deno.readDirSync(FORMATS)].filter(({ isDirectory }) => isDirectory)
    .flatMap(({ name }) => [...Deno.readDirSync(new URL(`${name}/`, FORMATS))]);
  assertEquals(files.length, 2 * FIXTURES.length);
  const paths = new Set(FIXTURES.map(({ path }) => path));
  const options = JSON.parse(Deno.readTextFileSync(new URL("options.json", FORMATS)));
  assertEquals(Object.keys(options).filter((path) => !paths.has(path)), []);
});

/**
 * Returns events without what depends on chunks: a document that is left early was read in whole
 * chunks, and invalid UTF-8 is reported after the pages of its chunk.
 */
function chunkInvariant(lines: string): string[] {
  const masked = lines.replaceAll(/"bytes":\d+/g, '"bytes":0').split("\n");
  const isReplaced = (line: string) => line.includes('"code":"encoding-replaced"');
  return [...masked.filter((line) => !isReplaced(line)), ...masked.filter(isReplaced)];
}

for (const { path, bytes, options, golden } of FIXTURES) {
  Deno.test(`parseSitemap() yields the golden events of ${path}, whatever its chunks`, async () => {
    const expected = Deno.readTextFileSync(golden);
    assertEquals(await eventLines(parseSitemap(bytes, options)), expected);
    for (const size of [7, 1]) {
      const stream = ReadableStream.from(chunked(bytes, size));
      const lines = await eventLines(parseSitemap(stream, options));
      assertEquals(chunkInvariant(lines), chunkInvariant(expected), `chunks of ${size}`);
    }
  });
}
