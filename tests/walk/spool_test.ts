import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import type { ByteSource } from "../../src/bytes/byte_source.ts";
import { BufferPool } from "../../src/http/body.ts";
import { Spool } from "../../src/walk/prefetch.ts";

const KIB = 1024;

/** Chunks of so many bytes, then an end or an error; the same memory is used for each. */
class Chunks implements ByteSource {
  reads = 0;
  cancelled = false;
  readonly #sizes: readonly number[];
  readonly #error: Error | undefined;
  readonly #memory = new Uint8Array(64 * KIB);

  constructor(sizes: readonly number[], error?: Error) {
    this.#sizes = sizes;
    this.#error = error;
  }

  read(): Promise<Uint8Array | undefined> {
    const size = this.#sizes[this.reads++];
    if (size === undefined && this.#error !== undefined) return Promise.reject(this.#error);
    if (size === undefined) return Promise.resolve(undefined);
    return Promise.resolve(this.#memory.fill(this.reads).subarray(0, size));
  }

  cancel(): void {
    this.cancelled = true;
  }
}

/** The first byte and the length of each chunk that is left. */
async function rest(spool: Spool): Promise<[number, number][]> {
  const chunks: [number, number][] = [];
  for (let chunk = await spool.read(); chunk !== undefined; chunk = await spool.read()) {
    chunks.push([chunk[0]!, chunk.length]);
  }
  return chunks;
}

Deno.test("Spool reads ahead as much as it keeps, and then holds back", async () => {
  const source = new Chunks([40 * KIB, 40 * KIB, 40 * KIB, 1]);
  const spool = new Spool(source, new BufferPool());
  const filling = spool.fill();
  assertEquals(spool.heldBack, false, "it is filling");
  await filling;
  assertEquals([source.reads, spool.heldBack, spool.finished], [2, true, false]);
  assertEquals(spool.ready, true, "what it keeps is there");
  assertEquals(await rest(spool), [[1, 40 * KIB], [2, 40 * KIB], [3, 40 * KIB], [4, 1]]);
  assertEquals(await spool.read(), undefined);
});

Deno.test("Spool keeps a short body whole", async () => {
  const source = new Chunks([10, 20]);
  const spool = new Spool(source, new BufferPool());
  await spool.fill();
  assertEquals([spool.finished, spool.heldBack, source.reads], [true, false, 3]);
  assertEquals([spool.ready, await rest(spool)], [true, [[1, 30]]]);
});

Deno.test("Spool stops filling when somebody reads", async () => {
  const source = new Chunks([10, 10, 10, 10]);
  const spool = new Spool(source, new BufferPool());
  const filling = spool.fill();
  assertEquals([spool.ready, (await spool.read())?.length], [false, 10]);
  await filling;
  assertEquals(source.reads, 1, "the one that was under way");
  assertEquals((await rest(spool)).length, 3);
});

Deno.test("Spool gives what it kept before it tells that the body broke", async () => {
  const spool = new Spool(new Chunks([10, 20], new Error("reset")), new BufferPool());
  await spool.fill();
  assertEquals([spool.finished, spool.heldBack], [true, false]);
  assertEquals((await spool.read())?.length, 30);
  await assertRejects(async () => await spool.read(), Error, "reset");
  await assertRejects(async () => await spool.read(), Error, "reset");
});

Deno.test("Spool.cancel() lets go of everything", async () => {
  const source = new Chunks([64 * KIB, 10]);
  const spool = new Spool(source, new BufferPool());
  await spool.fill();
  spool.cancel();
  assertEquals([source.cancelled, spool.heldBack, await spool.read()], [true, false, undefined]);
});

Deno.test("Spool keeps nothing that comes after it was cancelled", async () => {
  const source = new Chunks([10, 10]);
  const spool = new Spool(source, new BufferPool());
  const filling = spool.fill();
  spool.cancel();
  await filling;
  assertEquals([source.reads, await spool.read()], [1, undefined]);
});

Deno.test("Spool leaves what it gave alone while it is still filling", async () => {
  const spool = new Spool(new Chunks([10, 20, 30]), new BufferPool());
  const filling = spool.fill();
  // until the first chunk is kept and the second is under way
  while (!spool.ready) await Promise.resolve();
  const given = await spool.read();
  await filling;
  assertEquals(given, new Uint8Array(10).fill(1));
  assertEquals(await rest(spool), [[2, 20], [3, 30]]);
});

Deno.test("Spool gives its buffer back when what it keeps was read, or is not wanted", async () => {
  for (const ending of ["read", "cancel"] as const) {
    const buffers = new BufferPool();
    const buffer = buffers.take();
    buffers.give(buffer);
    const spool = new Spool(new Chunks([10]), buffers);
    await spool.fill();
    if (ending === "cancel") spool.cancel();
    else assertEquals(await rest(spool), [[1, 10]]);
    assertStrictEquals(buffers.take(), buffer);
  }
});
