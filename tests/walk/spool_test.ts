import { assertEquals, assertRejects } from "@std/assert";
import type { ByteSource } from "../../src/bytes/byte_source.ts";
import { Spool } from "../../src/walk/spool.ts";

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
  const spool = new Spool(source);
  const filling = spool.fill();
  assertEquals(spool.heldBack, false, "it is filling");
  await filling;
  assertEquals([source.reads, spool.heldBack, spool.finished], [2, true, false]);
  assertEquals(await rest(spool), [[1, 40 * KIB], [2, 40 * KIB], [3, 40 * KIB], [4, 1]]);
  assertEquals(await spool.read(), undefined);
});

Deno.test("Spool keeps a short body whole", async () => {
  const source = new Chunks([10, 20]);
  const spool = new Spool(source);
  await spool.fill();
  assertEquals([spool.finished, spool.heldBack, source.reads], [true, false, 3]);
  assertEquals(await rest(spool), [[1, 10], [2, 20]]);
});

Deno.test("Spool stops filling when somebody reads", async () => {
  const source = new Chunks([10, 10, 10, 10]);
  const spool = new Spool(source);
  const filling = spool.fill();
  assertEquals(await spool.read().then((chunk) => chunk?.length), 10);
  await filling;
  assertEquals(source.reads, 1, "the one that was under way");
  assertEquals((await rest(spool)).length, 3);
});

Deno.test("Spool gives what it kept before it tells that the body broke", async () => {
  const spool = new Spool(new Chunks([10, 20], new Error("reset")));
  await spool.fill();
  assertEquals([spool.finished, spool.heldBack], [true, false]);
  assertEquals([(await spool.read())?.length, (await spool.read())?.length], [10, 20]);
  await assertRejects(() => spool.read(), Error, "reset");
  await assertRejects(() => spool.read(), Error, "reset");
});

Deno.test("Spool.revive() finds out whether a body that was held back goes on", async () => {
  const goes = new Spool(new Chunks([64 * KIB, 5]));
  await goes.fill();
  assertEquals(await goes.revive(), true);
  assertEquals((await rest(goes)).map(([, length]) => length), [64 * KIB, 5]);
  const ends = new Spool(new Chunks([64 * KIB]));
  await ends.fill();
  assertEquals([await ends.revive(), ends.finished], [true, true]);
  const breaks = new Spool(new Chunks([64 * KIB], new Error("reset")));
  await breaks.fill();
  assertEquals(await breaks.revive(), false);
});

Deno.test("Spool.cancel() lets go of everything", async () => {
  const source = new Chunks([64 * KIB, 10]);
  const spool = new Spool(source);
  await spool.fill();
  spool.cancel();
  assertEquals([source.cancelled, spool.heldBack, await spool.read()], [true, false, undefined]);
});
