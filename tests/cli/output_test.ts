import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { gunzipSync } from "node:zlib";
import { Failure } from "../../src/cli/run/failure.ts";
import { Messages } from "../../src/cli/run/terminal.ts";
import { serveRoutes, serveSite } from "../support/fixture_server.ts";
import { test, testOnUnix } from "./folder_cases.ts";
import { openFile } from "./open_file.ts";
import { ALL_PERMISSIONS, commandWords, HAS_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import { USER } from "./unprivileged_process.ts";

const ALL = { permissions: ALL_PERMISSIONS };
const OPEN_FILE = new URL("./open_file.ts", import.meta.url).href;

const encoder = new TextEncoder();

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

test("--output writes the format of the file extension, gzipped or not", async (folder) => {
  await using server = serveSite("demo");
  const { stdout } = await runCli(["ls", "-f", "csv", server.url]);
  const written = await runCli(["ls", "-o", `${folder}/a.csv`, server.url], ALL);
  await runCli(["ls", `--output=${folder}/b.csv.gz`, server.url], ALL);
  assertEquals(written.stdout, "");
  assertEquals(await Deno.readTextFile(`${folder}/a.csv`), stdout);
  const packed = await Deno.readFile(`${folder}/b.csv.gz`);
  assertEquals(new TextDecoder().decode(gunzipSync(packed)), stdout);
  assertEquals(namesIn(folder), ["a.csv", "b.csv.gz"]);
});

test("--output replaces the target of a link, and keeps the link and the mode", async (folder) => {
  await using server = serveSite("demo");
  await Deno.writeTextFile(`${folder}/old.txt`, "old", { mode: 0o600 });
  await Deno.symlink(`${folder}/old.txt`, `${folder}/link.txt`);
  await runCli(["ls", "-o", `${folder}/link.txt`, server.url], ALL);
  assertStringIncludes(await Deno.readTextFile(`${folder}/old.txt`), "/about\n");
  assertEquals((await Deno.lstat(`${folder}/link.txt`)).isSymlink, true);
  assertEquals((await Deno.stat(`${folder}/old.txt`)).mode! & 0o777, 0o600);
  assertEquals(namesIn(folder), ["link.txt", "old.txt"]);
});

testOnUnix("--output creates the target of a dangling link, beside that target", async (folder) => {
  let names: string[] = [];
  await using server = serveRoutes({
    "/sitemap.txt": () => {
      names = namesIn(`${folder}/far`);
      return new Response("http://a.test/\n");
    },
  });
  await Deno.mkdir(`${folder}/far/links`, { recursive: true });
  await Deno.symlink("far", `${folder}/folder`);
  await Deno.symlink("folder/links/second.txt", `${folder}/first.txt`);
  await Deno.symlink("../pages.txt", `${folder}/far/links/second.txt`);
  const { code } = await runCli(["ls", "-o", `${folder}/first.txt`, server.url], ALL);
  assertEquals(code, 0);
  assertEquals(await Deno.readTextFile(`${folder}/far/pages.txt`), "http://a.test/\n");
  assertEquals(await Deno.readLink(`${folder}/first.txt`), "folder/links/second.txt");
  assertEquals(names.map((name) => name.replace(/[0-9a-f]{8}/, "…")), [
    ".pages.txt.….tmp",
    "links",
  ]);
  assertEquals(namesIn(`${folder}/far`), ["links", "pages.txt"]);
});

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

test("--output keeps the owner and the group of a file as superuser", async (folder) => {
  await Deno.writeTextFile(`${folder}/old.txt`, "old");
  await Deno.chown(`${folder}/old.txt`, 12345, 54321);
  await Deno.chmod(`${folder}/old.txt`, 0o640);
  const output = await openFile(`${folder}/old.txt`);
  await output.commit();
  const { uid, gid, mode } = await Deno.stat(`${folder}/old.txt`);
  assertEquals([uid, gid, mode! & 0o777], [12345, 54321, 0o640]);
}, Deno.build.os === "windows" || Deno.uid() !== 0);

testOnUnix("--output keeps other hard links of a file, and accepts long names", async (folder) => {
  const name = `${"n".repeat(240)}.txt`;
  await Deno.writeTextFile(`${folder}/other.txt`, "old");
  await Deno.link(`${folder}/other.txt`, `${folder}/${name}`);
  const output = await openFile(`${folder}/${name}`);
  await output.write(new TextEncoder().encode("new"));
  await output.commit();
  assertEquals(await Deno.readTextFile(`${folder}/${name}`), "new");
  assertEquals(await Deno.readTextFile(`${folder}/other.txt`), "old");
  assertEquals(namesIn(folder), [name, "other.txt"]);
});

// the superuser may write it
test("--output refuses a write-protected file", async (folder) => {
  await Deno.writeTextFile(`${folder}/old.txt`, "old", { mode: 0o444 });
  await assertRejects(() => openFile(`${folder}/old.txt`), Failure, "permission denied");
  assertEquals(namesIn(folder), ["old.txt"]);
}, Deno.build.os === "windows" || Deno.uid() === 0);

testOnUnix("--output writes to the pipe that a link leads to, and keeps both", async (folder) => {
  await using server = serveRoutes({ "/sitemap.txt": () => new Response("http://a.test/\n") });
  await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
  await Deno.symlink("pipe", `${folder}/link.txt`);
  const reader = new Deno.Command("cat", { args: [`${folder}/pipe`] }).output();
  const { code } = await runCli(["ls", "-o", `${folder}/link.txt`, server.url], ALL);
  assertEquals([code, new TextDecoder().decode((await reader).stdout)], [
    0,
    "http://a.test/\n",
  ]);
  assertEquals((await Deno.lstat(`${folder}/pipe`)).isFifo, true);
  assertEquals(namesIn(folder), ["link.txt", "pipe"]);
});

testOnUnix(
  "--output /dev/stdout is standard output, and appends like it",
  async (folder) => {
    await using server = serveRoutes({ "/sitemap.txt": () => new Response("http://a.test/\n") });
    await Deno.writeTextFile(`${folder}/out`, "first\n");
    const words = commandWords(["ls", "-f", "pages", "-o", "/dev/stdout", server.url]);
    const command = words.map((word) => `'${word}'`).join(" ");
    await new Deno.Command("sh", { args: ["-c", `${command} >> out`], cwd: folder }).output();
    assertEquals(await Deno.readTextFile(`${folder}/out`), "first\nhttp://a.test/\n");
  },
);

test("--output keeps an existing file if no sitemap was found", async (folder) => {
  await using server = serveRoutes({});
  await Deno.writeTextFile(`${folder}/pages.txt`, "yesterday's\n");
  const { code } = await runCli(["ls", "-o", `${folder}/pages.txt`, server.url], ALL);
  assertEquals(code, 4);
  assertEquals(await Deno.readTextFile(`${folder}/pages.txt`), "yesterday's\n");
  assertEquals(namesIn(folder), ["pages.txt"]);
});

test("--output reports an unusable path before any request", async (folder) => {
  await using server = serveSite("demo");
  const [missing, isFolder, log, slash] = await Promise.all([
    runCli(["ls", "-o", `${folder}/no/such.csv`, server.url], ALL),
    runCli(["ls", "-o", folder, server.url], ALL),
    runCli(["ls", "-l", `${folder}/no/such.log`, server.url], ALL),
    runCli(["ls", "-o", `${folder}/no/`, server.url], ALL),
  ]);
  assertEquals([missing, isFolder, log, slash].map(({ code }) => code), [1, 1, 1, 1]);
  assertMatch(missing.stderr, /^error: Cannot write ".*": no such folder\n {2}create /);
  assertMatch(slash.stderr, /^error: Cannot write ".*": no such folder\n/);
  assertMatch(isFolder.stderr, /^error: Cannot write ".*": it is a folder\n/);
  assertMatch(log.stderr, /^error: Cannot write ".*such\.log": no such folder\n/);
  assertEquals(server.requests, []);
  assertEquals(namesIn(folder), []);
});

testOnUnix("--output reports an unusable link", async (folder) => {
  await Deno.symlink("loop.txt", `${folder}/loop.txt`);
  await Deno.symlink("no/such.txt", `${folder}/lost.txt`);
  await Deno.symlink(".", `${folder}/folder.txt`);
  const reasons: readonly (readonly [name: string, reason: string])[] = [
    ["loop.txt", "too many symbolic links"],
    ["lost.txt", "no such folder"],
    ["folder.txt", "it is a folder"],
  ];
  for (const [name, reason] of reasons) {
    const error = await assertRejects(() => openFile(`${folder}/${name}`), Failure);
    assertEquals(error.message, `Cannot write "${folder}/${name}": ${reason}`);
  }
  assertEquals(namesIn(folder), ["folder.txt", "loop.txt", "lost.txt"]);
});

Deno.test("--output reports a path that the system protects", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  // not even the superuser may create files there
  const error = await assertRejects(() => openFile("/sys/pages.txt"), Failure);
  assertMatch(error.message, /^Cannot write "\/sys\/pages\.txt": [\w -]+$/);
});

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

