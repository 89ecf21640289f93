import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  inflateRawSync,
} from "node:zlib";
import { type ByteSource, chunkSource } from "../../src/bytes/byte_source.ts";
import type { WarningCode } from "../../src/data/codes.ts";
import { decompress } from "../../src/bytes/gunzip.ts";
import { chunked } from "../support/chunked.ts";
import {
  bytesOf,
  concatenated,
  cutCode,
  decompressAll,
  readAll,
  sitemapText,
  TestSource,
} from "./read_all.ts";

const SIZES = [1, 7, Infinity];
/** Lengths of what gzipSync() writes around the deflate stream. */
const HEADER = 10;
const TRAILER = 8;
const PIECE_SIZE = 32 * 1024;

const FIRST = bytesOf(sitemapText(8));
const SECOND = bytesOf("<p>the second member, short</p>".repeat(2));

/** Decompresses the beginning of a deflate stream by zlib. */
function inflatable(body: Uint8Array): Uint8Array {
  return inflateRawSync(body, { finishFlush: constants.Z_SYNC_FLUSH });
}

interface Expected {
  /** Code of the error, if there is one. */
  readonly error?: WarningCode | undefined;
  readonly warnings?: readonly WarningCode[];
  readonly contentEncoding?: string;
  readonly sizes?: readonly number[];
}

/** Asserts what is decompressed whole, in 7-byte chunks and byte by byte. */
async function assertDecompresses(
  compressed: Uint8Array,
  bytes: Uint8Array,
  { error, warnings = [], contentEncoding, sizes = SIZES }: Expected = {},
): Promise<void> {
  const options = contentEncoding === undefined ? {} : { contentEncoding };
  for (const size of sizes) {
    const found = await decompressAll(chunked(compressed, size), options);
    const message = `${compressed.length} bytes in chunks of ${size}`;
    assertEquals(found.bytes, new Uint8Array(bytes), message);
    assertEquals(error === undefined ? found.error : cutCode(found.error), error, message);
    assertEquals(found.warnings, warnings, message);
  }
}

async function opened(chunks: Uint8Array[]): Promise<ByteSource> {
  return (await decompress(chunkSource(chunks), { warn() {} })).source;
}

Deno.test("decompress() returns uncompressed chunks as they are", async () => {
  for (const text of ["", "a", "<", "\x1f", "<urlset/>", "\x1f\x8a", "plain text of some length"]) {
    await assertDecompresses(bytesOf(text), bytesOf(text));
  }
  const chunks = [bytesOf("first"), bytesOf("second")];
  const source = await opened(chunks);
  assertStrictEquals(await source.read(), chunks[0]);
  assertStrictEquals(await source.read(), chunks[1]);
});

Deno.test("decompress() reads gzip of every level and of an empty file", async () => {
  for (const level of [0, 1, 6, 9]) await assertDecompresses(gzipSync(FIRST, { level }), FIRST);
  await assertDecompresses(gzipSync(""), bytesOf(""));
});

Deno.test("decompress() returns pieces of at most 32 KiB, whose slices are copies", async () => {
  const text = bytesOf(sitemapText(20_000));
  for (const size of [1000, 16 * 1024, Infinity]) {
    await assertDecompresses(gzipSync(text), text, { sizes: [size] });
    const { sizes } = await decompressAll(chunked(gzipSync(text), size));
    assert(Math.max(...sizes) <= PIECE_SIZE);
  }
  const source = await opened([gzipSync(text)]);
  const piece = await source.read();
  assertStrictEquals(piece?.constructor, Uint8Array);
  source.cancel();
});

Deno.test("decompress() leaves the memory of its chunks intact", async () => {
  const compressed = concatenated(gzipSync(FIRST), gzipSync(SECOND));
  for (const size of [...SIZES, 100]) {
    // small buffers share their memory, and `slice()` does not copy them
    const chunks = chunked(compressed, size).map((chunk) => Buffer.from(chunk));
    const { bytes, error, warnings } = await decompressAll(chunks);
    assertEquals([bytes, error, warnings], [concatenated(FIRST, SECOND), undefined, []]);
    assertEquals(concatenated(...chunks), compressed);
  }
});

