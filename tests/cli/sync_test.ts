import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { eTag, ifNoneMatch } from "@std/http/etag";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { test as testInFolder } from "./folder_cases.ts";
import { ALL_PERMISSIONS, type CliResult, HAS_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import { closedUrl } from "./sites.ts";
import { assertSteps, type CommandLine } from "./transcript.ts";

/** Documents by path, which a test may change between runs. */
type Documents = Record<string, string | ReadableStream<Uint8Array<ArrayBuffer>>>;

/** Serves documents with ETags, with `{{origin}}` replaced. */
function serve(documents: Documents): FixtureServer {
  return serveRoutes({ "*": (request, path) => answer(documents, request, path) });
}

async function answer(
  documents: Documents,
  request: Request,
  path: string,
): Promise<Response | undefined> {
  const document = documents[path];
  if (document === undefined) return undefined;
  if (typeof document !== "string") return new Response(document);
  const body = document.replaceAll("{{origin}}", new URL(request.url).origin);
  const etag: string = await eTag(body);
  const isModified = ifNoneMatch(request.headers.get("if-none-match"), etag);
  return isModified
    ? new Response(body, { headers: { etag } })
    : new Response(null, { status: 304, headers: { etag } });
}

function urlset(...entries: string[]): string {
  const urls = entries.map((entry) => {
    const [path = "", lastmod] = entry.split(" ");
    const date = lastmod === undefined ? "" : `<lastmod>${lastmod}</lastmod>`;
    return `<url><loc>{{origin}}${path}</loc>${date}</url>`;
  });
  return `<urlset>${urls.join("")}</urlset>`;
}

const ROBOTS = "Sitemap: {{origin}}/a.xml\nSitemap: {{origin}}/b.xml\n";

function smallSite(): Documents {
  return {
    "/robots.txt": ROBOTS,
    "/a.xml": urlset("/1 2024-05-01", "/2", "/3"),
    "/b.xml": urlset("/3", "/4"),
  };
}

interface Place {
  readonly folder: string;
  /** Returns a command that runs in the folder. */
  readonly command: (...args: string[]) => CommandLine & { readonly args: readonly string[] };
  readonly run: (...args: string[]) => Promise<CliResult>;
}

function test(name: string, run: (place: Place) => Promise<void>, ignore = false): void {
  testInFolder(name, (folder) => {
    const options = { cwd: folder, permissions: ALL_PERMISSIONS };
    return run({
      folder,
      command: (...args) => ({ args, options }),
      run: (...args) => runCli(args, options),
    });
  }, ignore);
}

function testOnUnix(name: string, run: (place: Place) => Promise<void>): void {
  test(name, run, Deno.build.os === "windows");
}

function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

test("sync updates a snapshot, and changes, ls and report read it", async ({ command }) => {
  const documents = smallSite();
  await using server = serve(documents);
  const sync = ["sync", "-k", server.url, "site.db", "--confirm-after", "50ms"];
  await assertSteps("sync", { site: server.url }, [
    command(...sync),
    command(...sync, "-f", "text"),
    command("changes", "site.db", "--exit-code"),
    () => {
      documents["/a.xml"] = urlset("/1 2024-05-02", "/2", "/5\u009b");
      delete documents["/b.xml"];
    },
    command(...sync, "-f", "text", "--dry-run"),
    command(...sync, "-v", "-f", "csv"),
    command("changes", "site.db", "--exit-code"),
    command("changes", "site.db", "-f", "ndjson"),
    command("changes", "site.db", "--after", "0", "-f", "csv"),
    command("changes", "site.db", "--after", "5"),
    command("changes", "site.db", "--after", "6"),
    command("changes", "site.db", "--since", "2000-01-01", "-f", "json"),
    command("changes", "site.db", "--since", "2000-01-01", "--summary"),
    command("changes", "site.db", "--summary", "-f", "ndjson"),
    command("ls", "site.db"),
    command("ls", "site.db", "-f", "pages", "--match", "/[12]$"),
    command("ls", "site.db", "--sitemaps", "-f", "csv"),
    command(...sync, "-q"),
    command("changes", "site.db"),
    command("snapshot", "sites", "site.db"),
    command("snapshot", "runs", "site.db"),
    command("snapshot", "runs", "site.db", "-f", "csv", "--site", server.url),
  ]);
  assertEquals(server.counts["/a.xml"], 5);
});

test("the figures of a snapshot are those of the site", async ({ run }) => {
  await using server = serve(smallSite());
  const walked = await run("report", "-k", server.url, "--no-check");
  assertEquals((await run("sync", "-k", server.url, "site.db")).code, 0);
  const stored = await run("report", "site.db", "--no-check");
  const figures = (text: string) => text.replace(/\d+\.\d s$/m, "");
  assertEquals(figures(stored.stdout), figures(walked.stdout));
  assertEquals([stored.code, stored.stderr], [0, ""]);
});

test("sync --dry-run creates no file", async ({ folder, run }) => {
  await using server = serve(smallSite());
  const { code, stdout, stderr } = await run("sync", "-k", server.url, "site.db", "--dry-run");
  assertEquals({ code, stdout }, { code: 0, stdout: "" });
  assertMatch(
    stderr,
    /^complete: \+4 ~0 -0, 0 of 2 sitemaps unchanged, .*\n {2}nothing was written/,
  );
  assertEquals(filesIn(folder), []);
});

test("sync reads several sites into one file, and --site chooses one of them", async ({ folder, command }) => {
  await using one = serve(smallSite());
  await using two = serve({ "/sitemap.txt": "{{origin}}/two\n" });
  await Deno.writeTextFile(`${folder}/sites.txt`, `# sites\n${two.url}\n`);
  const other = two.url.replace(/\/$/, "");
  await assertSteps("sync_sites", { one: one.url, two: two.url }, [
    command("sync", one.url, "sites.db"),
    command("sync", "--from", "sites.txt", "sites.db"),
    command("sync", "sites.db", "--slots", "1"),
    command("ls", "sites.db", "-f", "pages"),
    command("report", "sites.db", "--site", "https://three.test/"),
    command("ls", "sites.db", "-f", "pages", "--site", other),
    command("ls", "sites.db", "-f", "pages", "-u", "--site", new URL(one.url).host),
    command("changes", "sites.db"),
    command("changes", "sites.db", "--after", "0", "--summary", "-f", "csv"),
    command("changes", "sites.db", "--after", "0", "--site", other, "-f", "csv"),
    command("snapshot", "sites", "sites.db", "-f", "json"),
    command("snapshot", "forget", "sites.db", "three.test"),
    command("snapshot", "forget", "sites.db", other, "--sitemap", `${two.url}none.xml`),
    command("snapshot", "forget", "sites.db", one.url, "--sitemap", `${one.url}b.xml`),
    command("changes", "sites.db", "--after", "5"),
    command("snapshot", "forget", "sites.db", new URL(one.url).host),
    command("changes", "sites.db", "--after", "5", "--summary"),
    command("snapshot", "sites", "sites.db", "-f", "csv"),
    command("snapshot", "prune", "sites.db"),
    command("snapshot", "prune", "sites.db", "--keep-changes", "0s"),
    command("changes", "sites.db", "--after", "5"),
    command("changes", "sites.db"),
    command("ls", "sites.db", "-f", "pages"),
  ]);
});

test("ls writes all sites of a snapshot, with the site of each row", async ({ folder, command }) => {
  await using one = serve(smallSite());
  await using two = serve({
    "/robots.txt": "Sitemap: {{origin}}/none.xml\n",
    "/sitemap.txt": "{{origin}}/two\n",
  });
  await using none = serve({});
  await Deno.writeTextFile(`${folder}/sites.txt`, `${one.url}\n${two.url}\n${none.url}\n`);
  await assertSteps("ls_snapshot", { one: one.url, two: two.url, none: none.url }, [
    command("sync", "--from", "sites.txt", "sites.db", "--slots", "1", "-q"),
    command("ls", "sites.db", "-o", "pages.ndjson.gz"),
    command("ls", "sites.db", "-f", "ndjson", "-q"),
    command("ls", "sites.db", "-f", "csv", "-q"),
    command(...[
      "ls",
      "sites.db",
      "-f",
      "csv",
      "--columns",
      "site,url",
      "--match",
      "/(?:4|two)$",
      "-q",
    ]),
    command("ls", "sites.db", "-f", "ndjson", "--max-pages", "2"),
    command("ls", "sites.db", "--sitemaps", "-f", "csv", "-q"),
    command("ls", "sites.db", "-q"),
    command("ls", "sites.db", "-f", "csv", "--site", two.url, "-q"),
    command("ls", "sites.db", "-f", "pages", "--strip-url"),
    command("report", "sites.db"),
  ]);
  const gzipped = await Deno.readFile(`${folder}/pages.ndjson.gz`);
  const lines = new TextDecoder().decode(gunzipSync(gzipped)).trimEnd().split("\n");
  const sites = lines.map((line) => JSON.parse(line).site);
  assertEquals(sites, [one.url, one.url, one.url, one.url, one.url, two.url]);
});

test("sync refuses a mass removal, unless it is allowed", async ({ command }) => {
  const urls = (length: number) => Array.from({ length }, (_, at) => `{{origin}}/${at}\n`).join("");
  const documents: Documents = { "/sitemap.txt": urls(300) };
  await using server = serve(documents);
  await assertSteps("sync_mass_removal", { site: server.url }, [
    command("sync", server.url, "site.db"),
    () => void (documents["/sitemap.txt"] = urls(3)),
    command("sync", server.url, "site.db"),
    command("sync", server.url, "site.db", "--allow-mass-removal"),
  ]);
});

/** Returns a body that never ends. */
function stalled(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("<urlset>")),
  });
}

