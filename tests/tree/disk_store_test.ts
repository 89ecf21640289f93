import {
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import process from "node:process";
import { inFolder } from "../support/in_folder.ts";
import { diskStore } from "../../src/tree/disk_store.ts";
import type { PageStore } from "../../src/tree/page_store.ts";

/** Simulates a system that cannot unlink an open file. */
function refuseUnlink(): never {
  throw new Error("busy");
}

function names(directory: string): string[] {
  return Array.from(Deno.readDirSync(directory), (entry) => entry.name);
}

/** Defines a test that must leave its directory empty. */
function testInDirectory(
  name: string,
  test: (directory: string) => void | Promise<void>,
  { ignore = false } = {},
): void {
  Deno.test(name, { ignore }, () =>
    inFolder(async (directory) => {
      await test(directory);
      assertEquals(names(directory), []);
    }));
}

const NOT_ON_WINDOWS = { ignore: Deno.build.os === "windows" };

/** Makes the store write to its file. */
function fill(store: PageStore): void {
  for (let at = 0; at < 3; at++) store.write(new Uint8Array(200_000));
}

Deno.test("diskStore() reads back runs of every size in any order", () => {
  using store = diskStore();
  const sizes = [0, 1, 70_000, 3, 256 * 1024, 300_000, 1_000_000, 10, ...Array(500).fill(1999)];
  const runs = sizes.map((size, i) => new Uint8Array(size).fill(i + 1));
  const addresses = runs.map((run) => store.write(run));
  const check = (run: Uint8Array, i: number) =>
    assertEquals(indexOfOther(store.read(addresses[i]!, run.length), run), -1);
  runs.forEach(check);
  for (let i = runs.length - 1; i >= 0; i -= 7) check(runs[i]!, i);
});

/** Returns the first difference of two arrays or −1, to keep failure messages short. */
function indexOfOther(actual: Uint8Array, expected: Uint8Array): number {
  if (actual.length !== expected.length) return Math.min(actual.length, expected.length);
  return actual.findIndex((byte, i) => byte !== expected[i]);
}

Deno.test("diskStore() reads between writes", () => {
  using store = diskStore();
  const first = store.write(new Uint8Array([1, 2]));
  assertEquals([...store.read(first, 2)], [1, 2]);
  const second = store.write(new Uint8Array([3, 4, 5]));
  assertEquals([...store.read(second, 3)], [3, 4, 5]);
  assertEquals([...store.read(first, 2)], [1, 2]);
});

testInDirectory(
  "diskStore() unlinks its file while open where the system permits it",
  (directory) => {
    using store = diskStore({ directory });
    fill(store);
    assertEquals(names(directory), []);
  },
  NOT_ON_WINDOWS,
);

testInDirectory("diskStore() leaves no file if unused", (directory) => {
  const store = diskStore({ directory, unlinkOpen: refuseUnlink });
  assertEquals(names(directory).length, 1);
  store[Symbol.dispose]();
  assertEquals(names(directory), []);
});

testInDirectory("diskStore() removes a file that kept its name on dispose", (directory) => {
  const store = diskStore({ directory, unlinkOpen: refuseUnlink });
  fill(store);
  assertEquals(names(directory).length, 1);
  assertMatch(names(directory)[0]!, /^sitetree-[\w-]+\.pages$/);
  store[Symbol.dispose]();
  store[Symbol.dispose]();
  assertEquals(names(directory), []);
});

testInDirectory("diskStore() can be disposed of after its file was removed", (directory) => {
  const store = diskStore({ directory, unlinkOpen: refuseUnlink });
  fill(store);
  Deno.removeSync(`${directory}/${names(directory)[0]}`);
  store[Symbol.dispose]();
  assertThrows(() => fill(store), TypeError, "disposed");
});

testInDirectory(
  "diskStore() listens for the exit of the process without a warning about many listeners",
  (directory) => {
    const listeners = () => [process.listenerCount("exit"), process.getMaxListeners()];
    const before = listeners();
    const options = { directory, unlinkOpen: refuseUnlink };
    const stores = Array.from({ length: 20 }, () => diskStore(options));
    stores.forEach(fill);
    assertEquals(listeners(), before.map((count) => count + 20));
    for (const store of stores) store[Symbol.dispose]();
    assertEquals(listeners(), before);
  },
);

Deno.test("diskStore() throws once disposed of", () => {
  const store = diskStore();
  const address = store.write(new Uint8Array([1]));
  store[Symbol.dispose]();
  assertThrows(() => store.read(address, 1), TypeError, "disposed");
  assertThrows(() => store.write(new Uint8Array([1])), TypeError, "disposed");
});

Deno.test("diskStore() throws if its file cannot be created", () => {
  const file = Deno.makeTempFileSync();
  const refusals: readonly (readonly [directory: string, reason: RegExp])[] = [
    ["/there/is/no/such/directory", /: ENOENT: no such file or directory$/],
    [file, /: ENOTDIR: not a directory$/],
    // Read-only even for the superuser.
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

/** Runs a program that fills a store in the directory; returns its output. */
async function run(
  directory: string,
  options: { readonly ending: string; readonly unlinkOpen?: string; readonly flags?: string[] },
): Promise<string> {
  const { ending, unlinkOpen = "unlinkSync", flags = [] } = options;
  const module = new URL("../../src/tree/disk_store.ts", import.meta.url).href;
  const script = `
    import process from "node:process";
    import { readdirSync, unlinkSync } from "node:fs";
    import { diskStore } from ${JSON.stringify(module)};
    const directory = ${JSON.stringify(directory)};
    let store: ReturnType<typeof diskStore> | undefined = diskStore({ directory, unlinkOpen: ${unlinkOpen} });
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
  testInDirectory(
    `diskStore() removes a file that kept its name when the process ends ${way}`,
    async (directory) => {
      assertEquals(await run(directory, { ending, unlinkOpen: KEPT }), "1\n");
    },
  );
}

for (
  const [way, ending] of Object.entries({
    "by itself": "",
    "by an uncaught error": 'throw new Error("oops");',
    "by SIGKILL": 'process.kill(process.pid, "SIGKILL");',
  })
) {
  testInDirectory(`diskStore() leaves no file when the process ends ${way}`, async (directory) => {
    assertEquals(await run(directory, { ending }), "0\n");
  }, NOT_ON_WINDOWS);
}

testInDirectory(
  "diskStore() removes a file that kept its name when garbage collected",
  async (directory) => {
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
  },
);
