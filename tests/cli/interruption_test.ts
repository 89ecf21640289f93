import { assertEquals, assertMatch } from "@std/assert";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { ALL_PERMISSIONS, startCli } from "./run_cli.ts";

const encoder = new TextEncoder();

/** A site whose one sitemap gives two pages at once and then nothing more. */
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

/** Text of a stream up to a word, and then the rest. */
class TextReader {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** All that came until `word` did, or until the end. */
  async until(word: string): Promise<string> {
    while (!this.#text.includes(word)) {
      const { value, done } = await this.#reader.read();
      if (done) break;
      this.#text += value;
    }
    return this.#text;
  }

  /** All that came. */
  all(): Promise<string> {
    return this.until("\0");
  }
}

for (const [signal, exitCode] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test({
    name: `${signal} ends ls in order: a whole document, the summary so far, exit ${exitCode}`,
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
      assertMatch(stderr, /^interrupted: 2 sitemaps, 2 pages, \d+\.\d s\n$/);
    },
  });
}

Deno.test({
  name: "SIGINT leaves no file behind",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using server = hangingSite();
    const folder = await Deno.makeTempDir();
    try {
      const args = ["ls", "-v", "-f", "pages", "-o", `${folder}/pages.txt.gz`, server.url];
      const child = startCli(args, { permissions: ALL_PERMISSIONS });
      const reader = new TextReader(child.stderr);
      await reader.until("s.xml");
      assertEquals([...Deno.readDirSync(folder)].length, 1);
      child.kill("SIGINT");
      const log = await reader.all();
      await child.stdout.cancel();
      assertEquals((await child.status).code, 130);
      assertMatch(log, /\ninterrupted: /);
      assertEquals([...Deno.readDirSync(folder)], []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "a second SIGINT ends it at once, though nobody reads what it writes",
  ignore: Deno.build.os === "windows",
  async fn() {
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
  },
});

for (const format of ["pages", "tree"]) {
  Deno.test(`ls -f ${format} ends quietly when the reader of its output goes away`, async () => {
    await using server = hugeSite();
    const child = startCli(["ls", "-f", format, server.url]);
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();
    const stderr = await new Response(child.stderr).text();
    assertEquals({ code: (await child.status).code, stderr }, { code: 0, stderr: "" });
  });
}