for (
  const [signal, exitCode, isSaid] of [
    ["SIGINT", 130, true],
    ["SIGTERM", 143, true],
    ["SIGKILL", 137, false],
  ] as const
) {
  testOnUnix(
    `sync keeps each change of a run that ${signal} interrupted`,
    async ({ folder, run }) => {
      const documents: Documents = { ...smallSite(), "/b.xml": stalled() };
      await using server = serve(documents);
      const args = ["sync", "-k", server.url, "site.db", "-f", "text", "-o", "changes.txt"];
      const child = startCli([...args, "-v"], { cwd: folder, permissions: ALL_PERMISSIONS });
      let stderr = "";
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
        if (!stderr.includes("a.xml: 3 pages") && (stderr + text).includes("a.xml: 3 pages")) {
          assertEquals((await run("sync", server.url, "site.db")).stderr, BUSY);
          child.kill(signal);
        }
        stderr += text;
      }
      await child.stdout.cancel();
      assertEquals((await child.status).code, exitCode);
      assertEquals(INTERRUPTED_REGEXP.test(stderr), isSaid, stderr);
      assertEquals(filesIn(folder).filter((name) => name.startsWith("changes")), []);
      documents["/b.xml"] = urlset("/3", "/4");
      const next = await run(...args, "-v");
      assertEquals(next.code, 0);
      assertMatch(next.stderr, /\ncomplete: \+1 ~0 -0, .*, \d+\.\d s\n$/);
      // those of its own run
      assertEquals(await Deno.readTextFile(`${folder}/changes.txt`), lines(server, 4));
      const all = await run("changes", "site.db", "--after", "0");
      assertEquals(all.stdout, lines(server, 1, 2, 3, 4));
    },
  );
}

