/** Output files: transcripts, access of other users, and files of interrupted and killed runs. @module */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { Failure } from "../../src/cli/failure.ts";
import { Messages } from "../../src/cli/run/terminal.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { test, testOnUnix } from "./folder_cases.ts";
import { openFile } from "./open_file.ts";
import { ALL_PERMISSIONS, HAS_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import { transcripts } from "./transcript.ts";
import { USER } from "./unprivileged_process.ts";

const IS_WINDOWS = Deno.build.os === "windows";
const OPEN_FILE = new URL("./open_file.ts", import.meta.url).href;

const encoder = new TextEncoder();

transcripts("output", {
  full: { permissions: ["--allow-all"], ignore: Deno.build.os !== "linux" },
  owner: { ignore: IS_WINDOWS || Deno.uid() !== 0 },
}, { ignore: IS_WINDOWS });

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

testOnUnix(
  "a temporary file has at most the permissions of the file it replaces",
  async (folder) => {
    const { open } = Deno;
    const modes: number[] = [];
    const deno = Deno as { open: typeof open };
    deno.open = async (...args) => {
      const file = await open(...args);
      modes.push((await file.stat()).mode! & 0o777);
      return file;
    };
    try {
      for (const mode of [0o600, 0o640, 0o666]) {
        await Deno.writeTextFile(`${folder}/old.txt`, "old");
        await Deno.chmod(`${folder}/old.txt`, mode);
        modes.length = 0;
        const output = await openFile(`${folder}/old.txt`);
        // the old file is opened too, to check that it is writable
        assertEquals(modes, [mode, 0o600]);
        await output.write(new TextEncoder().encode("new"));
        await output.commit();
        assertEquals((await Deno.stat(`${folder}/old.txt`)).mode! & 0o777, mode);
        assertEquals(await Deno.readTextFile(`${folder}/old.txt`), "new");
      }
      modes.length = 0;
      (await openFile(`${folder}/new.txt`)).discard();
      assertEquals(modes, [0o666 & ~Deno.umask()]);
    } finally {
      deno.open = open;
    }
    assertEquals(namesIn(folder), ["old.txt"]);
  },
);

// the superuser may write it
test("--output refuses a write-protected file", async (folder) => {
  await Deno.writeTextFile(`${folder}/old.txt`, "old", { mode: 0o444 });
  await assertRejects(() => openFile(`${folder}/old.txt`), Failure, "permission denied");
  assertEquals(namesIn(folder), ["old.txt"]);
}, Deno.build.os === "windows" || Deno.uid() === 0);

Deno.test("gzipped output does not keep written bytes in memory", async () => {
  const script = `
    import { openFile } from ${JSON.stringify(OPEN_FILE)};
    const path = Deno.makeTempDirSync() + "/a.gz";
    const output = await openFile(path);
    const piece = new TextEncoder().encode("https://example.com/a,0.5,,\\r\\n");
    async function heapAfter(writes) {
      for (let at = 0; at < writes; at++) await output.write(piece);
      gc();
      return Deno.memoryUsage().heapUsed;
    }
    const before = await heapAfter(5_000);
    const after = await heapAfter(20_000);
    console.log((after - before) / 20_000);
    output.discard();
    Deno.removeSync(path.slice(0, -5), { recursive: true });
  `;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--v8-flags=--expose-gc", script],
  }).output();
  const bytes = Number(new TextDecoder().decode(stdout) || NaN);
  // a promise per write would take more
  assert(bytes < 30, `${bytes} bytes a write ${new TextDecoder().decode(stderr)}`);
});

test("keepPartial() renames to NAME.part with the mode of NAME, and keeps NAME", async (folder) => {
  await Deno.writeTextFile(`${folder}/pages.txt`, "old");
  await Deno.chmod(`${folder}/pages.txt`, 0o640);
  await Deno.writeTextFile(`${folder}/pages.txt.part`, "older");
  const output = await openFile(`${folder}/pages.txt`);
  await output.write(encoder.encode("a\nb\n"));
  assertEquals(await output.keepPartial(), `${folder}/pages.txt.part`);
  output.discard();
  assertEquals(await Deno.readTextFile(`${folder}/pages.txt`), "old");
  assertEquals(await Deno.readTextFile(`${folder}/pages.txt.part`), "a\nb\n");
  assertEquals((await Deno.stat(`${folder}/pages.txt.part`)).mode! & 0o777, 0o640);
  assertEquals(namesIn(folder), ["pages.txt", "pages.txt.part"]);
});

