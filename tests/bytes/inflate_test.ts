import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  inflateRawSync,
} from "node:zlib";
import { type ByteSource, sourceOf } from "../../src/bytes/byte_source.ts";
import { unpacked } from "../../src/bytes/gunzip.ts";
import { chunked } from "../support/chunked.ts";
import {
  bytesOf,
  concatenated,
  cutCode,
  readAll,
  sitemapText,
  unpackAll,
  type Unpacking,
} from "./read_all.ts";

const SIZES = [1, 7, Infinity];
/** What gzipSync() puts before the deflate stream, and after it. */
const HEADER = 10;
const TRAILER = 8;
const PIECE_SIZE = 8 * 1024;

const FIRST = bytesOf(sitemapText(8));
const SECOND = bytesOf("<p>the second member, short</p>".repeat(2));

/** What zlib can make of the beginning of a deflate stream. */
function unpackable(body: Uint8Array): Uint8Array {
  return inflateRawSync(body, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** Checks an unpacking that went well. */
function assertUnpacked(unpacking: Unpacking, expected: Uint8Array, message: string): void {
  assertEquals(unpacking.error, undefined, message);
  assertEquals(unpacking.bytes, expected, message);
  assertEquals(unpacking.warnings, [], message);
}

Deno.test("unpacked() hands back what is not packed, chunk by chunk as it was", async () => {
  for (const text of ["", "a", "<", "\x1f", "<urlset/>", "\x1f\x8a", "plain text of some length"]) {
    for (const size of SIZES) {
      const chunks = chunked(bytesOf(text), size);
      const unpacking = await unpackAll(chunks);
      assertUnpacked(unpacking, bytesOf(text), text);
    }
  }
  const chunks = [bytesOf("first"), bytesOf("second")];
  const { source } = await unpacked(sourceOf(chunks), { warn() {} });
  assertStrictEquals(await source.read(), chunks[0]);
  assertStrictEquals(await source.read(), chunks[1]);
});

Deno.test("unpacked() reads gzip at every level, in chunks of any size", async () => {
  for (const level of [0, 1, 6, 9]) {
    const packed = gzipSync(FIRST, { level });
    for (const size of SIZES) {
      assertUnpacked(await unpackAll(chunked(packed, size)), FIRST, `${level} ${size}`);
    }
  }
});

Deno.test("unpacked() reads gzip of nothing", async () => {
  for (const size of SIZES) {
    assertUnpacked(await unpackAll(chunked(gzipSync(""), size)), bytesOf(""), `${size}`);
  }
});

Deno.test("unpacked() gives pieces of 8 KiB at most, whose slices are copies", async () => {
  const text = bytesOf(sitemapText(20_000));
  for (const size of [1000, 16 * 1024, Infinity]) {
    const unpacking = await unpackAll(chunked(gzipSync(text), size));
    assertUnpacked(unpacking, text, `${size}`);
    assert(Math.max(...unpacking.sizes) <= PIECE_SIZE);
  }
  const { source } = await unpacked(sourceOf([gzipSync(text)]), { warn() {} });
  const piece = await source.read();
  assertStrictEquals(piece?.constructor, Uint8Array);
  source.cancel();
});

Deno.test("unpacked() reads several members as one", async () => {
  const packed = concatenated(gzipSync(FIRST), gzipSync(""), gzipSync(SECOND), gzipSync(FIRST));
  const expected = concatenated(FIRST, SECOND, FIRST);
  for (const size of [...SIZES, 100]) {
    assertUnpacked(await unpackAll(chunked(packed, size)), expected, `${size}`);
  }
});

/** A member whose header has the fields that `flags` announces. */
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

Deno.test("unpacked() skips every field that a gzip header can have", async () => {
  for (let flags = 0; flags < 32; flags++) {
    const packed = concatenated(memberWith(flags), memberWith(flags));
    const expected = concatenated(FIRST, FIRST);
    for (const size of SIZES) {
      assertUnpacked(await unpackAll(chunked(packed, size)), expected, `${flags} ${size}`);
    }
  }
});

Deno.test("unpacked() tells of a cut in every field of a gzip header", async () => {
  const packed = memberWith(0b11110);
  const end = packed.length - gzipSync(FIRST).length + HEADER;
  for (let length = 2; length < end; length++) {
    for (const size of SIZES) {
      const { bytes, error } = await unpackAll(chunked(packed.subarray(0, length), size));
      assertEquals(bytes.length, 0);
      assertEquals(cutCode(error), "gzip-cut", `${length}`);
    }
  }
});

Deno.test("unpacked() makes nothing of flags that mean nothing", async () => {
  const packed = memberWith(0b1110_0000);
  for (const size of SIZES) {
    assertUnpacked(await unpackAll(chunked(packed, size)), FIRST, `${size}`);
  }
});

Deno.test("unpacked() skips an extra field of the greatest length", async () => {
  const packed = concatenated(
    [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, 0xff, 0xff],
    new Uint8Array(0xffff).fill(0x1f),
    gzipSync(FIRST).subarray(HEADER),
  );
  for (const size of [1, 7, 4096, Infinity]) {
    assertUnpacked(await unpackAll(chunked(packed, size)), FIRST, `${size}`);
  }
});

Deno.test("unpacked() delivers every byte of gzip that is cut anywhere, then rejects", async () => {
  const first = new Uint8Array(gzipSync(FIRST));
  const second = new Uint8Array(gzipSync(SECOND));
  const whole = concatenated(first, second);
  for (let length = 2; length < whole.length; length++) {
    const inFirst = length < first.length;
    const [member, before] = inFirst ? [first, bytesOf("")] : [second, FIRST];
    const end = Math.min(length - (inFirst ? 0 : first.length), member.length - TRAILER);
    const expected = concatenated(
      before,
      end > HEADER ? unpackable(member.subarray(HEADER, end)) : [],
    );
    for (const size of SIZES) {
      const chunks = chunked(whole.subarray(0, length), size);
      const { bytes, error, warnings } = await unpackAll(chunks);
      assertEquals(bytes, expected, `${length} of ${whole.length} bytes`);
      // all of the first member and nothing of the second is no cut that anybody could see
      assertEquals(cutCode(error), length === first.length ? undefined : "gzip-cut", `${length}`);
      assertEquals(warnings, []);
    }
  }
});

Deno.test("unpacked() delivers every byte of a long member that is cut", async () => {
  const text = bytesOf(sitemapText(20_000));
  const packed = new Uint8Array(gzipSync(text));
  for (const length of [0.1, 0.5, 0.9, 1].map((part) => Math.floor(part * packed.length) - 9)) {
    const expected = unpackable(packed.subarray(HEADER, length));
    for (const size of [1000, 16 * 1024, Infinity]) {
      const { bytes, error } = await unpackAll(chunked(packed.subarray(0, length), size));
      assertEquals(bytes.length, expected.length);
      assertEquals(bytes, new Uint8Array(expected));
      assertEquals(cutCode(error), "gzip-cut");
    }
  }
});

/** What can be unpacked before the first byte that makes no sense; `undefined` if all make some. */
function beforeDamage(body: Uint8Array): Uint8Array | undefined {
  const fails = (length: number) => {
    try {
      unpackable(body.subarray(0, length));
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
  return new Uint8Array(unpackable(body.subarray(0, sound)));
}

Deno.test("unpacked() delivers every byte before damage, wherever it is", async () => {
  const packed = new Uint8Array(gzipSync(FIRST));
  let found = 0;
  for (let at = HEADER; at < packed.length - TRAILER; at++) {
    const broken = packed.slice();
    broken[at]! ^= 0xff;
    const expected = beforeDamage(broken.subarray(HEADER, packed.length - TRAILER));
    if (expected === undefined) continue;
    found++;
    for (const size of SIZES) {
      const { bytes, error } = await unpackAll(chunked(broken, size));
      assertEquals(bytes, expected, `byte ${at} in chunks of ${size}`);
      assertEquals(cutCode(error), "gzip-cut");
    }
  }
  assert(found > 50, `only ${found} of the changes are damage`);
});

/** Some bytes, packed, then a block of a type that does not exist. */
function damagedAfter(bytes: Uint8Array): Uint8Array {
  const body = deflateRawSync(bytes, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
  return concatenated(gzipSync("").subarray(0, HEADER), body, new Uint8Array(100).fill(0xff));
}

Deno.test("unpacked() delivers every byte before damage far inside", async () => {
  for (const entries of [1000, 4321, 10_000]) {
    const text = bytesOf(sitemapText(entries));
    for (const size of [1000, 16 * 1024, Infinity]) {
      const { bytes, sizes, error } = await unpackAll(chunked(damagedAfter(text), size));
      assertEquals(bytes.length, text.length);
      assertEquals(bytes, text);
      assert(!sizes.includes(0));
      assertEquals(cutCode(error), "gzip-cut");
    }
  }
});

Deno.test("unpacked() loses no more than a piece to damage after very much input", async () => {
  const noise = new Uint8Array(5 * 1024 * 1024);
  for (let at = 0; at < noise.length; at += 65536) {
    crypto.getRandomValues(noise.subarray(at, at + 65536));
  }
  const packed = damagedAfter(noise);
  const { bytes, error } = await unpackAll(chunked(packed, 64 * 1024));
  assertEquals(cutCode(error), "gzip-cut");
  assert(bytes.length >= noise.length - PIECE_SIZE, `${bytes.length} of ${noise.length} bytes`);
  assertEquals(bytes, noise.subarray(0, bytes.length));
  // in one chunk it is there anyway
  assertEquals((await unpackAll([packed])).bytes.length, noise.length);
});

Deno.test("unpacked() ignores what follows the last member, and tells of it", async () => {
  for (const garbage of ["garbage", "<", "\x1f ", "\x1f\x8b\x07", "\0\0 after zeros"]) {
    const trailing = Uint8Array.from(garbage, (letter) => letter.charCodeAt(0));
    const packed = concatenated(gzipSync(FIRST), gzipSync(SECOND), trailing);
    for (const size of SIZES) {
      const { bytes, error, warnings } = await unpackAll(chunked(packed, size));
      assertEquals(bytes, concatenated(FIRST, SECOND));
      assertEquals(error, undefined);
      assertEquals(warnings, ["gzip-trailing"]);
    }
  }
});

Deno.test("unpacked() skips zeros between and after members without a word", async () => {
  const zeros = new Uint8Array(512);
  const packed = concatenated(gzipSync(FIRST), zeros, gzipSync(SECOND), zeros);
  for (const size of SIZES) {
    const unpacking = await unpackAll(chunked(packed, size));
    assertUnpacked(unpacking, concatenated(FIRST, SECOND), `${size}`);
  }
});

Deno.test("unpacked() tells of a wrong checksum or length and reads on", async () => {
  const first = gzipSync(FIRST);
  for (let at = first.length - TRAILER; at < first.length; at++) {
    const wrong = new Uint8Array(first);
    wrong[at]! ^= 1;
    for (const size of SIZES) {
      const packed = chunked(concatenated(wrong, gzipSync(SECOND)), size);
      const { bytes, error, warnings } = await unpackAll(packed);
      assertEquals(bytes, concatenated(FIRST, SECOND));
      assertEquals(error, undefined);
      assertEquals(warnings, ["gzip-checksum"]);
    }
  }
});

Deno.test("unpacked() cannot unpack a method that is not deflate", async () => {
  for (const size of SIZES) {
    const { bytes, error } = await unpackAll(chunked(new Uint8Array([0x1f, 0x8b, 7, 0, 0]), size));
    assertEquals(bytes.length, 0);
    assertEquals(cutCode(error), "gzip-cut");
  }
});

Deno.test("unpacked() undoes three layers of gzip and leaves a fourth", async () => {
  let packed: Uint8Array = FIRST;
  for (let layers = 1; layers <= 4; layers++) {
    const before = packed;
    packed = new Uint8Array(gzipSync(packed));
    for (const size of SIZES) {
      const unpacking = await unpackAll(chunked(packed, size));
      assertUnpacked(unpacking, layers === 4 ? new Uint8Array(gzipSync(FIRST)) : FIRST, `${size}`);
      const once = await unpackAll(chunked(packed, size), { maxLayers: 1 });
      assertUnpacked(once, before, `${layers} layers, one undone`);
    }
  }
  const untouched = await unpackAll([packed], { maxLayers: 0 });
  assertUnpacked(untouched, packed, "no layer undone");
});

Deno.test("unpacked() tells of a cut in an outer or inner layer", async () => {
  const inner = new Uint8Array(gzipSync(FIRST));
  const outer = new Uint8Array(gzipSync(inner, { level: 0 }));
  const cutOuter = outer.subarray(0, outer.length - 30);
  const cutInner = new Uint8Array(gzipSync(inner.subarray(0, -30)));
  for (const packed of [cutOuter, cutInner]) {
    for (const size of SIZES) {
      const { bytes, error } = await unpackAll(chunked(packed, size));
      assert(bytes.length > 0);
      assertEquals(bytes, FIRST.subarray(0, bytes.length));
      assertEquals(cutCode(error), "gzip-cut");
    }
  }
});

/** Chunks, then a failure. */
function breaking(chunks: Uint8Array[], failure: unknown): ByteSource {
  const source = sourceOf(chunks);
  return {
    read: async () => await source.read() ?? Promise.reject(failure),
    cancel: (reason) => source.cancel(reason),
  };
}

Deno.test("unpacked() delivers what can be unpacked of a body that breaks, then its error", async () => {
  const packed = new Uint8Array(gzipSync(concatenated(gzipSync(FIRST), gzipSync(SECOND))));
  const failure = new Error("connection reset");
  for (const size of SIZES) {
    for (const length of [0, 1, 2, 5, HEADER, 40, packed.length]) {
      const chunks = chunked(packed.subarray(0, length), size);
      const { bytes, error, warnings } = await unpackAll(breaking(chunks, failure));
      assertStrictEquals(error, failure);
      assertEquals(warnings, []);
      if (length < 2) assertEquals(bytes, packed.subarray(0, length));
      if (length === packed.length) assertEquals(bytes, concatenated(FIRST, SECOND));
    }
  }
});

Deno.test("unpacked() delivers every byte of a member in which the body breaks", async () => {
  const packed = new Uint8Array(gzipSync(FIRST));
  const failure = new Error("connection reset");
  for (let length = HEADER; length <= packed.length; length++) {
    const expected = unpackable(packed.subarray(HEADER, Math.min(length, packed.length - TRAILER)));
    for (const size of SIZES) {
      const chunks = chunked(packed.subarray(0, length), size);
      const { bytes, error } = await unpackAll(breaking(chunks, failure));
      assertEquals(bytes, new Uint8Array(expected));
      assertStrictEquals(error, failure);
    }
  }
});

Deno.test("an unpacked source stays at its end, and at its error", async () => {
  const { source: good } = await unpacked(sourceOf([gzipSync(FIRST)]), { warn() {} });
  await readAll(good);
  assertEquals(await good.read(), undefined);
  const { source: cut } = await unpacked(sourceOf([gzipSync(FIRST).subarray(0, 50)]), {
    warn() {},
  });
  const { error } = await readAll(cut);
  assertStrictEquals((await readAll(cut)).error, error);
  cut.cancel();
  assertStrictEquals((await readAll(cut)).error, error);
});

/** Counts what is taken out of it. */
class CountingSource implements ByteSource {
  taken = 0;
  cancelled = 0;
  readonly #source: ByteSource;

  constructor(chunks: Uint8Array[]) {
    this.#source = sourceOf(chunks);
  }

  async read(): Promise<Uint8Array | undefined> {
    const chunk = await this.#source.read();
    this.taken += chunk?.length ?? 0;
    return chunk;
  }

  cancel(reason?: unknown): void {
    this.cancelled++;
    this.#source.cancel(reason);
  }
}

Deno.test("unpacked() unpacks a bomb no further than it is asked to", async () => {
  const bomb = new Uint8Array(gzipSync(new Uint8Array(50_000_000), { level: 9 }));
  for (const [packed, layers] of [[bomb, 1], [new Uint8Array(gzipSync(bomb)), 2]] as const) {
    const source = new CountingSource(chunked(packed, 256));
    const { source: zeros } = await unpacked(source, { warn() {} });
    let read = 0;
    while (read < 1024 * 1024) {
      const piece = await zeros.read();
      if (piece === undefined) throw new Error("The bomb ended");
      assert(piece.length <= PIECE_SIZE);
      read += piece.length;
    }
    // packed 1,000 to 1, a MiB has about 1 KiB; packed twice, all of it has little more than that
    if (layers === 1) assert(source.taken < 2048, `${source.taken} bytes were taken`);
    else assert(source.taken <= packed.length);
    zeros.cancel();
    assertEquals(await zeros.read(), undefined);
    assertEquals(source.cancelled, 1);
  }
});

Deno.test("unpacked() holds no more of a bomb in one chunk than a few pieces", async () => {
  const bomb = new Uint8Array(gzipSync(new Uint8Array(50_000_000), { level: 9 }));
  const before = Deno.memoryUsage();
  const { source: zeros } = await unpacked(sourceOf([bomb]), { warn() {} });
  await zeros.read();
  // time to unpack more, for one that would
  await new Promise((resolve) => setTimeout(resolve, 50));
  const after = Deno.memoryUsage();
  const grown = after.external + after.heapUsed - before.external - before.heapUsed;
  assert(grown < 20_000_000, `${grown} bytes are held`);
  zeros.cancel();
});

Deno.test("unpacked() reads no further than garbage after the last member", async () => {
  const rest = Array.from({ length: 100 }, () => bytesOf("garbage"));
  const source = new CountingSource([gzipSync(FIRST), ...rest]);
  const { bytes, warnings } = await unpackAll(source);
  assertEquals(bytes, FIRST);
  assertEquals(warnings, ["gzip-trailing"]);
  assert(source.taken < gzipSync(FIRST).length + 2 * rest[0]!.length);
  assertEquals(source.cancelled, 1);
});

/** Chunks, then nothing, for ever, until it is cancelled. */
function stalling(chunks: Uint8Array[]): ByteSource {
  const source = sourceOf(chunks);
  const stalled = Promise.withResolvers<undefined>();
  return {
    read: async () => await source.read() ?? stalled.promise,
    cancel: () => stalled.resolve(undefined),
  };
}

Deno.test("cancelling settles a read that waits for the source", async () => {
  const packed = concatenated(gzipSync(FIRST), gzipSync(SECOND));
  const text = concatenated(FIRST, SECOND);
  for (let length = 2; length <= packed.length; length++) {
    const stalled = stalling([packed.subarray(0, length)]);
    const unpacking = Promise.resolve(unpacked(stalled, { maxLayers: 1, warn() {} }));
    const reading = unpacking.then(({ source }) => readAll(source));
    const later = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 0));
    const content = await Promise.race([unpacking, later]);
    if (content === undefined) {
      // its first bytes are not unpacked yet: there is only the body to be cancelled
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

Deno.test("cancelling settles a read at whatever it is", async () => {
  const packed = gzipSync(bytesOf(sitemapText(5000)));
  for (let turns = 0; turns < 60; turns++) {
    const source = new CountingSource(chunked(packed, 1000));
    const { source: text } = await unpacked(source, { warn() {} });
    const reading = readAll(text);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    text.cancel();
    text.cancel();
    assertEquals((await reading).error, undefined);
    assertEquals(await text.read(), undefined);
    assertEquals(source.cancelled, 1);
  }
});

Deno.test("cancelling the source while its layers are looked at leaves nothing behind", async () => {
  const packed = new Uint8Array(gzipSync(gzipSync(FIRST)));
  for (let length = 0; length < packed.length; length++) {
    const source = stalling([packed.subarray(0, length)]);
    const waiting = unpacked(source, { warn() {} });
    await Promise.resolve();
    source.cancel();
    const { error } = await readAll((await waiting).source);
    assertEquals(cutCode(error), length < 2 ? undefined : "gzip-cut");
  }
});

Deno.test("unpacked() undoes deflate where the header tells of it", async () => {
  const text = bytesOf(sitemapText(100));
  for (const pack of [deflateSync, deflateRawSync]) {
    for (const packed of [pack(text), pack(text, { level: 1 })]) {
      for (const size of SIZES) {
        for (const contentEncoding of ["deflate", " Deflate "]) {
          const unpacking = await unpackAll(chunked(packed, size), { contentEncoding });
          assertUnpacked(unpacking, text, `${pack.name} ${size}`);
        }
        const unaware = await unpackAll(chunked(packed, size), { contentEncoding: "zstd" });
        assertUnpacked(unaware, new Uint8Array(packed), "left as it is");
      }
    }
  }
});

Deno.test("unpacked() decompresses brotli, however many streams, unless fetch() has done so", async () => {
  const text = bytesOf(sitemapText(100));
  const streams = [text.subarray(0, 999), text.subarray(999, 1000), text.subarray(1000)];
  const several = streams.flatMap((stream) => [...brotliCompressSync(stream)]);
  for (const packed of [brotliCompressSync(text), new Uint8Array(several), text]) {
    for (const size of SIZES) {
      const unpacking = await unpackAll(chunked(packed, size), { contentEncoding: "br" });
      assertUnpacked(unpacking, text, `${packed.length} ${size}`);
    }
  }
});

Deno.test("unpacked() reports brotli that is cut", async () => {
  const packed = brotliCompressSync(bytesOf(sitemapText(100)));
  for (const end of [packed.length - 1, packed.length >> 1]) {
    const { error } = await unpackAll(chunked(packed.subarray(0, end), 7), {
      contentEncoding: "br",
    });
    assertEquals(cutCode(error), "gzip-cut");
  }
});

Deno.test("unpacked() undoes gzip inside deflate", async () => {
  const packed = deflateSync(gzipSync(FIRST));
  for (const size of SIZES) {
    const unpacking = await unpackAll(chunked(packed, size), { contentEncoding: "deflate" });
    assertUnpacked(unpacking, FIRST, `${size}`);
  }
});

Deno.test("unpacked() does not believe in deflate where there is none", async () => {
  const texts = [
    bytesOf(""),
    bytesOf("<?xml version='1.0'?><urlset/>"),
    bytesOf("http://site.test/"),
    bytesOf("\n".repeat(100)),
    // UTF-16, and noise that is neither text nor deflate
    new Uint8Array([0xff, 0xfe, 0x3c, 0, 0x75, 0, 0x72, 0, 0x6c, 0]),
    new Uint8Array(100).fill(7),
  ];
  for (const text of texts) {
    for (const size of SIZES) {
      const unpacking = await unpackAll(chunked(text, size), { contentEncoding: "deflate" });
      assertUnpacked(unpacking, text, `${text}`);
    }
  }
  const packed = gzipSync(FIRST);
  assertUnpacked(await unpackAll([packed], { contentEncoding: "deflate" }), FIRST, "gzip");
});

Deno.test("unpacked() delivers every byte of deflate that is cut anywhere, then rejects", async () => {
  for (const [pack, start, trailer] of [[deflateSync, 2, 4], [deflateRawSync, 0, 0]] as const) {
    const packed = new Uint8Array(pack(FIRST));
    // bare deflate is known by its first 64 bytes, and fewer are too few to be sure
    for (let length = 64; length < packed.length; length++) {
      const expected = unpackable(
        packed.subarray(start, Math.min(length, packed.length - trailer)),
      );
      for (const size of SIZES) {
        const chunks = chunked(packed.subarray(0, length), size);
        const { bytes, error } = await unpackAll(chunks, { contentEncoding: "deflate" });
        assertEquals(bytes, new Uint8Array(expected), `${pack.name} ${length}`);
        assertEquals(cutCode(error), "gzip-cut");
      }
    }
  }
});

Deno.test("unpacked() tells of a wrong checksum of deflate, and of what follows it", async () => {
  const contentEncoding = "deflate";
  const text = bytesOf(sitemapText(100));
  for (const size of SIZES) {
    for (let at = 1; at <= 4; at++) {
      const packed = new Uint8Array(deflateSync(text));
      packed[packed.length - at]! ^= 1;
      const { bytes, error, warnings } = await unpackAll(chunked(packed, size), {
        contentEncoding,
      });
      assertEquals([bytes, error, warnings], [text, undefined, ["gzip-checksum"]]);
    }
    for (const pack of [deflateSync, deflateRawSync]) {
      const packed = concatenated(pack(text), bytesOf("garbage"));
      const { bytes, error, warnings } = await unpackAll(chunked(packed, size), {
        contentEncoding,
      });
      assertEquals([bytes, error, warnings], [text, undefined, ["gzip-trailing"]]);
    }
  }
});