Deno.test("decompress() concatenates gzip members", async () => {
  const compressed = concatenated(gzipSync(FIRST), gzipSync(""), gzipSync(SECOND), gzipSync(FIRST));
  const expected = concatenated(FIRST, SECOND, FIRST);
  await assertDecompresses(compressed, expected, { sizes: [...SIZES, 100] });
});

/** Returns a member whose header has the fields of `flags`. */
function memberWith(flags: number): Uint8Array {
  const plain = gzipSync(FIRST);
  return concatenated(
    [0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3],
    (flags & 4) !== 0 ? [7, 0, 0x41, 0x42, 3, 0, 0, 1, 2] : [],
    (flags & 8) !== 0 ? bytesOf("sitemap.xml\0") : [],
    (flags & 16) !== 0 ? bytesOf("made by hand\0") : [],
    (flags & 2) !== 0 ? [0xab, 0xcd] : [],
    plain.subarray(HEADER),
  );
}

Deno.test("decompress() skips optional fields and reserved flags of a gzip header", async () => {
  for (let flags = 0; flags < 32; flags++) {
    const compressed = concatenated(memberWith(flags), memberWith(flags));
    await assertDecompresses(compressed, concatenated(FIRST, FIRST));
  }
  await assertDecompresses(memberWith(0b1110_0000), FIRST);
});

Deno.test("decompress() rejects a gzip header truncated in any field", async () => {
  const compressed = memberWith(0b11110);
  const end = compressed.length - gzipSync(FIRST).length + HEADER;
  for (let length = 2; length < end; length++) {
    await assertDecompresses(compressed.subarray(0, length), bytesOf(""), { error: "gzip-cut" });
  }
});

Deno.test("decompress() skips an extra field of maximum length", async () => {
  const compressed = concatenated(
    [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, 0xff, 0xff],
    new Uint8Array(0xffff).fill(0x1f),
    gzipSync(FIRST).subarray(HEADER),
  );
  // byte by byte, that of the test before is read
  await assertDecompresses(compressed, FIRST, { sizes: [7, 4096, Infinity] });
});

Deno.test("decompress() returns every byte of gzip truncated anywhere, then rejects", async () => {
  const first = new Uint8Array(gzipSync(FIRST));
  const second = new Uint8Array(gzipSync(SECOND));
  const whole = concatenated(first, second);
  for (let length = 2; length < whole.length; length++) {
    const inFirst = length < first.length;
    const [member, before] = inFirst ? [first, bytesOf("")] : [second, FIRST];
    const end = Math.min(length - (inFirst ? 0 : first.length), member.length - TRAILER);
    const expected = concatenated(
      before,
      end > HEADER ? inflatable(member.subarray(HEADER, end)) : [],
    );
    // nothing is missing behind the first member
    const error = length === first.length ? undefined : "gzip-cut";
    await assertDecompresses(whole.subarray(0, length), expected, { error });
  }
});

Deno.test("decompress() returns every byte of a long truncated member", async () => {
  const text = bytesOf(sitemapText(20_000));
  const compressed = new Uint8Array(gzipSync(text));
  for (const length of [0.1, 0.5, 0.9, 1].map((part) => Math.floor(part * compressed.length) - 9)) {
    const expected = inflatable(compressed.subarray(HEADER, length));
    const sizes = [1000, 16 * 1024, Infinity];
    await assertDecompresses(compressed.subarray(0, length), expected, {
      error: "gzip-cut",
      sizes,
    });
  }
});