test("keepPartial() completes gzip", async (folder) => {
  const output = await openFile(`${folder}/pages.ndjson.gz`);
  for (const line of ["a\n", "b\n"]) await output.write(encoder.encode(line));
  assertEquals(await output.keepPartial(), `${folder}/pages.ndjson.gz.part`);
  const packed = await Deno.readFile(`${folder}/pages.ndjson.gz.part`);
  assertEquals(new TextDecoder().decode(gunzipSync(packed)), "a\nb\n");
  assertEquals(namesIn(folder), ["pages.ndjson.gz.part"]);
});

test("keepPartial() keeps nothing of an empty or committed file, and reports a failed rename", async (folder) => {
  const empty = await openFile(`${folder}/empty.txt`);
  assertEquals(await empty.keepPartial(), undefined);
  const committed = await openFile(`${folder}/committed.txt`);
  await committed.write(encoder.encode("a\n"));
  await committed.commit();
  assertEquals(await committed.keepPartial(), undefined);
  const taken = await openFile(`${folder}/taken.txt`);
  await taken.write(encoder.encode("a\n"));
  await Deno.mkdir(`${folder}/taken.txt.part`);
  await assertRejects(
    () => taken.keepPartial(),
    Failure,
    `Cannot write "${folder}/taken.txt.part"`,
  );
  assertEquals(namesIn(folder), ["committed.txt", "taken.txt.part"]);
});

test("keepPartialSync() appends the rest, and discards a file that it cannot complete", async (folder) => {
  const rest = encoder.encode("b\n");
  const whole = await openFile(`${folder}/whole.txt`);
  await whole.write(encoder.encode("a\n"));
  assertEquals(whole.keepPartialSync(rest), `${folder}/whole.txt.part`);
  const zipped = await openFile(`${folder}/zipped.txt.gz`);
  await zipped.write(encoder.encode("a\n"));
  assertEquals(zipped.keepPartialSync(rest), undefined);
  const busy = await openFile(`${folder}/busy.txt`);
  await busy.write(encoder.encode("a\n"));
  const writing = busy.write(encoder.encode("x".repeat(1_000_000)));
  assertEquals(busy.keepPartialSync(rest), undefined);
  await writing.catch(() => {});
  assertEquals(await Deno.readTextFile(`${folder}/whole.txt.part`), "a\nb\n");
  assertEquals(namesIn(folder), ["whole.txt.part"]);
});

/** Messages of an output, as they would be printed. */
class RecordedNotes extends Messages {
  readonly lines: string[] = [];

  override note(line: string): void {
    this.lines.push(line);
  }
}

testOnUnix("a killed run leaves its temporary file beside the target of a link", async (folder) => {
  const requested = Promise.withResolvers<void>();
  await using server = serveRoutes({
    "*": () => {
      requested.resolve();
      return new Response(new ReadableStream<Uint8Array<ArrayBuffer>>({}));
    },
  });
  await Deno.mkdir(`${folder}/far`);
  await Deno.symlink("far/pages.txt", `${folder}/link.txt`);
  const args = ["ls", "-o", `${folder}/link.txt`, server.url];
  const child = startCli(args, { permissions: ALL_PERMISSIONS });
  await requested.promise;
  child.kill("SIGKILL");
  await Promise.all([child.stdout.cancel(), child.stderr.cancel(), child.status]);
  assertMatch(namesIn(`${folder}/far`).join(), /^\.pages\.txt\.[0-9a-f]{8}\.tmp$/);
});

test("--output keeps no file without permission for the network", async (folder) => {
  const permissions = ["--allow-read", "--allow-write"];
  const args = ["ls", "-o", `${folder}/a.csv`, "http://site.test/"];
  const { code } = await runCli(args, { permissions });
  assertEquals([code, namesIn(folder)], [1, []]);
}, !HAS_PERMISSIONS);

