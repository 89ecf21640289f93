import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { testOnUnix } from "./folder_cases.ts";
import { assertGolden, normalized } from "./golden.ts";
import { ALL_PERMISSIONS, startCli } from "./run_cli.ts";
import { TextReader } from "./text_reader.ts";

const encoder = new TextEncoder();
const ON_UNIX = { ignore: Deno.build.os === "windows" };

/** A site whose one sitemap sends two pages and then stalls. */
function hangingSite(): FixtureServer {
  return serveRoutes({
    "/robots.txt": (request) => new Response(`Sitemap: ${new URL("/s.xml", request.url)}`),
    "/s.xml": () =>
      new Response(
        new ReadableStream({
          start: (controller) =>
            controller.enqueue(
              encoder.encode(
                "<urlset><url><loc>https://a.test/a</loc></url>" +
                  "<url><loc>https://a.test/b</loc></url><url>",
              ),
            ),
        }),
      ),
  });
}

/** A site with more pages than any pipe holds. */
function hugeSite(): FixtureServer {
  const records = Array.from(
    { length: 50_000 },
    (_, at) => `<url><loc>https://a.test/${"page/".repeat(20)}${at}</loc></url>`,
  );
  return serveRoutes({
    "/robots.txt": (request) => new Response(`Sitemap: ${new URL("/s.xml", request.url)}`),
    "/s.xml": () => new Response(`<urlset>${records.join("")}</urlset>`),
  });
}

for (const [signal, exitCode] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test({
    name:
      `${signal} ends ls with a complete document, the summary so far and exit code ${exitCode}`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using server = hangingSite();
      const child = startCli(["ls", "-f", "json", server.url]);
      const reader = new TextReader(child.stdout);
      await reader.until("/b");
      child.kill(signal);
      const stdout = await reader.all();
      const stderr = await new Response(child.stderr).text();
      assertEquals((await child.status).code, exitCode);
      const urls = JSON.parse(stdout).map(({ url }: { url: string }) => url);
      assertEquals(urls, ["https://a.test/a", "https://a.test/b"]);
      assertMatch(stderr, /^interrupted: 1 sitemap, 2 pages, \d+\.\d s\n$/);
    },
  });
}

Deno.test(
  "SIGINT ends ls while it waits for standard input",
  ON_UNIX,
  async () => {
    const event = '{"type":"sitemap-entered","sitemap":{"id":0,"type":"PagesTextSitemap",' +
      '"url":"https://a.test/s.txt","level":0,"parent":null,"index":0}}\n';
    for (const start of ["https://a.test/\n".repeat(1000), event]) {
      const child = startCli(["ls", "-", "-v"], { stdin: "" });
      const writer = child.stdin.getWriter();
      await writer.write(encoder.encode(start));
      const reader = new TextReader(child.stderr);
      await reader.until("INFO reading");
      child.kill("SIGINT");
      assertMatch(await reader.all(), /^interrupted: 1 sitemap, /m);
      assertEquals((await child.status).code, 130);
      await writer.close().catch(() => {});
      await child.stdout.cancel();
    }
  },
);