/** Decompresses what precedes the first invalid byte; returns `undefined` if there is none. */
function beforeDamage(body: Uint8Array): Uint8Array | undefined {
  const fails = (length: number) => {
    try {
      inflatable(body.subarray(0, length));
      return false;
    } catch {
      return true;
    }
  };
  if (!fails(body.length)) return undefined;
  let [sound, damaged] = [0, body.length];
  while (damaged - sound > 1) {
    const middle = (sound + damaged) >> 1;
    if (fails(middle)) damaged = middle;
    else sound = middle;
  }
  return new Uint8Array(inflatable(body.subarray(0, sound)));
}

Deno.test("decompress() returns every byte before corrupt data, wherever it is", async () => {
  const compressed = new Uint8Array(gzipSync(FIRST));
  let found = 0;
  for (let at = HEADER; at < compressed.length - TRAILER; at++) {
    const broken = compressed.slice();
    broken[at]! ^= 0xff;
    const expected = beforeDamage(broken.subarray(HEADER, compressed.length - TRAILER));
    if (expected === undefined) continue;
    found++;
    await assertDecompresses(broken, expected, { error: "gzip-cut" });
  }
  assert(found > 50, `only ${found} of the changes are damage`);
});

/** Returns compressed bytes, then a block of a type that does not exist. */
function damagedAfter(bytes: Uint8Array): Uint8Array {
  const body = deflateRawSync(bytes, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
  return concatenated(gzipSync("").subarray(0, HEADER), body, new Uint8Array(100).fill(0xff));
}

Deno.test("decompress() returns every byte before corrupt data far behind", async () => {
  for (const entries of [1000, 4321, 10_000]) {
    const text = bytesOf(sitemapText(entries));
    for (const size of [1000, 16 * 1024, Infinity]) {
      const { bytes, sizes, error } = await decompressAll(chunked(damagedAfter(text), size));
      assertEquals(bytes.length, text.length);
      assertEquals(bytes, text);
      assert(!sizes.includes(0));
      assertEquals(cutCode(error), "gzip-cut");
    }
  }
});

Deno.test("decompress() loses at most one piece to corrupt data behind very long input", async () => {
  const noise = new Uint8Array(5 * 1024 * 1024);
  for (let at = 0; at < noise.length; at += 65536) {
    crypto.getRandomValues(noise.subarray(at, at + 65536));
  }
  const compressed = damagedAfter(noise);
  const { bytes, error } = await decompressAll(chunked(compressed, 64 * 1024));
  assertEquals(cutCode(error), "gzip-cut");
  assert(bytes.length >= noise.length - PIECE_SIZE, `${bytes.length} of ${noise.length} bytes`);
  assertEquals(bytes, noise.subarray(0, bytes.length));
  // the current chunk is always kept
  assertEquals((await decompressAll([compressed])).bytes.length, noise.length);
});

Deno.test("decompress() ignores and reports what follows the last member", async () => {
  for (const garbage of ["garbage", "<", "\x1f ", "\x1f\x8b\x07", "\0\0 after zeros"]) {
    const trailing = Uint8Array.from(garbage, (letter) => letter.charCodeAt(0));
    const compressed = concatenated(gzipSync(FIRST), gzipSync(SECOND), trailing);
    const warnings = ["gzip-trailing"] as const;
    await assertDecompresses(compressed, concatenated(FIRST, SECOND), { warnings });
  }
});

Deno.test("decompress() skips zeros between and behind members silently", async () => {
  const zeros = new Uint8Array(512);
  const compressed = concatenated(gzipSync(FIRST), zeros, gzipSync(SECOND), zeros);
  await assertDecompresses(compressed, concatenated(FIRST, SECOND));
});

Deno.test("decompress() reports a wrong checksum or length and continues", async () => {
  const first = gzipSync(FIRST);
  for (let at = first.length - TRAILER; at < first.length; at++) {
    const wrong = new Uint8Array(first);
    wrong[at]! ^= 1;
    await assertDecompresses(
      concatenated(wrong, gzipSync(SECOND)),
      concatenated(FIRST, SECOND),
      { warnings: ["gzip-checksum"] },
    );
  }
});

Deno.test("decompress() rejects a compression method other than deflate", async () => {
  const compressed = new Uint8Array([0x1f, 0x8b, 7, 0, 0]);
  await assertDecompresses(compressed, bytesOf(""), { error: "gzip-cut" });
});

Deno.test("decompress() decompresses three layers of gzip, not a fourth", async () => {
  let compressed: Uint8Array = FIRST;
  for (let layers = 1; layers <= 4; layers++) {
    compressed = gzipSync(compressed);
    await assertDecompresses(compressed, layers === 4 ? gzipSync(FIRST) : FIRST);
  }
});

Deno.test("decompress() rejects when an outer or inner layer is truncated", async () => {
  const inner = new Uint8Array(gzipSync(FIRST));
  const outer = new Uint8Array(gzipSync(inner, { level: 0 }));
  const cutOuter = outer.subarray(0, outer.length - 30);
  const cutInner = new Uint8Array(gzipSync(inner.subarray(0, -30)));
  for (const compressed of [cutOuter, cutInner]) {
    for (const size of SIZES) {
      const { bytes, error } = await decompressAll(chunked(compressed, size));
      assert(bytes.length > 0);
      assertEquals(bytes, FIRST.subarray(0, bytes.length));
      assertEquals(cutCode(error), "gzip-cut");
    }
  }
});

Deno.test("decompress() returns every byte of a member in which the body fails", async () => {
  const compressed = new Uint8Array(gzipSync(FIRST));
  const failure = new Error("connection reset");
  for (let length = 0; length <= compressed.length; length++) {
    const end = Math.min(length, compressed.length - TRAILER);
    // one byte may be text
    const expected = length < 2
      ? compressed.subarray(0, length)
      : inflatable(compressed.subarray(HEADER, end));
    for (const size of SIZES) {
      const chunks = chunked(compressed.subarray(0, length), size);
      const { bytes, error, warnings } = await decompressAll(new TestSource(chunks, failure));
      assertEquals([bytes, warnings], [new Uint8Array(expected), []]);
      assertStrictEquals(error, failure);
    }
  }
});

Deno.test("a decompressed source stays at its end or error", async () => {
  const good = await opened([gzipSync(FIRST)]);
  await readAll(good);
  assertEquals(await good.read(), undefined);
  const cut = await opened([gzipSync(FIRST).subarray(0, 50)]);
  const { error } = await readAll(cut);
  assertStrictEquals((await readAll(cut)).error, error);
  cut.cancel();
  assertStrictEquals((await readAll(cut)).error, error);
});

Deno.test("decompress() decompresses a bomb only as far as it is read", async () => {
  const bomb = new Uint8Array(gzipSync(new Uint8Array(50_000_000), { level: 9 }));
  for (const [compressed, layers] of [[bomb, 1], [new Uint8Array(gzipSync(bomb)), 2]] as const) {
    const source = new TestSource(chunked(compressed, 256));
    const { source: zeros } = await decompress(source, { warn() {} });
    let read = 0;
    while (read < 1024 * 1024) {
      const piece = await zeros.read();
      if (piece === undefined) throw new Error("The bomb ended");
      assert(piece.length <= PIECE_SIZE);
      read += piece.length;
    }
    // 1 MiB is compressed to about 1 KiB, and twice compressed all of it to little more
    if (layers === 1) assert(source.taken < 2048, `${source.taken} bytes were taken`);
    else assert(source.taken <= compressed.length);
    zeros.cancel();
    assertEquals(await zeros.read(), undefined);
    assertEquals(source.reasons.length, 1);
  }
});

Deno.test("decompress() holds only a few pieces of a bomb in one chunk", async () => {
  const bomb = new Uint8Array(gzipSync(new Uint8Array(50_000_000), { level: 9 }));
  const before = Deno.memoryUsage();
  const zeros = await opened([bomb]);
  await zeros.read();
  // time to decompress more than one piece
  await new Promise((resolve) => setTimeout(resolve, 50));
  const after = Deno.memoryUsage();
  const grown = after.external + after.heapUsed - before.external - before.heapUsed;
  assert(grown < 20_000_000, `${grown} bytes are held`);
  zeros.cancel();
});

Deno.test("decompress() stops reading at garbage behind the last member", async () => {
  const rest = Array.from({ length: 100 }, () => bytesOf("garbage"));
  const source = new TestSource([gzipSync(FIRST), ...rest]);
  const { bytes, warnings } = await decompressAll(source);
  assertEquals(bytes, FIRST);
  assertEquals(warnings, ["gzip-trailing"]);
  assert(source.taken < gzipSync(FIRST).length + 2 * rest[0]!.length);
  assertEquals(source.reasons.length, 1);
});

Deno.test("cancelling a decompressed source settles a read that awaits its source", async () => {
  const compressed = concatenated(gzipSync(FIRST), gzipSync(SECOND));
  const text = concatenated(FIRST, SECOND);
  for (let length = 2; length <= compressed.length; length++) {
    const stalled = new TestSource([compressed.subarray(0, length)], "stall");
    const decompression = Promise.resolve(decompress(stalled, { warn() {} }));
    const reading = decompression.then(({ source }) => readAll(source));
    const later = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 0));
    const content = await Promise.race([decompression, later]);
    if (content === undefined) {
      // the first bytes are not decompressed yet: only the body can be cancelled
      stalled.cancel();
      assertEquals(cutCode((await reading).error), "gzip-cut");
      continue;
    }
    await later;
    content.source.cancel("enough");
    const { bytes, error } = await reading;
    assertEquals(bytes, text.subarray(0, bytes.length));
    assertEquals(error, undefined);
  }
});