test("a temporary file is named after its file, and a leftover one is reported and kept", async (folder) => {
  const path = `${folder}/pages.txt`;
  const others = [
    ".pages.txt.abcdef12.tmp.txt",
    ".pages.txt.abcdef1.tmp",
    ".pages.txt.gz.abcdef12.tmp",
    ".pages.txt.ABCDEF12.tmp",
    "pages.txt.abcdef12.tmp",
  ];
  for (const name of others) await Deno.writeTextFile(`${folder}/${name}`, "");
  const first = new RecordedNotes();
  const unfinished = await openFile(path, first);
  assertEquals(first.lines, []);
  const [left = ""] = namesIn(folder).filter((name) => !others.includes(name));
  assertMatch(left, /^\.pages\.txt\.[0-9a-f]{8}\.tmp$/);
  const second = new RecordedNotes();
  const output = await openFile(path, second);
  assertEquals(second.lines, [`Found "${folder}/${left}": output of an unfinished run`]);
  const third = new RecordedNotes();
  (await openFile(path, third)).discard();
  assertMatch(third.lines.join("\n"), /^Found ".*" and 1 more: output of an unfinished run$/);
  await output.write(encoder.encode("a\n"));
  await output.commit();
  assertEquals(namesIn(folder), [left, "pages.txt", ...others].sort());
  unfinished.discard();
});

