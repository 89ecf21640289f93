import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { eTag, ifNoneMatch } from "@std/http/etag";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { ALL_PERMISSIONS, type CliResult, HAS_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import { assertSteps, type CommandLine } from "./transcript.ts";

const ON_UNIX = { ignore: Deno.build.os === "windows" };

/** Documents by path, which a test may change between runs. */
type Documents = Record<string, string | ReadableStream<Uint8Array<ArrayBuffer>>>;

/** Serves documents with ETags, with `{{origin}}` replaced. */
function serve(documents: Documents): FixtureServer {
  return serveRoutes({
    "*": async (request, path) => {
      const document = documents[path];
      if (document === undefined) return undefined;
      if (typeof document !== "string") return new Response(document);
      const body = document.replaceAll("{{origin}}", new URL(request.url).origin);
      const etag: string = await eTag(body);
      const isModified = ifNoneMatch(request.headers.get("if-none-match"), etag);
      return isModified
        ? new Response(body, { headers: { etag } })
        : new Response(null, { status: 304, headers: { etag } });
    },
  });
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

/** Runs a test with a folder of its own, and with the commands that run in it. */
async function inFolder(
  test: (
    folder: string,
    command: (...args: string[]) => CommandLine & { readonly args: readonly string[] },
    run: (...args: string[]) => Promise<CliResult>,
  ) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const options = { cwd: folder, permissions: ALL_PERMISSIONS };
  try {
    await test(
      folder,
      (...args) => ({ args, options }),
      (...args) => runCli(args, options),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

Deno.test("sync updates a snapshot, and changes, ls and stats read it", async () => {
  const documents = smallSite();
  await using server = serve(documents);
  await inFolder(async (_folder, command) => {
    await assertSteps("sync", { site: server.url }, [
      command("sync", "-k", server.url, "site.db"),
      command("sync", "-k", server.url, "site.db"),
      command("changes", "site.db", "--exit-code"),
      () => {
        documents["/a.xml"] = urlset("/1 2024-05-02", "/2", "/5\u009b");
        delete documents["/b.xml"];
      },
      command("sync", "-k", server.url, "site.db", "-f", "text", "--dry-run"),
      command("sync", "-kv", server.url, "site.db", "-f", "csv"),
      command("changes", "site.db", "--exit-code"),
      command("changes", "site.db", "-f", "ndjson"),
      command("changes", "site.db", "--since", "0", "-f", "csv"),
      command("changes", "site.db", "--since", "3"),
      command("changes", "site.db", "--since", "2000-01-01", "-f", "json"),
      command("changes", "site.db", "--since", "4"),
      command("ls", "site.db"),
      command("ls", "site.db", "-f", "pages", "--match", "/[12]$"),
      command("ls", "site.db", "-f", "sitemaps-csv"),
      command("sync", "-kq", server.url, "site.db"),
      command("changes", "site.db"),
    ]);
    assertEquals(server.counts["/a.xml"], 5);
  });
});

Deno.test("stats of a snapshot are those of the site", async () => {
  await using server = serve(smallSite());
  await inFolder(async (_folder, _command, run) => {
    const walked = await run("stats", "-k", server.url, "-f", "json");
    assertEquals((await run("sync", "-k", server.url, "site.db")).code, 0);
    const stored = await run("stats", "site.db", "-f", "json");
    const timeless = (text: string) => text.replace(/"durationMs": \d+/, "");
    assertEquals(timeless(stored.stdout), timeless(walked.stdout));
    assertEquals([stored.code, stored.stderr], [0, ""]);
  });
});

Deno.test("sync --dry-run creates no file", async () => {
  await using server = serve(smallSite());
  await inFolder(async (folder, _command, run) => {
    const { code, stdout, stderr } = await run("sync", "-k", server.url, "site.db", "--dry-run");
    assertEquals({ code, stdout }, { code: 0, stdout: "" });
    assertMatch(
      stderr,
      /^complete: \+4 ~0 -0, 0 of 2 sitemaps unchanged, .*\n {2}nothing was written/,
    );
    assertEquals(filesIn(folder), []);
  });
});

Deno.test("sync reads several sites into one file, and --site chooses one of them", async () => {
  await using one = serve(smallSite());
  await using two = serve({ "/sitemap.txt": "{{origin}}/two\n" });
  await inFolder(async (folder, command) => {
    await Deno.writeTextFile(`${folder}/sites.txt`, `# sites\n${two.url}\n`);
    const other = two.url.replace(/\/$/, "");
    await assertSteps("sync_sites", { one: one.url, two: two.url }, [
      command("sync", one.url, "--from", "sites.txt", "sites.db"),
      command("ls", "sites.db", "-f", "pages"),
      command("stats", "sites.db", "--site", "https://three.test/"),
      command("ls", "sites.db", "-f", "pages", "--site", other),
      command("ls", "sites.db", "-f", "pages", "-u", "--site", new URL(one.url).host),
      command("changes", "sites.db"),
      command("changes", "sites.db", "--site", other, "-f", "csv"),
    ]);
  });
});

Deno.test("sync refuses a mass removal, unless it is allowed", async () => {
  const urls = (length: number) => Array.from({ length }, (_, at) => `{{origin}}/${at}\n`).join("");
  const documents: Documents = { "/sitemap.txt": urls(300) };
  await using server = serve(documents);
  await inFolder(async (_folder, command) => {
    await assertSteps("sync_mass_removal", { site: server.url }, [
      command("sync", server.url, "site.db"),
      () => void (documents["/sitemap.txt"] = urls(3)),
      command("sync", server.url, "site.db"),
      command("sync", server.url, "site.db", "--allow-mass-removal"),
    ]);
  });
});

/** Returns a body that never ends. */
function stalled(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("<urlset>")),
  });
}

for (const [signal, exitCode] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`sync continues a run that ${signal} interrupted`, ON_UNIX, async () => {
    const documents: Documents = { ...smallSite(), "/b.xml": stalled() };
    await using server = serve(documents);
    await inFolder(async (folder, _command, run) => {
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
      assertMatch(stderr, INTERRUPTED_REGEXP);
      assertEquals(await Deno.readTextFile(`${folder}/changes.txt.part`), lines(server, 1, 2, 3));
      documents["/b.xml"] = urlset("/3", "/4");
      const continued = await run(...args);
      assertEquals(continued.code, 0);
      assertMatch(continued.stderr, /^complete: \+4 ~0 -0, /);
      assertEquals(await Deno.readTextFile(`${folder}/changes.txt`), lines(server, 4));
      assertEquals((await run("changes", "site.db")).stdout, lines(server, 1, 2, 3, 4));
      assertEquals(server.counts["/a.xml"], 1);
    });
  });
}

const BUSY = 'error: Cannot open "site.db": another process is writing to it\n';
const INTERRUPTED_REGEXP = new RegExp(
  '\nInterrupted: partial output kept in "changes\\.txt\\.part"\n' +
    "interrupted: \\+3 ~0 -0, 0 of 1 sitemap unchanged, \\d\\.\\d s\n" +
    "  run the same command within 24 h to continue\n$",
);

function lines({ url }: FixtureServer, ...pages: number[]): string {
  return pages.map((page) => `+ ${url}${page}\n`).join("");
}

Deno.test("sync goes on when the reader of its changes has closed the output", async () => {
  const urls = Array.from({ length: 20_000 }, (_, at) => `{{origin}}/${"page/".repeat(9)}${at}\n`);
  await using server = serve({ "/sitemap.txt": urls.join("") });
  await inFolder(async (folder, _command, run) => {
    const child = startCli(["sync", server.url, "site.db", "-f", "ndjson"], {
      cwd: folder,
      permissions: ALL_PERMISSIONS,
    });
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();
    assertMatch(await new Response(child.stderr).text(), /^complete: \+20,000 ~0 -0, /);
    assertEquals((await child.status).code, 0);
    const { stdout } = await run("ls", "site.db", "-f", "pages");
    assertEquals(stdout.split("\n").length, 20_001);
  });
});

Deno.test("ls needs no --site if the other site could never be connected to", async () => {
  await using server = serve(smallSite());
  await inFolder(async (_folder, _command, run) => {
    const listener = Deno.listen({ port: 0 });
    const { port } = listener.addr;
    listener.close();
    const { code, stderr } = await run("sync", `http://127.0.0.1:${port}/`, "site.db");
    assertEquals(code, 5);
    assertStringIncludes(stderr, `Cannot connect to "http://127.0.0.1:${port}/robots.txt"`);
    assertEquals(
      (await run("ls", "site.db", "-f", "pages")).stderr.split("\n")[0],
      'error: Cannot read "site.db": no site in it',
    );
    assertEquals((await run("sync", "-kq", server.url, "site.db")).code, 0);
    assertEquals((await run("ls", "site.db", "-f", "pages")).code, 0);
  });
});

Deno.test("files that are no snapshot, and missing ones, are reported in one line", async () => {
  await inFolder(async (folder, command) => {
    await Deno.writeTextFile(`${folder}/text.db`, "https://a.test/\n");
    await Deno.mkdir(`${folder}/folder.db`);
    await assertSteps("sync_errors", {}, [
      command("sync", "https://a.test/", "text.db"),
      command("sync", "https://a.test/", "folder.db"),
      command("sync", "https://a.test/", "missing/site.db"),
      command("changes", "text.db"),
      command("changes", "missing.db"),
      command("ls", "./missing.db"),
    ]);
    assertEquals(filesIn(folder), ["folder.db", "text.db"]);
  });
});

Deno.test("sync and changes print a command with the permissions that they lack", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  await inFolder(async (folder) => {
    for (const args of [["sync", "https://a.test/", "site.db"], ["changes", "site.db"]]) {
      const { code, stderr } = await runCli(args, { cwd: folder, permissions: ["--allow-net"] });
      assertEquals(code, 1);
      assertMatch(
        stderr,
        /^error: Cannot (?:write|read) "site\.db": no permission to .* files\n {2}run: deno run /,
      );
      assert(stderr.endsWith(`${args.join(" ")}\n`), stderr);
    }
  });
});