testOnUnix("sync of several sites says once that they were interrupted", async ({ folder }) => {
  await using one = serve({ ...smallSite(), "/b.xml": stalled() });
  await using two = serve({ ...smallSite(), "/b.xml": stalled() });
  const child = startCli(["sync", "-kv", one.url, two.url, "sites.db"], {
    cwd: folder,
    permissions: ALL_PERMISSIONS,
  });
  let stderr = "";
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    const before = stderr.match(/a\.xml: 3 pages/g)?.length ?? 0;
    stderr += text;
    const after = stderr.match(/a\.xml: 3 pages/g)?.length ?? 0;
    if (before < 2 && after === 2) child.kill("SIGINT");
  }
  await child.stdout.cancel();
  assertEquals((await child.status).code, 130);
  assertMatch(
    stderr,
    new RegExp(` 3 pages, .*\n2 sites: 2 interrupted, .*\n${KEPT("sites.db")}\n$`),
  );
});

const BUSY = 'error: Cannot open "site.db": another process is writing to it\n';
const KEPT = (path: string) =>
  `  what was found is kept; its changes: sitetree changes ${path} --after 0`;
const INTERRUPTED_REGEXP = new RegExp(
  "\ninterrupted: \\+3 ~0 -0, 0 of 1 sitemap unchanged, \\d\\.\\d s\n" +
    `${KEPT("site.db")}\n$`,
);