Deno.test("cancelling a decompressed source settles a read in any state", async () => {
  const compressed = gzipSync(bytesOf(sitemapText(5000)));
  for (let turns = 0; turns < 60; turns++) {
    const source = new TestSource(chunked(compressed, 1000));
    const { source: text } = await decompress(source, { warn() {} });
    const reading = readAll(text);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    text.cancel();
    text.cancel();
    assertEquals((await reading).error, undefined);
    assertEquals(await text.read(), undefined);
    assertEquals(source.reasons.length, 1);
  }
});

Deno.test("cancelling the source while decompress() looks at its layers rejects the result", async () => {
  const compressed = new Uint8Array(gzipSync(gzipSync(FIRST)));
  for (let length = 0; length < compressed.length; length++) {
    const source = new TestSource([compressed.subarray(0, length)], "stall");
    const waiting = decompress(source, { warn() {} });
    await Promise.resolve();
    source.cancel();
    const { error } = await readAll((await waiting).source);
    assertEquals(cutCode(error), length < 2 ? undefined : "gzip-cut");
  }
});

Deno.test("decompress() decompresses deflate if Content-Encoding says so", async () => {
  const text = bytesOf(sitemapText(100));
  for (const pack of [deflateSync, deflateRawSync]) {
    for (const compressed of [pack(text), pack(text, { level: 1 })]) {
      for (const contentEncoding of ["deflate", " Deflate "]) {
        await assertDecompresses(compressed, text, { contentEncoding });
      }
      await assertDecompresses(compressed, compressed, { contentEncoding: "zstd" });
    }
  }
});

