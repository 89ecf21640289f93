import {
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import process from "node:process";
import { inFolder } from "../support/in_folder.ts";
import { SpillBuffer } from "../../src/bytes/spill_buffer.ts";

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

/** Returns a buffer that has its file from the beginning. */
function open(options: ConstructorParameters<typeof SpillBuffer>[1] = {}): SpillBuffer {
  const buffer = new SpillBuffer(1024 * 1024, options);
  buffer.openFile();
  return buffer;
}

/** Makes the buffer write to its file. */
function fill(buffer: SpillBuffer): void {
  for (let at = 0; at < 3; at++) buffer.write(new Uint8Array(200_000));
}

testInDirectory(
  "a SpillBuffer unlinks its file while open where the system permits it",
  (directory) => {
    using buffer = open({ directory });
    fill(buffer);
    assertEquals(names(directory), []);
  },
  NOT_ON_WINDOWS,
);

testInDirectory("a SpillBuffer removes a file that kept its name on dispose", (directory) => {
  const buffer = open({ directory, unlinkOpen: refuseUnlink });
  fill(buffer);
  assertEquals(names(directory).length, 1);
  assertMatch(names(directory)[0]!, /^sitetree-[\w-]+\.pages$/);
  buffer[Symbol.dispose]();
  buffer[Symbol.dispose]();
  assertEquals(names(directory), []);
});

testInDirectory("a SpillBuffer can be disposed of after its file was removed", (directory) => {
  const buffer = open({ directory, unlinkOpen: refuseUnlink });
  fill(buffer);
  Deno.removeSync(`${directory}/${names(directory)[0]}`);
  buffer[Symbol.dispose]();
  assertThrows(() => fill(buffer), TypeError, "disposed");
});

testInDirectory(
  "a SpillBuffer listens for the exit of the process without a warning about many listeners",
  (directory) => {
    const listeners = () => [process.listenerCount("exit"), process.getMaxListeners()];
    const before = listeners();
    const options = { directory, unlinkOpen: refuseUnlink };
    const buffers = Array.from({ length: 20 }, () => open(options));
    buffers.forEach(fill);
    assertEquals(listeners(), before.map((count) => count + 20));
    for (const buffer of buffers) buffer[Symbol.dispose]();
    assertEquals(listeners(), before);
  },
);

Deno.test("a SpillBuffer throws if its file cannot be created", () => {
  const file = Deno.makeTempFileSync();
  const refusals: readonly (readonly [directory: string, reason: RegExp])[] = [
    ["/there/is/no/such/directory", /: ENOENT: no such file or directory$/],
    [file, /: ENOTDIR: not a directory$/],
    // Read-only even for the superuser.
    ...(Deno.build.os === "linux" ? [["/sys", /: (?:EACCES|EROFS|EPERM): [\w -]+$/] as const] : []),
  ];
  for (const [directory, reason] of refusals) {
    const error = assertThrows(() => open({ directory }), Error);
    assertMatch(error.message, reason);
    assertStringIncludes(error.message, `Cannot create a temporary file in "${directory}": `);
    assertInstanceOf(error.cause, Error);
  }
  Deno.removeSync(file);
});

const KEPT = '() => { throw new Error("busy"); }';

/** Runs a program that writes in the directory; returns its output. */
async function run(
  directory: string,
  options: { readonly ending: string; readonly unlinkOpen?: string; readonly flags?: string[] },
): Promise<string> {
  const { ending, unlinkOpen = "unlinkSync", flags = [] } = options;
  const module = new URL("../../src/bytes/spill_buffer.ts", import.meta.url).href;
  const script = `
    import process from "node:process";
    import { readdirSync, unlinkSync } from "node:fs";
    import { SpillBuffer } from ${JSON.stringify(module)};
    const directory = ${JSON.stringify(directory)};
    let buffer: SpillBuffer | undefined = new SpillBuffer(0, { directory, unlinkOpen: ${unlinkOpen} });
    buffer.read(buffer.write(new Uint8Array([1])), 1);
    console.log(readdirSync(directory).length);
    ${ending}
  `;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--ext=ts", ...flags, script],
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

/** Ends of a process, and whether the file has to have lost its name before. */
const ENDINGS: readonly (readonly [way: string, ending: string, unlinks: boolean])[] = [
  ["by itself", "", false],
  ["by process.exit()", "process.exit(3);", false],
  ["by Deno.exit()", "Deno.exit(3);", false],
  ["by itself", "", true],
  ["by an uncaught error", 'throw new Error("oops");', true],
  ["by SIGKILL", 'process.kill(process.pid, "SIGKILL");', true],
];

for (const [way, ending, unlinks] of ENDINGS) {
  const what = unlinks ? "leaves no file" : "removes a file that kept its name";
  testInDirectory(`a SpillBuffer ${what} when the process ends ${way}`, async (directory) => {
    const options = { ending, ...(unlinks ? {} : { unlinkOpen: KEPT }) };
    assertEquals(await run(directory, options), unlinks ? "0\n" : "1\n");
  }, unlinks ? NOT_ON_WINDOWS : {});
}

testInDirectory(
  "a SpillBuffer removes a file that kept its name when garbage collected",
  async (directory) => {
    const ending = `
      buffer = undefined;
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
