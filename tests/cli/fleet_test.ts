/** Commands of fleets on PostgreSQL: transcripts, and workers that are interrupted or watched. @module */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { serveRoutes } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { ProcessLines } from "./process_lines.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import {
  ALL_PERMISSIONS,
  type CliOptions,
  type CliResult,
  HAS_PERMISSIONS,
  runCli,
  startCli,
} from "./run_cli.ts";
import { transcripts } from "./transcript.ts";

/** The package that other runtimes test has no packages of a fleet. */
const IGNORED = !HAS_PERMISSIONS || !HAS_POSTGRES;
const PERMISSIONS = [...ALL_PERMISSIONS, "--allow-env"];
const DATABASE = {
  sites: { db: () => startPostgres({ password: "p:w" }) },
  ignore: IGNORED,
};

transcripts("fleet", {}, {
  ...DATABASE,
  env: { SITETREE_DATABASE: "postgres://postgres:p%3Aw@db.test/postgres" },
});
transcripts("postgres", {}, DATABASE);

Deno.test("fleet status --watch follows a run to its end", {
  ignore: IGNORED || !hasTerminal(),
}, async () => {
  await using database = await startPostgres();
  await using site = serveRoutes({ "/sitemap.txt": ({ url }) => new Response(`${url}/page`) });
  const env = { SITETREE_DATABASE: database.url };
  const options = { env, permissions: PERMISSIONS };
  await runCli(["fleet", "enqueue", "nov", "-"], { ...options, stdin: site.url });
  let working: Promise<CliResult> | undefined;
  const { code, output } = await runInTerminal(["fleet", "status", "nov", "--watch"], {
    columns: 60,
    permissions: PERMISSIONS,
    env: [`SITETREE_DATABASE=${database.url}`],
    onOutput(output) {
      if (!output.includes("0 of 1 site")) return;
      working ??= runCli(["fleet", "work", "--drain", "-q"], options);
    },
  });
  assertEquals([code, (await working)?.code], [0, 0]);
  assertStringIncludes(
    output,
    "\x1b[1mnov: idle, round 1, 0 of 1 site, 0 pages\x1b[22m\n\x1b[1A\x1b[J",
  );
  // deno-lint-ignore no-control-regex -- matches colors
  const plain = output.replace(/\x1b\[\d+m/g, "");
  assertMatch(plain, /\[Jnov: done, round 1, 1 of 1 site, 1 page\n {2}1 complete\n.*$/s);
});

Deno.test(
  "fleet work continues a run in which SIGTERM has ended it",
  { ignore: IGNORED },
  () =>
    inFolder(async (cwd) => {
      await using database = await startPostgres();
      const robots = ({ url }: Request) => new Response(`Sitemap: ${new URL("/s.txt", url)}\n`);
      await using first = serveRoutes({
        "/robots.txt": robots,
        "/s.txt": ({ url }) => new Response(`${url}/page\n`),
      });
      const isHanging = Promise.withResolvers<void>();
      let isHeld = true;
      await using second = serveRoutes({
        "/robots.txt": robots,
        "/s.txt": ({ url }) => {
          if (!isHeld) return new Response(`${url}/late\n`);
          isHanging.resolve();
          // ends when the walk is aborted
          return new Response(new ReadableStream<Uint8Array<ArrayBuffer>>({}));
        },
      });
      const options: CliOptions = {
        ...{ cwd, permissions: PERMISSIONS },
        env: { SITETREE_DATABASE: database.url },
      };
      const run = (...args: string[]) => runCli(args, options);
      // other host names are walked at the same time
      const secondUrl = second.url.replace("127.0.0.1", "localhost");
      await runCli(["fleet", "enqueue", "sites", "-"], {
        ...options,
        stdin: `${first.url}\n${secondUrl}\n`,
      });
      const work = ["fleet", "work", "--drain", "-k", "--slots", "2"];
      await using worker = new ProcessLines(startCli(work, options));
      await isHanging.promise;
      let status;
      do status = JSON.parse((await run("fleet", "status", "sites", "-f", "json")).stdout); while (
        status.done === 0
      );
      const ls = ["ls", database.url, "--run", "sites", "-f", "pages"];
      const early = await run(...ls);
      assertEquals(await worker.end("SIGTERM"), 143);
      assertEquals([status.run, status.total, status.done], ["sites", 2, 1]);
      assertEquals(early, {
        code: 0,
        stdout: `${first.url}s.txt/page\n`,
        stderr: 'run "sites": no verdict yet for 1 of 2 sites\n',
      });
      assertMatch(
        worker.all.at(-1)!,
        /^sites, round 1: interrupted: 1 of 2 sites \(1 complete\), 1 page, .*$/,
      );
      isHeld = false;
      const continued = await run(...work);
      assertEquals([continued.code, continued.stdout], [0, ""]);
      assertMatch(continued.stderr, /\nsites, round 1: complete: 2 sites, 2 pages, .*\n$/);
      assertEquals(
        (await run(...ls)).stdout,
        `${first.url}s.txt/page\n${secondUrl}s.txt/late\n`,
      );
      assertEquals(first.counts["/s.txt"], 1);
    }),
);