Deno.test("decompress() decompresses brotli streams, unless fetch() has done so", async () => {
  const text = bytesOf(sitemapText(100));
  const streams = [text.subarray(0, 999), text.subarray(999, 1000), text.subarray(1000)];
  const several = streams.flatMap((stream) => [...brotliCompressSync(stream)]);
  for (const compressed of [brotliCompressSync(text), new Uint8Array(several), text]) {
    await assertDecompresses(compressed, text, { contentEncoding: "br" });
  }
});

Deno.test("decompress() rejects truncated brotli", async () => {
  const compressed = brotliCompressSync(bytesOf(sitemapText(100)));
  for (const end of [compressed.length - 1, compressed.length >> 1]) {
    const { error } = await decompressAll(chunked(compressed.subarray(0, end), 7), {
      contentEncoding: "br",
    });
    assertEquals(cutCode(error), "gzip-cut");
  }
});

Deno.test("decompress() decompresses gzip inside deflate", async () => {
  await assertDecompresses(deflateSync(gzipSync(FIRST)), FIRST, { contentEncoding: "deflate" });
});

Deno.test("decompress() ignores a Content-Encoding that is wrong", async () => {
  const texts = [
    bytesOf(""),
    bytesOf("<?xml version='1.0'?><urlset/>"),
    bytesOf("http://site.test/"),
    bytesOf("\n".repeat(100)),
    // UTF-16, and bytes that are neither text nor deflate
    new Uint8Array([0xff, 0xfe, 0x3c, 0, 0x75, 0, 0x72, 0, 0x6c, 0]),
    new Uint8Array(100).fill(7),
  ];
  for (const text of texts) {
    await assertDecompresses(text, text, { contentEncoding: "deflate" });
  }
  for (const contentEncoding of ["deflate", "br"]) {
    await assertDecompresses(gzipSync(FIRST), FIRST, { contentEncoding });
  }
});