function lines({ url }: FixtureServer, ...pages: number[]): string {
  return pages.map((page) => `+ ${url}${page}\n`).join("");
}

/** Runs a command whose reader closes its output, at once or after the first bytes. */
async function runWithReader(
  folder: string,
  reads: "nothing" | "some",
  args: readonly string[],
): Promise<Omit<CliResult, "stdout">> {
  const child = startCli(args, { cwd: folder, permissions: ALL_PERMISSIONS });
  const reader = child.stdout.getReader();
  if (reads === "some") await reader.read();
  await reader.cancel();
  const stderr = await new Response(child.stderr).text();
  return { code: (await child.status).code, stderr };
}

/** Returns a site with batches of changes that do not fit into a pipe. */
function largeSite(): Documents {
  const urls = Array.from({ length: 20_000 }, (_, at) => `{{origin}}/${"page/".repeat(40)}${at}\n`);
  return { "/sitemap.txt": urls.join("") };
}

const linesIn = (text: string) => text.split("\n").length - 1;

for (const reads of ["nothing", "some"] as const) {
  testOnUnix(`sync -f saves the run if its reader takes ${reads}`, async ({ folder, run }) => {
    const documents = largeSite();
    await using server = serve(documents);
    const sync = ["sync", "-k", server.url, "--known-path", "sitemap.txt", "site.db"];
    assertEquals(await runWithReader(folder, reads, [...sync, "-f", "ndjson"]), {
      code: 1,
      stderr: "error: Output closed by its reader\n" +
        "  the run is saved; its changes: sitetree changes site.db --after 0\n",
    });
    assertEquals(linesIn((await run("changes", "site.db", "--after", "0")).stdout), 20_000);
    documents["/sitemap.txt"] += "{{origin}}/last\n";
    const { code, stdout, stderr } = await run(...sync, "-f", "text");
    assertEquals({ code, stdout, stderr }, {
      code: 0,
      stdout: `+ ${server.url}last\n`,
      stderr: "",
    });
  });

  testOnUnix(
    `changes --ack acknowledges nothing if its reader takes ${reads}`,
    async ({ folder, run }) => {
      await using server = serve(largeSite());
      assertEquals((await run("sync", server.url, "site.db")).code, 0);
      const changes = ["changes", "site.db", "--consumer", "index", "-f", "ndjson"];
      assertEquals(await runWithReader(folder, reads, [...changes, "--ack"]), {
        code: 1,
        stderr: 'error: Output closed by its reader: nothing acknowledged for "index"\n',
      });
      assertEquals(linesIn((await run(...changes)).stdout), 20_000);
    },
  );
}

testOnUnix("changes --ack acknowledges each batch that was written", async ({ folder, run }) => {
  await using server = serve(largeSite());
  assertEquals((await run("sync", server.url, "site.db")).code, 0);
  const changes = ["changes", "site.db", "--consumer", "index", "-f", "ndjson"];
  const child = startCli([...changes, "--ack"], { cwd: folder, permissions: ALL_PERMISSIONS });
  let taken = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  while (linesIn(taken) < 5000) taken += (await reader.read()).value;
  await reader.cancel();
  const stderr = await new Response(child.stderr).text();
  const [, acknowledged] = /: only changes up to (\d+) acknowledged for "index"\n$/.exec(stderr) ??
    [];
  assertEquals((await child.status).code, 1);
  assert(Number(acknowledged) >= 4000, stderr);
  const left = (await run(...changes)).stdout;
  assertEquals(linesIn(left), 20_000 - Number(acknowledged));
  assertEquals(JSON.parse(left.split("\n")[0]!).sequence, Number(acknowledged) + 1);
  assertEquals((await run(...changes, "--ack")).stdout, left);
  assertEquals(await run(...changes, "--ack"), { code: 0, stdout: "", stderr: "" });
});

