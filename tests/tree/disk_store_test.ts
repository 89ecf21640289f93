import {
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import process from "node:process";
import { DiskStore, diskStore } from "../../src/tree/disk_store.ts";
import type { PageStore } from "../../src/tree/page_list.ts";

/** Stands for a system that keeps the name of an open file. */
function refuseUnlink(): never {
  throw new Error("busy");
}

function names(directory: string): string[] {
  return Array.from(Deno.readDirSync(directory), (entry) => entry.name);
}

function inDirectory(test: (directory: string) => void | Promise<void>): () => Promise<void> {
  return async () => {
    const directory = Deno.makeTempDirSync();
    try {
      await test(directory);
      assertEquals(names(directory), []);
    } finally {
      Deno.removeSync(directory, { recursive: true });
    }
  };
}

/** Makes the store write. */
function fill(store: PageStore): void {
  store.read(store.write(new Uint8Array([1, 2, 3])), 3);
}

Deno.test("the disk store gives back every run, of whatever size, in any order", () => {
  using store = diskStore();
  const sizes = [0, 1, 70_000, 3, 256 * 1024, 300_000, 1_000_000, 10, ...Array(500).fill(1999)];
  const runs = sizes.map((size, i) => new Uint8Array(size).fill(i + 1));
  const addresses = runs.map((run) => store.write(run));
  const check = (run: Uint8Array, i: number) =>
    assertEquals(indexOfOther(store.read(addresses[i]!, run.length), run), -1);
  runs.forEach(check);
  for (let i = runs.length - 1; i >= 0; i -= 7) check(runs[i]!, i);
});

/** Where two arrays differ, −1 if nowhere: a comparison that does not print a megabyte. */
function indexOfOther(actual: Uint8Array, expected: Uint8Array): number {
  if (actual.length !== expected.length) return Math.min(actual.length, expected.length);
  return actual.findIndex((byte, i) => byte !== expected[i]);
}

Deno.test("the disk store reads what was written a moment ago, and goes on", () => {
  using store = diskStore();
  const first = store.write(new Uint8Array([1, 2]));
  assertEquals([...store.read(first, 2)], [1, 2]);
  const second = store.write(new Uint8Array([3, 4, 5]));
  assertEquals([...store.read(second, 3)], [3, 4, 5]);
  assertEquals([...store.read(first, 2)], [1, 2]);
});

Deno.test(
  "the file of a disk store has no name where the system permits that",
  { ignore: Deno.build.os === "windows" },
  inDirectory((directory) => {
    using store = diskStore({ directory });
    fill(store);
    assertEquals(names(directory), []);
  }),
);

Deno.test(
  "a disk store that is not used leaves no file",
  inDirectory((directory) => {
    const store = new DiskStore({ directory, unlinkOpen: refuseUnlink });
    assertEquals(names(directory).length, 1);
    store[Symbol.dispose]();
    assertEquals(names(directory), []);
  }),
);

Deno.test(
  "a file that kept its name is removed when its store is disposed of",
  inDirectory((directory) => {
    const store = new DiskStore({ directory, unlinkOpen: refuseUnlink });
    fill(store);
    assertEquals(names(directory).length, 1);
    assertMatch(names(directory)[0]!, /^sitetree-[\w-]+\.pages$/);
    store[Symbol.dispose]();
    store[Symbol.dispose]();
    assertEquals(names(directory), []);
  }),
);

Deno.test(
  "a file that somebody else removed does not stop its store from being disposed of",
  inDirectory((directory) => {
    const store = new DiskStore({ directory, unlinkOpen: refuseUnlink });
    fill(store);
    Deno.removeSync(`${directory}/${names(directory)[0]}`);
    store[Symbol.dispose]();
    assertThrows(() => fill(store), TypeError, "disposed");
  }),
);

Deno.test(
  "any number of named files share one listener, which goes with the last of them",
  inDirectory((directory) => {
    const before = process.listenerCount("exit");
    const stores = Array.from(
      { length: 20 },
      () => new DiskStore({ directory, unlinkOpen: refuseUnlink }),
    );
    stores.forEach(fill);
    assertEquals(process.listenerCount("exit"), before + 1);
    for (const store of stores) store[Symbol.dispose]();
    assertEquals(process.listenerCount("exit"), before);
  }),
);

Deno.test("the disk store refuses work once disposed of", () => {
  const store = diskStore();
  const address = store.write(new Uint8Array([1]));
  store[Symbol.dispose]();
  assertThrows(() => store.read(address, 1), TypeError, "disposed");
  assertThrows(() => store.write(new Uint8Array([1])), TypeError, "disposed");
});

Deno.test("diskStore() refuses a directory that cannot take its file", () => {
  const file = Deno.makeTempFileSync();
  const refusals: readonly (readonly [directory: string, reason: RegExp])[] = [
    ["/there/is/no/such/directory", /: ENOENT: no such file or directory$/],
    [file, /: ENOTDIR: not a directory$/],
    // Nobody may create files there, the superuser included.
    ...(Deno.build.os === "linux" ? [["/sys", /: (?:EACCES|EROFS|EPERM): [\w -]+$/] as const] : []),
  ];
  for (const [directory, reason] of refusals) {
    const error = assertThrows(() => diskStore({ directory }), Error);
    assertMatch(error.message, reason);
    assertStringIncludes(error.message, `Cannot create a temporary file in "${directory}": `);
    assertInstanceOf(error.cause, Error);
  }
  Deno.removeSync(file);
});

const KEPT = '() => { throw new Error("busy"); }';

/** Runs a program that fills a store in the directory and then ends; returns what it prints. */
async function run(
  directory: string,
  options: { readonly ending: string; readonly unlinkOpen?: string; readonly flags?: string[] },
): Promise<string> {
  const { ending, unlinkOpen = "unlinkSync", flags = [] } = options;
  const module = new URL("../../src/tree/disk_store.ts", import.meta.url).href;
  const script = `
    import process from "node:process";
    import { readdirSync, unlinkSync } from "node:fs";
    import { DiskStore } from ${JSON.stringify(module)};
    const directory = ${JSON.stringify(directory)};
    let store: DiskStore | undefined = new DiskStore({ directory, unlinkOpen: ${unlinkOpen} });
    store.read(store.write(new Uint8Array([1])), 1);
    console.log(readdirSync(directory).length);
    ${ending}
  `;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--ext=ts", ...flags, script],
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

for (
  const [way, ending] of Object.entries({
    "by itself": "",
    "by process.exit()": "process.exit(3);",
    "by Deno.exit()": "Deno.exit(3);",
  })
) {
  Deno.test(
    `a file that kept its name is removed when the process ends ${way}`,
    inDirectory(async (directory) => {
      assertEquals(await run(directory, { ending, unlinkOpen: KEPT }), "1\n");
    }),
  );
}

for (
  const [way, ending] of Object.entries({
    "by itself": "",
    "by an error that nobody catches": 'throw new Error("oops");',
    "by a signal that nobody can catch": 'process.kill(process.pid, "SIGKILL");',
  })
) {
  Deno.test(
    `a file without a name is gone when the process ends ${way}`,
    { ignore: Deno.build.os === "windows" },
    inDirectory(async (directory) => assertEquals(await run(directory, { ending }), "0\n")),
  );
}

Deno.test(
  "a file that kept its name is removed when its store is garbage",
  inDirectory(async (directory) => {
    const ending = `
      store = undefined;
      for (let tries = 0; tries < 200 && readdirSync(directory).length > 0; tries++) {
        (globalThis as unknown as { gc(): void }).gc();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      console.log(readdirSync(directory).length);
    `;
    const flags = ["--v8-flags=--expose-gc"];
    assertEquals(await run(directory, { ending, unlinkOpen: KEPT, flags }), "1\n0\n");
  }),
);
