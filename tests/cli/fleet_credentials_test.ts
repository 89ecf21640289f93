/** Passwords of sites in fleets: that none is printed or stored. @module */

import { assertEquals } from "@std/assert";
import { FaultServer, ok } from "../support/fault_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { HAS_PERMISSIONS, runCli } from "./run_cli.ts";
import {
  assertFilesWithoutSecret,
  assertWithoutSecret,
  hostOf,
  PERMISSIONS,
  SECRET,
  SITE,
  USER,
} from "./secret.ts";

Deno.test("no fleet prints a password", {
  ignore: !HAS_PERMISSIONS || !HAS_POSTGRES,
}, () =>
  inFolder(async (folder) => {
    await using database = await startPostgres();
    await using server = new FaultServer({
      "/robots.txt": ok("Sitemap: {{origin}}/s.xml\nSitemap: {{origin}}/none.xml\n"),
      "/s.xml": SITE["/s.xml"],
    });
    await using denied = new FaultServer({ "*": ok("<html>") });
    const sites = [server, denied].map((site) => `http://${USER}@${hostOf(site)}/`);
    await Deno.writeTextFile(`${folder}/sites.txt`, sites.join("\n"));
    const env = { SITETREE_DATABASE: database.url };
    const options = { cwd: folder, permissions: PERMISSIONS, env };
    const invalid = [
      `https://ann:x/${SECRET}@a.test/`,
      `{"url": "https://${USER}@a.test/", "headers": {"A": "${SECRET}"}`,
      `{"headers": {"A": "${SECRET}"}}`,
      `{"url": "https://${USER}@a.test/", "headers": [["A"], ["${SECRET}"]]}`,
      `{"url": "https://${USER}@a.test/", "x": 1}`,
    ];
    for (const line of invalid) {
      for (
        const args of [["fleet", "enqueue", "other", "-"], ["sync", "--from", "-", "./site.db"]]
      ) {
        const { code, stderr } = await runCli(args, { ...options, stdin: line });
        assertEquals(code, 2, stderr);
        assertWithoutSecret(stderr);
      }
    }
    await runCli(["fleet", "enqueue", "sites", "sites.txt"], options);
    const commands = [
      ["fleet", "work", "--drain", "-vvv"],
      ["fleet", "status"],
      ["fleet", "sites", "sites"],
      ["ls", database.url, "--run", "sites", "-f", "ndjson"],
    ];
    for (const args of commands) {
      const { stdout, stderr } = await runCli(args, options);
      assertWithoutSecret(`${stdout}${stderr}`);
    }
    await assertFilesWithoutSecret(folder, ["sites.txt"]);
  }));