/** Interrupts a run after two pages. Returns its files and standard error. */
async function interrupt(
  args: readonly string[],
): Promise<{ files: Record<string, Uint8Array<ArrayBuffer>>; stderr: string; folder: string }> {
  await using server = hangingSite();
  const folder = await Deno.makeTempDir();
  try {
    const given = args.map((arg) => arg.replace("DIR", folder));
    const child = startCli(["ls", "-vvv", ...given, server.url], { permissions: ALL_PERMISSIONS });
    const reader = new TextReader(child.stderr);
    await reader.until("page https://a.test/b");
    child.kill("SIGINT");
    const log = await reader.all();
    await child.stdout.cancel();
    assertEquals((await child.status).code, 130);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    const files = names.map((name) => [name, Deno.readFileSync(`${folder}/${name}`)] as const);
    return { files: Object.fromEntries(files), stderr: log, folder };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const URLS = ["https://a.test/a", "https://a.test/b"];

/** Reads the URLs of a document, which must be complete. */
const READERS: Readonly<Record<string, (text: string) => unknown[]>> = {
  "pages.txt": (text) => linesOf(text),
  "pages.ndjson": (text) => linesOf(text).map((line) => JSON.parse(line).url),
  "pages.csv": (text) => linesOf(text).slice(1).map((line) => line.split(",")[0]),
  "pages.json": (text) => JSON.parse(text).map(({ url }: { url: string }) => url),
  "pages.xml": (text) => {
    assertMatch(text, /<\/urlset>\n$/);
    return [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map((match) => match[1]);
  },
};

function linesOf(text: string): string[] {
  assertMatch(text, /\n$/);
  return text.trimEnd().split(/\r?\n/);
}

for (const [name, urlsOf] of Object.entries(READERS)) {
  Deno.test(`SIGINT keeps a complete ${name}.part`, ON_UNIX, async () => {
    const plain = await interrupt(["-o", `DIR/${name}`]);
    assertEquals(Object.keys(plain.files), [`${name}.part`]);
    assertEquals(urlsOf(new TextDecoder().decode(plain.files[`${name}.part`])), URLS);
    assertStringIncludes(plain.stderr, `"${plain.folder}/${name}.part"`);
    assertMatch(plain.stderr, /^interrupted: 1 sitemap, 2 pages, /m);
    const { files } = await interrupt(["-o", `DIR/${name}.gz`]);
    assertEquals(Object.keys(files), [`${name}.gz.part`]);
    const unpacked = gunzipSync(files[`${name}.gz.part`]!);
    assertEquals(urlsOf(new TextDecoder().decode(unpacked)), URLS);
  });
}

Deno.test("SIGINT prints the path of the .part file", ON_UNIX, async () => {
  const { stderr, folder } = await interrupt(["-o", "DIR/pages.ndjson.gz"]);
  const lines = stderr.split("\n").filter((line) => !/^\d{4}-/.test(line)).join("\n");
  await assertGolden(
    "interruption_part",
    normalized(lines.replaceAll(folder, "."), "http://a.test/"),
  );
});

Deno.test("SIGINT keeps the rows of the sitemaps in order", ON_UNIX, async () => {
  const { files } = await interrupt(["--sitemaps", "-f", "csv", "-o", "DIR/sitemaps.csv"]);
  const rows = linesOf(new TextDecoder().decode(files["sitemaps.csv.part"]));
  assertEquals(rows.map((row) => row.split(",").slice(2, 4)), [
    ["type", "status"],
    ["IndexRobotsTxtSitemap", "truncated"],
    ["PagesXmlSitemap", "truncated"],
  ]);
});

Deno.test("SIGINT keeps nothing with --discard-partial", ON_UNIX, async () => {
  const { files, stderr } = await interrupt(["--discard-partial", "-o", "DIR/pages.txt.gz"]);
  assertEquals(files, {});
  assertMatch(stderr, /^interrupted: /m);
  assert(!stderr.includes(".part"), stderr);
});

/** Writes a page, and gathers another one that is not written yet when the process has to exit. */
const FORCED_EXIT = `
  import { openFile } from "${new URL("open_file.ts", import.meta.url)}";
  import { eventWriter } from "${new URL("../../src/cli/commands/ls_formats.ts", import.meta.url)}";
  import { interruptSignal } from "${new URL("../../src/cli/run/interrupt.ts", import.meta.url)}";
  const [folder, name, format] = Deno.args;
  const output = await openFile(folder + "/" + name);
  const firstWrite = Promise.withResolvers();
  const observed = {
    write: (bytes) => output.write(bytes).then(firstWrite.resolve, firstWrite.reject),
  };
  const settings = { format, stripUrl: false, columns: undefined };
  const writer = await eventWriter(settings, observed, undefined, false);
  const sitemap = { id: 1, type: "PagesXmlSitemap", url: "https://a.test/s.xml", level: 0 };
  const write = (url) => writer.writeAll([{ type: "page", page: { url }, sitemap }]);
  const signal = interruptSignal(() => {
    write("https://a.test/b");
    output.keepPartialSync(writer.takeRest());
  });
  write("https://a.test/a");
  await firstWrite.promise;
  signal.addEventListener("abort", () => Deno.kill(Deno.pid, "SIGINT"));
  Deno.kill(Deno.pid, "SIGINT");
  await new Promise((done) => setTimeout(done, 60_000));
`;

const FORMATS_BY_NAME: Readonly<Record<string, string>> = {
  "pages.txt": "pages",
  "pages.ndjson": "ndjson",
  "pages.csv": "csv",
  "pages.json": "json",
  "pages.xml": "xml",
};

for (const [name, urlsOf] of Object.entries(READERS)) {
  testOnUnix(`a second SIGINT leaves a complete ${name}.part`, async (folder) => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", FORCED_EXIT, folder, name, FORMATS_BY_NAME[name]!],
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [130, ""]);
    assertEquals([...Deno.readDirSync(folder)].map((entry) => entry.name), [`${name}.part`]);
    assertEquals(urlsOf(await Deno.readTextFile(`${folder}/${name}.part`)), URLS);
  });
}

/** Interrupts itself twice, with timers that never fire. */
const INTERRUPTED_TWICE = `
globalThis.setTimeout = () => 0;
const { interruptSignal } = await import(Deno.args[0]);
const signal = interruptSignal(() => console.log("cleaned up"));
signal.addEventListener("abort", () => {
  console.log("aborted");
  Deno.kill(Deno.pid, "SIGINT");
});
Deno.kill(Deno.pid, "SIGINT");
await new Promise(() => {});
`;

Deno.test("a second SIGINT ends the process at once", ON_UNIX, async () => {
  const main = new URL("../../src/cli/run/interrupt.ts", import.meta.url).href;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", INTERRUPTED_TWICE, main],
    stdout: "piped",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
  const { code, stdout } = await child.output();
  clearTimeout(timer);
  assertEquals([code, new TextDecoder().decode(stdout)], [130, "aborted\ncleaned up\n"]);
});

Deno.test("a second SIGINT ends ls at once, though its output is not read", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using server = hugeSite();
  const child = startCli(["ls", "-f", "pages", server.url]);
  const reader = child.stdout.getReader();
  await reader.read();
  child.kill("SIGINT");
  const interval = setInterval(() => child.kill("SIGINT"), 100);
  const { code } = await child.status;
  clearInterval(interval);
  assertEquals(code, 130);
  await reader.cancel();
  await child.stderr.cancel();
});

for (const format of ["pages", "tree"]) {
  Deno.test(`ls -f ${format} exits with 0 and prints no error when its output is closed`, async () => {
    await using server = hugeSite();
    const child = startCli(["ls", "-f", format, server.url]);
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();
    const stderr = await new Response(child.stderr).text();
    assertEquals({ code: (await child.status).code, stderr }, { code: 0, stderr: "" });
  });
}
