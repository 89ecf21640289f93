import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { serveRoutes, serveSite } from "../support/fixture_server.ts";
import { ALL_PERMISSIONS, denoArgs, runCli } from "./run_cli.ts";

const ALL = { permissions: ALL_PERMISSIONS };

/** A folder for a test, removed after it. */
async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

Deno.test("--output writes a file in the format that its name stands for, gzipped or not", () =>
  inFolder(async (folder) => {
    await using server = serveSite("demo");
    const { stdout } = await runCli(["ls", "-f", "csv", server.url]);
    const written = await runCli(["ls", "-o", `${folder}/a.csv`, server.url], ALL);
    await runCli(["ls", `--output=${folder}/b.csv.gz`, server.url], ALL);
    assertEquals(written.stdout, "");
    assertEquals(await Deno.readTextFile(`${folder}/a.csv`), stdout);
    const packed = await Deno.readFile(`${folder}/b.csv.gz`);
    assertEquals(new TextDecoder().decode(gunzipSync(packed)), stdout);
    assertEquals(namesIn(folder), ["a.csv", "b.csv.gz"]);
  }));

Deno.test("--output replaces what a link leads to, and keeps the link and the mode", () =>
  inFolder(async (folder) => {
    await using server = serveSite("demo");
    await Deno.writeTextFile(`${folder}/old.txt`, "old", { mode: 0o600 });
    await Deno.symlink(`${folder}/old.txt`, `${folder}/link.txt`);
    await runCli(["ls", "-o", `${folder}/link.txt`, server.url], ALL);
    assertStringIncludes(await Deno.readTextFile(`${folder}/old.txt`), "/about\n");
    assertEquals((await Deno.lstat(`${folder}/link.txt`)).isSymlink, true);
    assertEquals((await Deno.stat(`${folder}/old.txt`)).mode! & 0o777, 0o600);
    assertEquals(namesIn(folder), ["link.txt", "old.txt"]);
  }));

Deno.test("--output leaves a file alone where nothing was found", () =>
  inFolder(async (folder) => {
    await using server = serveRoutes({});
    await Deno.writeTextFile(`${folder}/pages.txt`, "yesterday's\n");
    const { code } = await runCli(["ls", "-o", `${folder}/pages.txt`, server.url], ALL);
    assertEquals(code, 4);
    assertEquals(await Deno.readTextFile(`${folder}/pages.txt`), "yesterday's\n");
    assertEquals(namesIn(folder), ["pages.txt"]);
  }));

Deno.test("--output says what is wrong with a path before it asks for anything", () =>
  inFolder(async (folder) => {
    await using server = serveSite("demo");
    const [missing, isFolder, denied, log] = await Promise.all([
      runCli(["ls", "-o", `${folder}/no/such.csv`, server.url], ALL),
      runCli(["ls", "-o", folder, server.url], ALL),
      runCli(["ls", "-o", `${folder}/a.csv`, server.url]),
      runCli(["ls", "-l", `${folder}/no/such.log`, server.url], ALL),
    ]);
    assertEquals([missing, isFolder, denied, log].map(({ code }) => code), [1, 1, 1, 1]);
    assertMatch(missing.stderr, /^error: Cannot write ".*": there is no such folder\n {2}make /);
    assertMatch(isFolder.stderr, /^error: Cannot write ".*": it is a folder\n/);
    assertMatch(
      denied.stderr,
      /no permission\n {2}run or install it with --allow-read --allow-write\n$/,
    );
    assertMatch(log.stderr, /^error: Cannot write ".*such\.log": there is no such folder\n/);
    assertEquals(server.requests, []);
    assertEquals(namesIn(folder), []);
  }));

Deno.test("--output leaves nothing behind where the network may not be used", () =>
  inFolder(async (folder) => {
    const { code } = await runCli(["ls", "-o", `${folder}/a.csv`, "http://site.test/"], {
      permissions: ["--allow-read", "--allow-write"],
    });
    assertEquals([code, namesIn(folder)], [1, []]);
  }));

Deno.test("--output tells of a file that cannot take its name in the end, and leaves none", () =>
  inFolder(async (folder) => {
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
  }));

Deno.test({
  name: "a device that is full is told, and stays a device",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using server = serveSite("demo");
    const { code, stderr } = await runCli(["ls", "-o", "/dev/full", server.url], {
      permissions: ["--allow-all"],
    });
    assertEquals(code, 1);
    assertMatch(stderr, /^error: Cannot write "\/dev\/full": No space left on device/);
    assertEquals((await Deno.stat("/dev/full")).isCharDevice, true);
  },
});

Deno.test({
  name: "standard output that is full is told",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const command = [Deno.execPath(), ...denoArgs(["--version"], [])].join(" ");
    const { code, stderr } = await new Deno.Command("sh", {
      args: ["-c", `${command} > /dev/full`],
    }).output();
    assertEquals(code, 1);
    assertMatch(new TextDecoder().decode(stderr), /^error: No space left on device/);
  },
});

Deno.test("--output - is standard output", async () => {
  await using server = serveRoutes({ "/sitemap.txt": () => new Response("http://a.test/\n") });
  const { stdout } = await runCli(["ls", "-f", "pages", "-o", "-", server.url]);
  assertEquals(stdout, "http://a.test/\n");
});
