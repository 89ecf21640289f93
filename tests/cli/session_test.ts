import { assertEquals } from "@std/assert";
import { serveRoutes } from "../support/fixture_server.ts";
import { runCli } from "./run_cli.ts";

const SESSION = new URL("session_process.ts", import.meta.url).pathname;

async function runSession(mode: string): Promise<unknown> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", SESSION, mode],
    stdout: "piped",
    stderr: "piped",
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("a session reads all batches", async () => {
  const written = ["a", "b", "c", "d", "e", "f"];
  assertEquals(await runSession("all"), { written, pulled: 2, ended: true, exitCode: 3 });
});

Deno.test("a session interrupted while it writes a batch ends the walk after it", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const written = ["a", "b", "c", "d"];
  assertEquals(await runSession("interrupt"), { written, pulled: 1, ended: true, exitCode: 130 });
});

Deno.test("ls writes all pages of many batches, in order", async () => {
  const paths = Array.from({ length: 3000 }, (_, number) => `/${number}`);
  const xml = `<urlset>${paths.map((path) => `<url><loc>${path}</loc></url>`).join("")}</urlset>`;
  await using server = serveRoutes({
    "/robots.txt": (request) => new Response(`Sitemap: ${new URL("/s.xml", request.url)}`),
    "/s.xml": () => new Response(xml),
  });
  const expected = paths.map((path) => new URL(path, server.url).href + "\n").join("");
  const ls = ["ls", "-f", "pages", server.url];
  const [listed, included, parsed, some] = await Promise.all([
    runCli(ls),
    runCli([...ls, "--include", "s.xml"]),
    runCli(["ls", "-", "-f", "pages", "--url", server.url], { stdin: xml }),
    runCli([...ls, "--max-pages", "7", "--match", "9"]),
  ]);
  assertEquals([listed.code, listed.stdout], [0, expected]);
  assertEquals([included.code, included.stdout], [0, expected]);
  assertEquals([parsed.code, parsed.stdout], [0, expected]);
  assertEquals(
    some.stdout,
    expected.split(/(?<=\n)/).filter((url) => /9/.test(url)).slice(0, 7).join(""),
  );
});