testOnUnix("--output names the temporary file of a killed run, and keeps it", async (folder) => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode("http://a.test/\n")),
  });
  const requested = Promise.withResolvers<void>();
  await using hanging = serveRoutes({
    "/robots.txt": () => {
      requested.resolve();
      return new Response(body);
    },
  });
  await using server = serveRoutes({ "/sitemap.txt": () => new Response("http://a.test/\n") });
  const child = startCli(["ls", "-o", `${folder}/a.txt`, hanging.url], ALL);
  await requested.promise;
  child.kill("SIGKILL");
  await Promise.all([child.stdout.cancel(), child.stderr.cancel(), child.status]);
  const [left, ...none] = namesIn(folder);
  assertEquals(none, []);
  const next = await runCli(["ls", "-o", `${folder}/a.txt`, server.url], ALL);
  assertEquals([next.code, next.stderr], [
    0,
    `Found "${folder}/${left}": output of an unfinished run\n`,
  ]);
  const others = [["-o", `${folder}/b.txt`], ["-q", "-o", `${folder}/a.txt`]];
  for (const args of others) {
    assertEquals((await runCli(["ls", ...args, server.url], ALL)).stderr, "");
  }
  assertEquals(namesIn(folder), [left, "a.txt", "b.txt"]);
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
  const taken = await runCli(["ls", "-o", `${folder}/taken.txt`, server.url], ALL);
  unsettle = () => namesIn(folder).forEach((name) => Deno.removeSync(`${folder}/${name}`));
  const gone = await runCli(["ls", "-o", `${folder}/gone.txt.gz`, server.url], ALL);
  assertEquals([taken.code, gone.code], [1, 1]);
  assertMatch(taken.stderr, /^error: Cannot write ".*taken\.txt": it is a folder\n/);
  assertMatch(gone.stderr, /^error: Cannot write ".*gone\.txt\.gz": /);
  assertEquals(namesIn(folder), []);
});

test("--output reports a full device, and does not replace it", async (folder) => {
  await using server = serveSite("demo");
  await Deno.symlink("/dev/full", `${folder}/full.gz`);
  for (const path of ["/dev/full", `${folder}/full.gz`]) {
    const options = { permissions: ["--allow-all"] };
    const { code, stderr } = await runCli(["ls", "-o", path, server.url], options);
    assertEquals(code, 1);
    assertEquals(stderr, `error: Cannot write "${path}": no space left on device\n`);
  }
  assertEquals((await Deno.stat("/dev/full")).isCharDevice, true);
}, Deno.build.os !== "linux");

Deno.test("a full standard output is reported", { ignore: Deno.build.os !== "linux" }, async () => {
  const command = commandWords(["--version"], []).join(" ");
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-c", `${command} > /dev/full`],
  }).output();
  assertEquals(code, 1);
  assertMatch(
    new TextDecoder().decode(stderr),
    /^error: Cannot write "\/dev\/stdout": no space left on device\n/,
  );
});

Deno.test("--output - is standard output", async () => {
  await using server = serveRoutes({ "/sitemap.txt": () => new Response("http://a.test/\n") });
  const { stdout } = await runCli(["ls", "-f", "pages", "-o", "-", server.url]);
  assertEquals(stdout, "http://a.test/\n");
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
