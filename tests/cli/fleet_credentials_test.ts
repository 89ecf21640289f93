/** Passwords of sites in fleets: that none is printed or stored. @module */

import { assertEquals } from "@std/assert";
import { FaultServer, ok } from "../support/fault_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { HAS_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import {
  assertFilesWithoutSecret,
  assertWithoutSecret,
  hostOf,
  PERMISSIONS,
  SECRET,
  SITE,
  USER,
} from "./secret.ts";

Deno.test("no fleet prints or shows a password", {
  ignore: !HAS_PERMISSIONS || !HAS_POSTGRES,
}, () =>
  inFolder(async (folder) => {
    await using database = await startPostgres();
    const shown = Promise.withResolvers<void>();
    await using server = new FaultServer({
      "/robots.txt": ok("Sitemap: {{origin}}/s.xml\nSitemap: {{origin}}/none.xml\n"),
      "/s.xml": async (wire) => {
        await shown.promise;
        await SITE["/s.xml"](wire);
      },
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
      for (const args of [["fleet", "enqueue", "other", "-"], ["sync", "-", "./site.db"]]) {
        const { code, stderr } = await runCli(args, { ...options, stdin: line });
        assertEquals(code, 2, stderr);
        assertWithoutSecret(stderr);
      }
    }
    await runCli(["fleet", "enqueue", "sites", "sites.txt"], options);
    const args = ["fleet", "work", "--drain", "-vvv", "--serve", "0"];
    const child = startCli(args, options);
    let stderr = "", isShown = false;
    const stdout = new Response(child.stdout).text();
    const reading = child.stderr.pipeThrough(new TextDecoderStream());
    for await (const text of reading) {
      stderr += text;
      const [page] = /http:\/\/\S+\/(?=\n)/.exec(stderr.split("status of ")[1] ?? "") ?? [];
      if (page === undefined || isShown) continue;
      for (const url of [page, `${page}status.json`]) {
        assertWithoutSecret(await (await fetch(url)).text());
      }
      isShown = true;
      shown.resolve();
    }
    assertWithoutSecret(`${await stdout}${stderr}`);
    await child.status;
    for (const command of ["status", "sites", "pages"]) {
      const { stdout, stderr } = await runCli(
        ["fleet", command, ...(command === "status" ? [] : ["sites"])],
        options,
      );
      assertWithoutSecret(`${stdout}${stderr}`);
    }
    await assertFilesWithoutSecret(folder, ["sites.txt"]);
  }));