Deno.test("decompress() returns every byte of deflate truncated anywhere, then rejects", async () => {
  for (const [pack, start, trailer] of [[deflateSync, 2, 4], [deflateRawSync, 0, 0]] as const) {
    const compressed = new Uint8Array(pack(FIRST));
    // bare deflate is recognised by its first 64 bytes
    for (let length = 64; length < compressed.length; length++) {
      const expected = inflatable(
        compressed.subarray(start, Math.min(length, compressed.length - trailer)),
      );
      const cut = compressed.subarray(0, length);
      await assertDecompresses(cut, expected, { error: "gzip-cut", contentEncoding: "deflate" });
    }
  }
});

Deno.test("decompress() reports a wrong checksum of deflate, and trailing bytes", async () => {
  const contentEncoding = "deflate";
  const text = bytesOf(sitemapText(100));
  for (let at = 1; at <= 4; at++) {
    const compressed = new Uint8Array(deflateSync(text));
    compressed[compressed.length - at]! ^= 1;
    await assertDecompresses(compressed, text, { contentEncoding, warnings: ["gzip-checksum"] });
  }
  for (const pack of [deflateSync, deflateRawSync]) {
    const compressed = concatenated(pack(text), bytesOf("garbage"));
    await assertDecompresses(compressed, text, { contentEncoding, warnings: ["gzip-trailing"] });
  }
});

/** What follows 9,999 empty members and one with content, and whether that is an error or reported. */
const AFTER_LIMIT: readonly (readonly [string, Uint8Array, "cut" | "warning" | undefined])[] = [
  ["nothing", bytesOf(""), undefined],
  ["other bytes", bytesOf("garbage"), "warning"],
  ["another member", gzipSync(SECOND), "cut"],
  ["zeros and another member", concatenated(new Uint8Array(512), gzipSync(SECOND)), "cut"],
];

for (const [name, rest, fault] of AFTER_LIMIT) {
  Deno.test(`decompress() reads 10,000 members, then ${name}`, async () => {
    const empty = gzipSync("");
    const members = Array.from({ length: 9999 }, () => empty);
    const compressed = concatenated(...members, gzipSync(FIRST), rest);
    const { bytes, error, warnings } = await decompressAll(chunked(compressed, 5000));
    assertEquals(bytes, FIRST);
    assertEquals(warnings, fault === "warning" ? ["gzip-trailing"] : []);
    assertEquals(
      error === undefined ? undefined : `${cutCode(error)} ${(error as Error).message}`,
      fault === "cut" ? "gzip-cut More than 10000 gzip members" : undefined,
    );
  });
}