test("changes --ack acknowledges a file when it is complete", async ({ folder, run }) => {
  await using server = serve(smallSite());
  assertEquals((await run("sync", "-k", server.url, "site.db")).code, 0);
  const changes = ["changes", "site.db", "--consumer", "index"];
  const failed = await run(...changes, "--ack", "-o", "missing/changes.json");
  assertEquals(failed.code, 1);
  assertEquals(linesIn((await run(...changes)).stdout), 4);
  assertEquals((await run(...changes, "--ack", "-o", "changes.json")).code, 0);
  assertEquals(JSON.parse(await Deno.readTextFile(`${folder}/changes.json`)).length, 4);
  assertEquals((await run(...changes)).stdout, "");
  assertEquals((await run("changes", "site.db", "--consumer", "other")).stdout.length > 0, true);
});

test("prune keeps what a consumer has not acknowledged", async ({ run }) => {
  await using server = serve(smallSite());
  const changes = ["changes", "site.db", "--consumer", "index"];
  const prune = ["snapshot", "prune", "site.db", "--keep-changes", "0s"];
  assertEquals((await run("sync", "-k", server.url, "site.db")).code, 0);
  assertEquals((await run(...changes, "--ack")).code, 0);
  assertEquals((await run("snapshot", "forget", "site.db", server.url)).code, 0);
  assertEquals((await run(...prune)).code, 0);
  assertEquals(linesIn((await run(...changes)).stdout), 4);
  assertEquals((await run(...prune, "--ignore-consumers")).code, 0);
  assertEquals((await run(...changes)).stdout, "");
});

test("sync --keep-runs deletes the changes before the last runs", async ({ run }) => {
  const documents = smallSite();
  await using server = serve(documents);
  const sync = ["sync", "-k", server.url, "site.db", "--keep-runs", "1"];
  assertEquals((await run(...sync)).code, 0);
  assertEquals(
    (await run("changes", "site.db", "--after", "0")).stdout,
    lines(server, 1, 2, 3, 4),
  );
  documents["/b.xml"] = urlset("/3", "/4", "/5");
  assertEquals((await run(...sync, "-f", "text")).stdout, lines(server, 5));
  assertEquals((await run("changes", "site.db", "--after", "4")).stdout, lines(server, 5));
  assertEquals((await run("changes", "site.db", "--after", "0")).code, 2);
  assertEquals(linesIn((await run("ls", "site.db", "-f", "pages", "--unique")).stdout), 5);
});

test("sync prints nothing in cron if all is well, and what failed if not", async ({ command }) => {
  await using well = serve(smallSite());
  await using missing = serve({ ...smallSite(), "/b.xml": "" });
  await using empty = serve({});
  const sites = { well: well.url, missing: missing.url, empty: empty.url };
  await assertSteps("sync_cron", sites, [
    command("sync", "-k", well.url, "site.db"),
    command("sync", "-k", "site.db"),
    command("sync", "-kq", "site.db"),
    command("sync", "-kq", well.url, missing.url, "sites.db"),
    command("sync", "-kq", empty.url, "sites.db"),
    command("sync", "-k", "sites.db", "--slots", "1"),
  ]);
});

test("the second walk of a site that failed in passing has the last word", async ({ run }) => {
  const documents = smallSite();
  await using server = serveRoutes({
    "*": (request, path) =>
      path === "/b.xml" && server.counts[path] === 1
        ? new Response(null, { status: 503 })
        : answer(documents, request, path),
  });
  await using other = serve(smallSite());
  const sync = ["sync", "-k", "--retries", "0", server.url, other.url, "sites.db", "-f", "text"];
  const { code, stdout, stderr } = await run(...sync);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertEquals(
    stdout.split("\n").sort().join("\n").trim(),
    [...lines(server, 1, 2, 3, 4).split("\n"), ...lines(other, 1, 2, 3, 4).split("\n")]
      .sort().join("\n").trim(),
  );
  assertEquals(server.counts["/b.xml"], 2);
});

test("a bare host is the site that the snapshot has, or the scheme that answers", async ({ command }) => {
  await using server = serve(smallSite());
  const { host } = new URL(server.url);
  await assertSteps("sync_hosts", { site: server.url }, [
    command("sync", "-k", host, "site.db", "--dry-run", "-q", "-f", "text"),
    command("sync", "-k", host, server.url, "site.db", "--dry-run", "-q", "-f", "csv"),
    command("sync", `${host}/b.xml`, "site.db", "-f", "text"),
    command("sync", "-k", host, "site.db", "-f", "text"),
    command("sync", "-k", `user:secret@${host}`, "site.db"),
    command("sync", "-k", `user:secret@${host}`, "new.db"),
    command("snapshot", "sites", "site.db", "-f", "csv"),
  ]);
});

