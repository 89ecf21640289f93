import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { HAS_POSTGRES, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import {
  ALL_PERMISSIONS,
  type CliOptions,
  type CliResult,
  HAS_PERMISSIONS,
  runCli,
  startCli,
} from "./run_cli.ts";
import { assertSteps, type CommandLine } from "./transcript.ts";

/** The package that other runtimes test has no packages of a fleet. */
const ON_POSTGRES = { ignore: !HAS_PERMISSIONS || !HAS_POSTGRES };

const PERMISSIONS = [...ALL_PERMISSIONS, "--allow-env"];

/** Serves a site with some pages; `robots` is what else robots.txt has. */
function serveSite(pages: number, robots = ""): FixtureServer {
  return serveRoutes({
    "/robots.txt": () => new Response(`Sitemap: /s.xml\n${robots}`),
    "/s.xml": (request) => {
      const { origin } = new URL(request.url);
      const urls = Array.from({ length: pages }, (_, at) => {
        const date = at === 0 ? "<lastmod>2024-05-01</lastmod><priority>0.7</priority>" : "";
        return `<url><loc>${origin}/${at}</loc>${date}</url>`;
      });
      return new Response(`<urlset>${urls.join("")}</urlset>`);
    },
  });
}

/** Commands that use one database, in a folder of their own. */
class Commands implements AsyncDisposable {
  readonly folder: string = Deno.makeTempDirSync();
  readonly #url: string;

  constructor(database: TestPostgres) {
    this.#url = database.url;
  }

  get options(): { cwd: string; env: Record<string, string>; permissions: string[] } {
    return { cwd: this.folder, env: { SITETREE_DATABASE: this.#url }, permissions: PERMISSIONS };
  }

  line(...args: string[]): CommandLine {
    return { args: ["fleet", ...args], options: this.options };
  }

  /** Returns the line that lists the pages of a run. */
  ls(run: string, ...args: string[]): { args: string[]; options: CliOptions } {
    const options = { cwd: this.folder, permissions: PERMISSIONS };
    return { args: ["ls", this.#url, "--run", run, ...args], options };
  }

  withInput(stdin: string, ...args: string[]): CommandLine {
    return { args: ["fleet", ...args], options: { ...this.options, stdin } };
  }

  async run(...args: string[]): Promise<CliResult> {
    return await runCli(["fleet", ...args], this.options);
  }

  async runLs(run: string, ...words: string[]): Promise<CliResult> {
    const { args, options } = this.ls(run, ...words);
    return await runCli(args, options);
  }

  start(...args: string[]): Deno.ChildProcess {
    return startCli(["fleet", ...args], this.options);
  }

  async write(name: string, text: string): Promise<void> {
    await Deno.writeTextFile(`${this.folder}/${name}`, text);
  }

  async read(name: string): Promise<string> {
    return await Deno.readTextFile(`${this.folder}/${name}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** Returns output without bold text. */
function plain(output: string): string {
  // deno-lint-ignore no-control-regex
  return output.replace(/\x1b\[\d+m/g, "");
}

Deno.test(
  "fleet commands walk sites on PostgreSQL and write their pages",
  ON_POSTGRES,
  async () => {
    await using database = await startPostgres();
    await using one = serveSite(2);
    await using gone = serveSite(1, "Sitemap: /gone.xml\n");
    await using none = serveRoutes({});
    await using denied = serveRoutes({ "*": () => new Response("no", { status: 403 }) });
    await using commands = new Commands(database);
    const { folder } = commands;
    const walked = { one: one.url, gone: gone.url, none: none.url, denied: denied.url };
    const sites = { ...walked, db: database.url };
    await commands.write(
      "sites.txt",
      `# sites\n${one.url}\n\n{"url": "${gone.url}", "useKnownPaths": false}\n${none.url}\n` +
        `${one.url}blog/\n${denied.url}\n`,
    );
    const line = commands.line.bind(commands), ls = commands.ls.bind(commands);
    const work = ["work", "--drain", "-k", "--slots", "1", "--retries", "0"];
    await assertSteps("fleet", sites, [
      line("status"),
      commands.withInput("a.test\nftp://b.test/\n", "enqueue", "nov", "-"),
      commands.withInput('{"url": "a.test", "wiat": 5}', "enqueue", "nov", "-"),
      line("enqueue", "nov", "missing.txt"),
      line("status", "nov"),
      line("enqueue", "nov", "sites.txt"),
      line("enqueue", "nov", "sites.txt"),
      ls("nov", "-o", "none.csv"),
      line("pause", "nov"),
      line(...work),
      line("status", "nov"),
      line("resume", "nov"),
      line(...work),
      line("status", "nov"),
      line("status", "nvo"),
      ls("nvo"),
      ls("nov", "-f", "ndjson"),
      ls("nov", "-f", "csv"),
      ls("nov", "-o", "pages.csv.gz"),
      ls("nov", "--max-pages", "1"),
      line("sites", "nov"),
      line("sites", "nov", "--verdict", "failed"),
      line("sites", "nov", "--code", "http-status"),
      line("sites", "nov", "--verdict", "partial", "--code", "http-status"),
      line("work", "--run", "nvo"),
      line("retry", "nov"),
      line("retry", "nov", "--verdict", "blocked"),
      line("retry", "nov", "--site", "http://a.test/"),
      line("retry", "nov", "--site", `${one.url}blog/`),
      line(...work),
      line("enqueue", "nov", "sites.txt", "--every", "24h"),
      line(...work, "-q"),
      line("status", "nov"),
      ls("nov", "-f", "csv", "-o", "again.csv"),
      {
        args: ["snapshot", "forget", database.url, gone.url],
        options: { permissions: PERMISSIONS },
      },
      ls("nov", "-f", "pages"),
      line("drop", "nov"),
      line("drop", "dec", "--yes"),
      line("drop", "nov", "--yes"),
      line("drop", "nov", "--yes"),
    ]);
    const csv = new TextDecoder().decode(gunzipSync(Deno.readFileSync(`${folder}/pages.csv.gz`)));
    assertEquals(csv, await commands.read("again.csv"));
    assertEquals(csv.split("\r\n").length, 5);
  },
);

Deno.test("fleet status and sites have formats for programs", ON_POSTGRES, async () => {
  await using database = await startPostgres({ password: "p:w" });
  await using denied = serveRoutes({ "*": () => new Response("no", { status: 403 }) });
  await using commands = new Commands(database);
  await commands.write("sites.txt", denied.url);
  await commands.run("enqueue", "sites", "sites.txt", "--every", "1d");
  const walked = await commands.run("work", "--drain", "--retries", "0", "-q");
  assertEquals(walked, { code: 0, stdout: "", stderr: "" });
  const instant = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d\.\d{3}Z)?/g;
  const timeless = ({ stdout }: CliResult) => stdout.replace(instant, "(time)");
  assertEquals(
    timeless(await commands.run("status")),
    "RUN    ROUND  SITES  DONE  WAITING  PAGES  STATE  CREATED           NEXT\n" +
      "sites      1      1     1        0      0  done   (time)  (time)\n",
  );
  const reason = "403 Forbidden";
  const row = ["blocked", 0, 0, "http-status"] as const;
  const [verdict, pages, tries, code] = row;
  const finished = "(time)";
  assertEquals(
    timeless(await commands.run("sites", "sites", "-f", "ndjson")),
    `${JSON.stringify({ site: denied.url, verdict, pages, tries, code, finished, reason })}\n`,
  );
  assertEquals(
    timeless(await commands.run("sites", "sites", "--verdict", "blocked", "-f", "csv")),
    "site,verdict,pages,tries,code,finished,reason\r\n" +
      `${denied.url},${row.join()},${finished},${reason}\r\n`,
  );
  const found = JSON.parse(timeless(await commands.run("status", "sites", "-f", "json")));
  assertEquals([found.run, found.round, found.total, found.etaMs], ["sites", 1, 1, 0]);
  assertEquals([found.hosts, found.verdicts.blocked, found.suspects], [[], 1, 0]);
  assertEquals(found.failures, [{ code: "http-status", sites: 1 }]);
  const { homepage } = found.unread[0];
  assertEquals([homepage, found.unread[0].reason], [denied.url, reason]);
  const all = JSON.parse(timeless(await commands.run("status", "-f", "json")));
  assertEquals([all.length, all[0].created, all[0].every], [1, "(time)", 86_400_000]);

  const wrong = database.url.replace("p:w", "secret").replace("p%3Aw", "secret");
  const lines = [
    ["status", "--database", wrong],
    ["enqueue", "nov", "sites.txt", "--database", wrong],
  ];
  for (const line of lines) {
    const refused = await commands.run(...line);
    assertEquals(refused.code, 1);
    assertMatch(
      refused.stderr,
      /^error: Cannot connect to ".*": wrong user or password\n {2}check user and password; .*\n$/,
    );
    assert(!refused.stderr.includes("secret"), refused.stderr);
  }
  await database.kill("SIGINT");
  const unreachable = await commands.run("enqueue", "nov", "sites.txt");
  assertEquals(unreachable.code, 1);
  assertMatch(
    unreachable.stderr,
    /^error: Cannot connect to ".*": connection refused\n {2}check host, port .*\n$/,
  );
  assert(!/p(?::|%3A)w/.test(unreachable.stderr), unreachable.stderr);
});

Deno.test("fleet status --watch and fleet drop use the terminal", {
  ignore: ON_POSTGRES.ignore || !hasTerminal(),
}, async () => {
  await using database = await startPostgres();
  await using site = serveSite(3);
  await using commands = new Commands(database);
  await commands.write("sites.txt", site.url);
  await commands.run("enqueue", "nov", `${commands.folder}/sites.txt`);
  const terminal = {
    columns: 60,
    permissions: PERMISSIONS,
    env: [`SITETREE_DATABASE='${database.url}'`],
  };
  let working: Promise<CliResult> | undefined;
  const watched = await runInTerminal(["fleet", "status", "nov", "--watch"], {
    ...terminal,
    onOutput(output) {
      if (output.includes("0 of 1 site")) working ??= commands.run("work", "--drain", "-q");
    },
  });
  assertEquals((await working)?.code, 0);
  assertEquals(watched.code, 0);
  assertStringIncludes(
    watched.output,
    "\x1b[1mnov: idle, round 1, 0 of 1 site, 0 pages\x1b[22m\n\x1b[1A\x1b[J",
  );
  assertMatch(
    plain(watched.output),
    /\[Jnov: done, round 1, 1 of 1 site, 3 pages\n {2}1 complete\n.*$/s,
  );
  const keys = [["n\r", "nothing was deleted"], ["y\r", 'run "nov" deleted']] as const;
  for (const [key, answer] of keys) {
    let isAsked = false;
    const { code, output } = await runInTerminal(["fleet", "drop", "nov"], {
      ...terminal,
      onOutput(output, type) {
        if (isAsked || !output.includes("[y/N] ")) return;
        isAsked = true;
        type(key);
      },
    });
    assertEquals(code, 0);
    assertStringIncludes(output, 'Delete run "nov" with 1 site? [y/N] ');
    assertStringIncludes(output, answer);
  }
});

Deno.test("fleet work continues a run in which SIGTERM has ended it", ON_POSTGRES, async () => {
  await using database = await startPostgres();
  await using first = serveSite(2);
  const isHanging = Promise.withResolvers<void>();
  let isHeld = true;
  await using second = serveRoutes({
    "/robots.txt": () => new Response("Sitemap: /s.txt\n"),
    "/s.txt": (request) => {
      if (!isHeld) return new Response(`${new URL(request.url).origin}/late\n`);
      isHanging.resolve();
      // ends when the walk is aborted
      return new Response(new ReadableStream<Uint8Array<ArrayBuffer>>({}));
    },
  });
  await using commands = new Commands(database);
  // other host names are walked at the same time
  const secondUrl = second.url.replace("127.0.0.1", "localhost");
  await commands.write("sites.txt", `${first.url}\n${secondUrl}\n`);
  await commands.run("enqueue", "sites", "sites.txt");
  const args = ["work", "--drain", "-k", "--slots", "2"];
  const child = commands.start(...args);
  await isHanging.promise;
  let status;
  do status = JSON.parse((await commands.run("status", "sites", "-f", "json")).stdout); while (
    status.done === 0
  );
  const early = await commands.runLs("sites", "-f", "pages");
  child.kill("SIGTERM");
  const stderr = await new Response(child.stderr).text();
  await child.stdout.cancel();
  assertEquals((await child.status).code, 143);
  assertEquals([status.run, status.total, status.done], ["sites", 2, 1]);
  assertEquals(early, {
    code: 0,
    stdout: `${first.url}0\n${first.url}1\n`,
    stderr: 'run "sites": no verdict yet for 1 of 2 sites\n',
  });
  const cut =
    /^\S+ INFO started: .*\nsites, round 1: interrupted: 1 of 2 sites \(1 complete\), 2 pages, .*\n$/;
  assertMatch(stderr, cut);
  isHeld = false;
  const continued = await commands.run(...args);
  assertEquals([continued.code, continued.stdout], [0, ""]);
  assertMatch(continued.stderr, /\nsites, round 1: complete: 2 sites, 3 pages, .*\n$/);
  await commands.runLs("sites", "-o", "pages.ndjson");
  const pages = (await commands.read("pages.ndjson")).trim().split("\n").map((text) => {
    const { url, site, lastModified } = JSON.parse(text);
    return [url, site, lastModified];
  });
  assertEquals(pages, [
    [`${first.url}0`, first.url, "2024-05-01"],
    [`${first.url}1`, first.url, undefined],
    [`${secondUrl}late`, secondUrl, undefined],
  ]);
  assertEquals(first.counts["/s.xml"], 1);
});

Deno.test(
  "fleet work sends the headers and writes the log that options ask for",
  ON_POSTGRES,
  async () => {
    await using database = await startPostgres();
    await using site = serveSite(2);
    await using commands = new Commands(database);
    await runCli(["fleet", "enqueue", "nov", "-"], { ...commands.options, stdin: site.url });
    const args = ["work", "--drain", "-k", "-A", "mill/1.0", "-vv", "-l", "log.txt"];
    const { code, stderr } = await commands.run(...args);
    assertMatch(stderr, /^\S+ INFO started: .*\nnov, round 1: complete: 1 site, 2 pages, .*\n$/);
    assertEquals(code, 0);
    const agents = site.requests.map(({ headers }) => headers.get("user-agent"));
    assertEquals(agents, ["mill/1.0", "mill/1.0"]);
    const lines = /^\S+ INFO started: .*\n\S+ DEBUG GET http:\S+\/robots\.txt\n/;
    assertMatch(await commands.read("log.txt"), lines);
  },
);
