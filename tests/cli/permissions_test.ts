/** Hints for missing permissions: commands that have them. @module */

import { assertEquals } from "@std/assert";
import { permittedCommand } from "../../src/cli/failure.ts";
import { testOnUnix } from "./folder_cases.ts";
import { HAS_PERMISSIONS, MAIN } from "./run_cli.ts";
import { transcripts } from "./transcript.ts";

const SITEMAP = "<urlset><url><loc>https://a.test/it's</loc></url></urlset>";
const ignore = Deno.build.os === "windows" || !HAS_PERMISSIONS;

transcripts("permissions", {
  none: { ignore, permissions: [] },
  net: { ignore, permissions: ["--allow-net"] },
  hosts: {
    ignore,
    permissions: ["--allow-net=127.0.0.1,a.test", "--allow-read", "--allow-write"],
  },
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