test("sync of hosts that cannot be found names each and reads the others", async ({ run }) => {
  await using server = serve(smallSite());
  const { host } = new URL(closedUrl());
  const alone = await run("sync", host, "site.db");
  assertEquals(alone.code, 5);
  assertMatch(alone.stderr, /\nerror: Cannot connect to "http:.*": Connection refused\n/);
  const { code, stderr } = await run("sync", "-kq", host, server.url, "site.db");
  assertEquals(code, 5);
  assertEquals(
    stderr,
    `http://${host}/: Cannot connect to "http://${host}/robots.txt": Connection refused\n`,
  );
  const { stdout } = await run("snapshot", "sites", "site.db", "-f", "csv");
  assertEquals(stdout.split("\r\n").map((line) => line.split(",")[0]), [
    "site",
    server.url,
    "",
  ]);
});

test("sync of a sitemap is part of its site, and sync of the file walks all of it", async ({ command }) => {
  await using server = serve({
    "/robots.txt": "Sitemap: {{origin}}/a.xml\n",
    "/a.xml": urlset("/1", "/2"),
    "/given.xml": urlset("/2", "/3"),
  });
  const given = `${server.url}given.xml`;
  await assertSteps("sync_sitemap", { site: server.url }, [
    command("sync", given, "site.db", "-f", "text"),
    command("sync", "site.db", "-k", "-f", "text"),
    command("sync", given, "site.db", "-f", "text"),
    command("ls", "site.db", "-f", "pages", "--unique"),
    command("snapshot", "sites", "site.db", "-f", "csv"),
  ]);
});

test("ls needs no --site if the other site could never be connected to", async ({ run }) => {
  await using server = serve(smallSite());
  const url = closedUrl();
  const { code, stderr } = await run("sync", url, "site.db", "--retries", "0");
  assertEquals(code, 5);
  assertStringIncludes(stderr, "  Cannot read robots.txt: Connection refused\n");
  assertEquals(
    (await run("ls", "site.db", "-f", "pages")).stderr.split("\n")[0],
    'error: Cannot read "site.db": no site in it',
  );
  assertEquals((await run("sync", "-kq", server.url, "site.db")).code, 0);
  assertEquals((await run("ls", "site.db", "-f", "pages")).code, 0);
  const { stdout } = await run("snapshot", "sites", "site.db", "-f", "csv");
  assertStringIncludes(stdout, `\n${url},0,blocked,connection-refused,`);
});

test("files that are no snapshot, and missing ones, are reported in one line", async ({ folder, command }) => {
  await Deno.writeTextFile(`${folder}/text.db`, "https://a.test/\n");
  await Deno.mkdir(`${folder}/folder.db`);
  await assertSteps("sync_errors", {}, [
    command("sync", "https://a.test/", "text.db"),
    command("sync", "https://a.test/", "folder.db"),
    command("sync", "https://a.test/", "missing/site.db"),
    command("changes", "text.db"),
    command("changes", "missing.db"),
    command("changes", "missing.db", "--consumer", "index", "--ack"),
    command("snapshot", "sites", "missing.db"),
    command("snapshot", "runs", "text.db"),
    command("snapshot", "forget", "missing.db", "a.test"),
    command("snapshot", "prune", "missing.db", "--keep-runs", "1"),
    command("ls", "./missing.db"),
  ]);
  assertEquals(filesIn(folder), ["folder.db", "text.db"]);
});

test("sync and changes print a command with the permissions that they lack", async ({ folder }) => {
  for (const args of [["sync", "https://a.test/", "site.db"], ["changes", "site.db"]]) {
    const { code, stderr } = await runCli(args, { cwd: folder, permissions: ["--allow-net"] });
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^error: Cannot (?:write|read) "site\.db": no permission to .* files\n {2}run: deno run /,
    );
    assert(stderr.endsWith(`${args.join(" ")}\n`), stderr);
  }
}, !HAS_PERMISSIONS);
