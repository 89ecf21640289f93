import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "../support/fast_check.ts";
import { brotliCompressSync, crc32, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { parseSitemap } from "../../mod.ts";
import { createCrc32, createInflater } from "../../src/platform/inflater.ts";
import { loadPako } from "../../src/platform/load_pako.ts";
import * as staticPako from "../../src/platform/load_pako_static.ts";
import { bytesOf, concatenated, cutCode, decompressAll, sitemapText } from "../bytes/read_all.ts";
import { chunked } from "../support/chunked.ts";
import { withoutBuiltins } from "./without_builtins.ts";

const PIECE_SIZE = 32 * 1024;

/** A document that compresses well in places, and badly in others. */
const DOCUMENT = fc.tuple(fc.nat(400), fc.uint8Array({ maxLength: 2000 }))
  .map(([entries, noise]) => concatenated(bytesOf(sitemapText(entries)), noise));

const CHUNK_SIZE = fc.constantFrom(1, 7, 100, 4096, Infinity);

interface Member {
  readonly content: Uint8Array;
  readonly level: number;
}

const MEMBERS = fc.array(fc.record({ content: DOCUMENT, level: fc.nat(9) }), {
  minLength: 1,
  maxLength: 3,
});

function gzipOf(members: readonly Member[]): Uint8Array {
  return concatenated(...members.map(({ content, level }) => gzipSync(content, { level })));
}

/** Asserts that compressed bytes read alike with `node:zlib` and with pako. */
async function assertAlike(
  compressed: Uint8Array,
  size: number,
  contentEncoding?: string,
): Promise<void> {
  const options = contentEncoding === undefined ? {} : { contentEncoding };
  const [zlib, pako] = [
    await decompressAll(chunked(compressed, size), options),
    await withoutBuiltins(() => decompressAll(chunked(compressed, size), options)),
  ];
  assertEquals(pako.bytes.length, zlib.bytes.length);
  assert(pako.bytes.every((byte, at) => byte === zlib.bytes[at]));
  assertEquals(pako.warnings, zlib.warnings);
  assertEquals(String(pako.error), String(zlib.error));
  assert(pako.sizes.every((length) => length <= PIECE_SIZE));
}

Deno.test("pako decompresses gzip members as node:zlib does, in chunks of any size", async () => {
  await fc.assert(
    fc.asyncProperty(MEMBERS, CHUNK_SIZE, async (members, size) => {
      const expected = concatenated(...members.map(({ content }) => content));
      const actual = await withoutBuiltins(() => decompressAll(chunked(gzipOf(members), size)));
      assertEquals([actual.error, actual.warnings], [undefined, []]);
      assertEquals(actual.bytes.length, expected.length);
      assert(actual.bytes.every((byte, at) => byte === expected[at]));
    }),
    { numRuns: 40 },
  );
});

Deno.test("pako reads truncated and damaged gzip, and bytes after it, as far as node:zlib", async () => {
  const damage = fc.record({
    cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    flip: fc.option(
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 255 })),
    ),
    trailing: fc.uint8Array({ maxLength: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(
      MEMBERS,
      CHUNK_SIZE,
      damage,
      async (members, size, { cut, flip, trailing }) => {
        const whole = concatenated(gzipOf(members), trailing);
        const bytes = whole.slice(0, cut === null ? undefined : 2 + Math.floor(cut * whole.length));
        if (flip !== null && bytes.length > 2) {
          const [place, mask] = flip;
          // behind the magic bytes
          const at = 2 + Math.floor(place * (bytes.length - 3));
          bytes[at] = bytes[at]! ^ mask;
        }
        await assertAlike(bytes, size);
      },
    ),
    { numRuns: 80 },
  );
});

Deno.test("pako reads Content-Encoding deflate, with and without zlib around it", async () => {
  const content = bytesOf(sitemapText(500));
  for (
    const bytes of [deflateSync(content), deflateRawSync(content), bytesOf("\x01\x02\xff\x03")]
  ) {
    for (const size of [1, 7, Infinity]) {
      await assertAlike(new Uint8Array(bytes), size, "deflate");
    }
  }
});

Deno.test("a brotli body that the runtime cannot decompress is reported, not dropped", async () => {
  const compressed = new Uint8Array(brotliCompressSync(bytesOf(sitemapText(500))));
  const options = { contentEncoding: "br" };
  const { bytes, error } = await withoutBuiltins(() => decompressAll([compressed], options));
  assertEquals([bytes.length, cutCode(error)], [0, "gzip-cut"]);
  assertMatch(String(error), /Cannot decompress brotli/);
  const text = [bytesOf("<urlset/>")];
  assertEquals((await withoutBuiltins(() => decompressAll(text, options))).error, undefined);
});

Deno.test("pako inflates a bomb a piece at a time, into the same memory", async () => {
  const bomb = new Uint8Array(deflateRawSync(new Uint8Array(16 * 1024 * 1024)));
  const inflater = (await withoutBuiltins(() => createInflater("deflate-raw", PIECE_SIZE)))!;
  inflater.write(bomb);
  const buffers = new Set<ArrayBufferLike>();
  for (let i = 0; i < 100; i++) {
    const piece = await inflater.next();
    if (typeof piece === "string") throw new Error(piece);
    assert(piece.length <= PIECE_SIZE);
    buffers.add(piece.buffer);
  }
  assertEquals(buffers.size, 1);
  assert(inflater.unused > bomb.length / 2);
  inflater.close();
  assertEquals(await inflater.next(), "closed");
});

Deno.test("a gzip bomb is stopped at maxBytes without node:zlib", async () => {
  const bomb = gzipSync(
    concatenated(bytesOf("<urlset>"), new Uint8Array(64 * 1024 * 1024).fill(32)),
  );
  await withoutBuiltins(async () => {
    const source = new Blob([new Uint8Array(bomb)]).stream();
    const events = await Array.fromAsync(parseSitemap(source, { maxBytes: 100_000 }));
    const codes = events.flatMap((event) => "code" in event ? [event.code] : []);
    assertEquals(new Set(codes), new Set(["too-large"]));
  });
});

Deno.test("the static loader of pako returns the same functions", async () => {
  assertEquals(await staticPako.loadPako(), await loadPako());
});

Deno.test("createCrc32() computes what node:zlib computes without it, in pieces of any length", async () => {
  const tableCrc32 = await withoutBuiltins(createCrc32);
  fc.assert(fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 5 }), (pieces) => {
    const fold = (sum: (piece: Uint8Array, value: number) => number) =>
      pieces.reduce((value, piece) => sum(piece, value), 0);
    assertEquals(fold(tableCrc32), fold(crc32));
  }));
});
