import { assertEquals } from "@std/assert";
import { MemoryBudget, SpillBuffer } from "../../src/bytes/spill_buffer.ts";

const KIB = 1024;

/** Buffers that share a budget, and the number of files that they have created. */
class Buffers {
  readonly #options: ConstructorParameters<typeof SpillBuffer>[1];
  files = 0;

  constructor(budget: MemoryBudget) {
    const unlinkOpen = (path: string) => {
      this.files++;
      Deno.removeSync(path);
    };
    this.#options = { budget, unlinkOpen };
  }

  /** Returns a buffer that holds up to 1 MiB in memory, with `length` bytes in chunks of `size`. */
  filled(length: number, size: number): SpillBuffer {
    const buffer = new SpillBuffer(1024 * KIB, this.#options);
    for (let at = 0; at < length; at += size) {
      buffer.write(bytesAt(at, Math.min(size, length - at)));
    }
    return buffer;
  }
}

/** Returns the bytes of a pattern at an offset. */
function bytesAt(start: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (start + at) % 251);
}

function assertPattern(buffer: SpillBuffer, length: number): void {
  assertEquals(buffer.length, length);
  for (let at = 0; at < length;) {
    const bytes = buffer.read(at, 50_000);
    const start = at;
    assertEquals(bytes.findIndex((byte, index) => byte !== (start + index) % 251), -1);
    assertEquals(bytes.length > 0, true);
    at += bytes.length;
  }
}

Deno.test("a SpillBuffer spills early if others use the memory that they share", () => {
  for (const size of [1000, 64 * KIB, 300 * KIB]) {
    const buffers = new Buffers(new MemoryBudget(1024 * KIB));
    const length = 500 * KIB;
    const all = Array.from({ length: 10 }, () => buffers.filled(length, size));
    assertEquals(buffers.files >= 8 && buffers.files < 10, true, `${buffers.files} files`);
    for (const buffer of all) assertPattern(buffer, length);
    for (const buffer of all) buffer[Symbol.dispose]();
  }
});

Deno.test("a SpillBuffer returns its memory when it is cleared, disposed of or has spilled", () => {
  const buffers = new Buffers(new MemoryBudget(1024 * KIB));
  for (let round = 0; round < 5; round++) {
    buffers.filled(500 * KIB, 1000).clear();
    buffers.filled(500 * KIB, 1000)[Symbol.dispose]();
  }
  assertEquals(buffers.files, 0);
  using spilled = buffers.filled(3000 * KIB, 1000);
  assertEquals(buffers.files, 1);
  using other = buffers.filled(500 * KIB, 1000);
  assertEquals(buffers.files, 1);
  assertPattern(spilled, 3000 * KIB);
  assertPattern(other, 500 * KIB);
});

Deno.test("a SpillBuffer without memory to share keeps short content in memory", () => {
  const buffers = new Buffers(new MemoryBudget(0));
  using short = buffers.filled(60 * KIB, 7);
  assertEquals(buffers.files, 0);
  using long = buffers.filled(700 * KIB, 7000);
  assertEquals(buffers.files, 1);
  assertPattern(short, 60 * KIB);
  assertPattern(long, 700 * KIB);
});
