import { assertEquals, assertMatch } from "@std/assert";
import { permittedCommand } from "../../src/cli/run/failure.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { test, testOnUnix } from "./folder_cases.ts";
import { HAS_PERMISSIONS, MAIN, runCli, runPrinted } from "./run_cli.ts";
import { assertTranscript } from "./transcript.ts";

const SITEMAP = "<urlset><url><loc>https://a.test/it's</loc></url></urlset>";

test(
  "the hint for a missing permission is a command that works when pasted into a shell",
  async (cwd) => {
    await using server = serveRoutes({ "/sitemap.xml": () => new Response(SITEMAP) });
    await Deno.writeTextFile(`${cwd}/a sitemap.xml`, SITEMAP);
    const net = { permissions: ["--allow-net"], cwd };
    const commands = [
      { args: ["ls", "-f", "pages", "--match", "it's", server.url], permissions: [] },
      { args: ["ls", "-f", "pages", "-o", "pages of $HOME.txt", server.url] },
      { args: ["ls", "./a sitemap.xml", "-f", "pages", "--match", "it's"] },
    ].map(({ args, permissions = net.permissions }) => ({ args, options: { cwd, permissions } }));
    const results = await assertTranscript("permissions", { site: server.url }, commands);
    const printed = await Promise.all(results.map(({ stderr }) => runPrinted(stderr, cwd)));
    const ok = { code: 0, stdout: "https://a.test/it's\n", stderr: "" };
    assertEquals(printed, [ok, { ...ok, stdout: "" }, ok]);
    assertEquals(await Deno.readTextFile(`${cwd}/pages of $HOME.txt`), ok.stdout);
  },
  Deno.build.os === "windows" || !HAS_PERMISSIONS,
);

Deno.test("a permission missing for some hosts is reported after the walk", {
  ignore: Deno.build.os === "windows" || !HAS_PERMISSIONS,
}, async () => {
  await using server = serveRoutes({
    "/robots.txt": (request) => {
      const { port } = new URL(request.url);
      return new Response(
        `Sitemap: http://127.0.0.1:${port}/a.txt\nSitemap: http://localhost:${port}/b.txt\n`,
      );
    },
    "/a.txt": () => new Response("http://site.test/a\n"),
    "/b.txt": () => new Response("http://site.test/b\n"),
  });
  const permissions = [`--allow-net=${new URL(server.url).host}`];
  const [result] = await assertTranscript("permissions_of_hosts", { site: server.url }, [
    { args: ["ls", "-kf", "pages", server.url], options: { permissions } },
  ]);
  assertEquals(result!.code, 3);
  const { code, stdout } = await runPrinted(result!.stderr);
  assertEquals({ code, stdout }, { code: 0, stdout: "http://site.test/a\nhttp://site.test/b\n" });
});

Deno.test("the hint of the npm package runs it on Deno with all permissions", () => {
  const module = "file:///cache/npm/@sitetree/sitetree/0.1.0/dist/permissions.js";
  assertEquals(
    permittedCommand("--allow-net", module, ["ls", "it's.test"]),
    "deno run --allow-net npm:@sitetree/sitetree ls 'it'\\''s.test'",
  );
});

testOnUnix(
  "the hint of an installed command reinstalls it with all permissions",
  async (folder) => {
    const registered = "https://jsr.io/@sitetree/sitetree/0.1.0/src/cli/main.ts";
    const command = permittedCommand(undefined, registered, ["ls", "https://a.test/"]);
    assertEquals(
      command,
      "deno install --global --force --name sitetree --allow-net --allow-read --allow-write " +
        "--allow-env jsr:@sitetree/sitetree/cli",
    );
    // the same command for the source, twice, since it must replace an installation
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const local = command.replace("install", `install --root . --no-lock --config '${config}'`)
      .replace("jsr:@sitetree/sitetree/cli", `'${MAIN}'`);
    const install = new Deno.Command("sh", {
      args: ["-ec", `${local}; ${local}; bin/sitetree ls ./s.xml -f pages -o pages.txt`],
      cwd: folder,
      env: { PATH: `${Deno.execPath().replace(/\/[^/]*$/, "")}:${Deno.env.get("PATH")}` },
    });
    await Deno.writeTextFile(`${folder}/s.xml`, SITEMAP);
    const { code, stderr } = await install.output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    assertEquals(await Deno.readTextFile(`${folder}/pages.txt`), "https://a.test/it's\n");
  },
);

Deno.test("a missing permission does not prompt without a terminal, and ends the run", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  const { code, stdout, stderr } = await runCli(["ls", "http://site.test/"], { permissions: [] });
  assertEquals({ code, stdout }, { code: 1, stdout: "" });
  assertMatch(
    stderr,
    /^error: Cannot reach "site\.test": no permission to use the network\n {2}run: /,
  );
});