test("--output reports a file that cannot be renamed, and removes it", async (folder) => {
  let unsettle: () => void = () => {};
  await using server = serveRoutes({
    "/sitemap.txt": () => {
      unsettle();
      return new Response("http://a.test/\n");
    },
  });
  unsettle = () => Deno.mkdirSync(`${folder}/taken.txt`);
  const taken = await runCli(["ls", "-o", `${folder}/taken.txt`, server.url], {
    permissions: ALL_PERMISSIONS,
  });
  unsettle = () => namesIn(folder).forEach((name) => Deno.removeSync(`${folder}/${name}`));
  const gone = await runCli(["ls", "-o", `${folder}/gone.txt.gz`, server.url], {
    permissions: ALL_PERMISSIONS,
  });
  assertEquals([taken.code, gone.code], [1, 1]);
  assertMatch(taken.stderr, /^error: Cannot write ".*taken\.txt": it is a folder\n/);
  assertMatch(gone.stderr, /^error: Cannot write ".*gone\.txt\.gz": /);
  assertEquals(namesIn(folder), []);
});

/** Owner, group and mode of a file, and those of the one that another user replaces it by. */
interface AccessCase {
  readonly owner: number;
  readonly group: number;
  readonly mode: number;
  /** Mode of the new file; `undefined` if the old one stays. */
  readonly becomes: number | undefined;
}

const OTHER_OWNER = 12345, OTHER_GROUP = 54321;

const ACCESS: readonly AccessCase[] = [
  { owner: USER, group: USER, mode: 0o640, becomes: 0o640 },
  { owner: USER, group: USER, mode: 0o666, becomes: 0o666 },
  { owner: OTHER_OWNER, group: USER, mode: 0o660, becomes: 0o660 },
  // the group of the user gets what others have
  { owner: USER, group: OTHER_GROUP, mode: 0o600, becomes: 0o600 },
  { owner: USER, group: OTHER_GROUP, mode: 0o640, becomes: 0o600 },
  { owner: USER, group: OTHER_GROUP, mode: 0o664, becomes: 0o644 },
  { owner: USER, group: OTHER_GROUP, mode: 0o604, becomes: 0o644 },
  { owner: USER, group: OTHER_GROUP, mode: 0o775, becomes: 0o755 },
  { owner: OTHER_OWNER, group: OTHER_GROUP, mode: 0o662, becomes: 0o622 },
  { owner: OTHER_OWNER, group: OTHER_GROUP, mode: 0o646, becomes: 0o666 },
  // write-protected
  { owner: USER, group: USER, mode: 0o444, becomes: undefined },
  { owner: USER, group: USER, mode: 0o466, becomes: undefined },
  { owner: OTHER_OWNER, group: USER, mode: 0o646, becomes: undefined },
  { owner: OTHER_OWNER, group: OTHER_GROUP, mode: 0o664, becomes: undefined },
];

// only the superuser can give files to other users, and become one of them
test(
  "--output by another user gives the group of that user the access of others",
  async (folder) => {
    await Deno.chown(folder, USER, USER);
    const paths = ACCESS.map((_, at) => `${folder}/${at}.txt`);
    for (const [at, { owner, group, mode }] of ACCESS.entries()) {
      await Deno.writeTextFile(paths[at]!, "old");
      await Deno.chown(paths[at]!, owner, group);
      await Deno.chmod(paths[at]!, mode);
    }
    const program = new URL("unprivileged_process.ts", import.meta.url).href;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", program, ...paths],
    }).output();
    const errors = new TextDecoder().decode(stdout).split("\n");
    for (const [at, { owner, group, mode, becomes }] of ACCESS.entries()) {
      const path = paths[at]!, found = await Deno.stat(path);
      assertEquals(
        [errors[at], found.uid, found.gid, (found.mode! & 0o777).toString(8)],
        becomes === undefined
          ? [`Cannot write "${path}": permission denied`, owner, group, mode.toString(8)]
          : ["", USER, USER, becomes.toString(8)],
        `${JSON.stringify(ACCESS[at])} ${new TextDecoder().decode(stderr)}`,
      );
    }
    assertEquals(namesIn(folder).length, ACCESS.length);
  },
  Deno.build.os === "windows" || Deno.uid() !== 0,
);

test("a leftover temporary file is found if its name ends inside a character", async (folder) => {
  // the name of the temporary file has 60 UTF-16 units of it
  const path = `${folder}/${"n".repeat(59)}😀.txt`;
  const unfinished = await openFile(path);
  const [left = ""] = namesIn(folder);
  const messages = new RecordedNotes();
  (await openFile(path, messages)).discard();
  assertEquals(messages.lines, [`Found "${folder}/${left}": output of an unfinished run`]);
  unfinished.discard();
});
