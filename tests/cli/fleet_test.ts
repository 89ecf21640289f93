import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { openPostgres } from "../../src/fleet/postgres.ts";
import { HAS_POSTGRES, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import { ALL_PERMISSIONS, type CliResult, HAS_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import { assertSteps, type CommandLine } from "./transcript.ts";

/** The package that other runtimes test has no packages of a fleet. */
const WITH_PACKAGES = { ignore: !HAS_PERMISSIONS || Deno.build.os === "windows" };
const ON_POSTGRES = { ignore: WITH_PACKAGES.ignore || !HAS_POSTGRES };

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
  readonly #env: Record<string, string>;

  constructor(database?: TestPostgres) {
    this.#env = database === undefined ? {} : { SITETREE_DATABASE: database.url };
  }

  get options(): { cwd: string; env: Record<string, string>; permissions: string[] } {
    return { cwd: this.folder, env: this.#env, permissions: PERMISSIONS };
  }

  line(...args: string[]): CommandLine {
    return { args: ["fleet", ...args], options: this.options };
  }

  withInput(stdin: string, ...args: string[]): CommandLine {
    return { args: ["fleet", ...args], options: { ...this.options, stdin } };
  }

  async run(...args: string[]): Promise<CliResult> {
    return await runCli(["fleet", ...args], this.options);
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

  get files(): string[] {
    return [...Deno.readDirSync(this.folder)].map(({ name }) => name).sort();
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
    const sites = { one: one.url, gone: gone.url, none: none.url, denied: denied.url };
    await commands.write(
      "sites.txt",
      `# sites\n${one.url}\n\n{"url": "${gone.url}", "useKnownPaths": false}\n${none.url}\n` +
        `${one.url}blog/\n${denied.url}\n`,
    );
    const line = commands.line.bind(commands);
    const work = ["work", "--drain", "-k", "--slots", "1", "--retry-wait", "0s", "--retries", "0"];
    await assertSteps("fleet", sites, [
      line("status"),
      commands.withInput("a.test\nftp://b.test/\n", "enqueue", "nov", "-"),
      commands.withInput('{"url": "a.test", "wiat": 5}', "enqueue", "nov", "-"),
      line("status", "nov"),
      line("enqueue", "nov", "sites.txt"),
      line("enqueue", "nov", "sites.txt"),
      line("pages", "nov", "-o", "none.csv"),
      line("pause", "nov"),
      line(...work),
      line("status", "nov"),
      line("run", "sites.txt", "--run", "nov"),
      line("resume", "nov"),
      line(...work),
      line("status", "nov"),
      line("status", "nvo"),
      line("pages", "nov"),
      line("pages", "nov", "-f", "csv"),
      line("pages", "nov", "-o", "pages.csv.gz"),
      line("dead", "nov"),
      line("redrive", "nov"),
      line(...work, "-q"),
      line("run", "sites.txt", "--run", "nov", "-f", "csv", "-o", "run.csv", "--retry-wait", "0s"),
      line("drop", "nov"),
      line("drop", "dec", "--yes"),
      line("drop", "nov", "--yes"),
      line("drop", "nov", "--yes"),
    ]);
    const csv = new TextDecoder().decode(gunzipSync(Deno.readFileSync(`${folder}/pages.csv.gz`)));
    assertEquals(csv, await commands.read("run.csv"));
    assertEquals(csv.split("\r\n").length, 5);
    assertEquals(await commands.read("none.csv"), csv.slice(0, csv.indexOf("\n") + 1));
  },
);

Deno.test("fleet status, dead and pages have formats for programs", ON_POSTGRES, async () => {
  await using database = await startPostgres({ password: "p:w" });
  await using denied = serveRoutes({ "*": () => new Response("no", { status: 403 }) });
  await using commands = new Commands(database);
  await commands.write("sites.txt", denied.url);
  const options = ["--retry-wait", "0s", "--retries", "0", "-q"];
  const walked = await commands.run("run", "sites.txt", ...options);
  assertEquals(walked, { code: 3, stdout: "", stderr: "" });
  const instant = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d\.\d{3}Z)?/g;
  const timeless = ({ stdout }: CliResult) => stdout.replace(instant, "(time)");
  assertEquals(
    timeless(await commands.run("status")),
    "RUN    SITES  DONE  DEAD  PAGES  STATE  CREATED\n" +
      "sites      1     0     1      0  done   (time)\n",
  );
  const reason = "Cannot read robots.txt: 403 Forbidden";
  const site = { homepage: denied.url, reason, failures: 3, crashes: 0, since: "(time)" };
  const dead = await commands.run("dead", "sites", "-f", "ndjson");
  assertEquals(timeless(dead), `${JSON.stringify(site)}\n`);
  assertEquals(
    timeless(await commands.run("dead", "sites", "-f", "csv")),
    "homepage,reason,failures,crashes,since\r\n" +
      `${denied.url},${reason},3,0,(time)\r\n`,
  );
  const found = JSON.parse(timeless(await commands.run("status", "sites", "-f", "json")));
  assertEquals([found.run, found.total, found.dead, found.etaMs], ["sites", 1, 1, 0]);
  assertEquals([found.hosts, found.deadSites], [[], [site]]);
  const all = JSON.parse(timeless(await commands.run("status", "-f", "json")));
  assertEquals([all.length, all[0].created], [1, "(time)"]);

  const wrong = database.url.replace("p:w", "secret").replace("p%3Aw", "secret");
  const refused = await commands.run("status", "--database", wrong);
  assertEquals(refused.code, 1);
  assertMatch(refused.stderr, /^error: Cannot connect to ".*": wrong user or password\n$/);
  assert(!refused.stderr.includes("secret"), refused.stderr);
  const tables = await openPostgres(database.url, { connections: 1, leaseSeconds: 30 });
  await tables.query("update sitetree.meta set version = 99");
  await tables.close();
  assertEquals(await commands.run("enqueue", "nov", "sites.txt"), {
    code: 1,
    stdout: "",
    stderr: "error: Cannot use this fleet: schema version 99 is newer than 1; update sitetree\n",
  });
  await database.kill("SIGINT");
  const unreachable = await commands.run("enqueue", "nov", "sites.txt");
  assertEquals(unreachable.code, 1);
  assertMatch(unreachable.stderr, /^error: Cannot connect to ".*": connection refused\n$/);
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
    "\x1b[1mnov: idle, 0 of 1 site, 0 pages\x1b[22m\n\x1b[1A\x1b[J",
  );
  assertMatch(plain(watched.output), /\[Jnov: done, 1 of 1 site, 3 pages\n {2}1 complete\n.*$/s);
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
    assertStringIncludes(output, 'Delete run "nov" with 1 site, 3 pages? [y/N] ');
    assertStringIncludes(output, answer);
  }
});

Deno.test(
  "fleet run continues in a directory where SIGTERM has ended it",
  WITH_PACKAGES,
  async () => {
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
    await using commands = new Commands();
    await commands.write("sites.txt", `${first.url}\n${second.url}\n`);
    const args = ["run", "sites.txt", "-o", "pages.ndjson", "--data", "data", "-k", "--slots", "1"];
    const child = commands.start(...args, "--serve", "0");
    await isHanging.promise;
    const inUse = await commands.run("pages", "sites", "--data", "data");
    const [served = ""] = /http:\S+/.exec(inUse.stderr) ?? [];
    const status = await (await fetch(`${served}status.json`)).json();
    child.kill("SIGTERM");
    const stderr = await new Response(child.stderr).text();
    await child.stdout.cancel();
    assertEquals((await child.status).code, 143);
    assertEquals(inUse, {
      code: 1,
      stdout: "",
      stderr: `error: Cannot open "data": in use by pid ${child.pid}, status at ${served}\n`,
    });
    assertEquals([status.run, status.total], ["sites", 2]);
    assert(stderr.startsWith(`status of run "sites" at ${served}\n`), stderr);
    assertMatch(
      stderr,
      /\ninterrupted: 1 of 2 sites \(1 complete\), 2 pages, .*\n {2}run the same command to continue\n$/,
    );
    assertEquals(commands.files, ["data", "sites.txt"]);
    isHeld = false;
    const continued = await commands.run(...args);
    assertEquals([continued.code, continued.stdout], [0, ""]);
    assertMatch(
      continued.stderr,
      /^continuing run "sites": 1 of 2 sites done\ncomplete: 2 sites, 3 pages, .*\n$/,
    );
    const pages = (await commands.read("pages.ndjson")).trim().split("\n").map((text) => {
      const { url, site, lastModified } = JSON.parse(text);
      return [url, site, lastModified];
    });
    assertEquals(pages, [
      [`${first.url}0`, first.url, "2024-05-01"],
      [`${first.url}1`, first.url, undefined],
      [`${second.url}late`, second.url, undefined],
    ]);
    assertEquals(first.counts["/s.xml"], 1);
  },
);

Deno.test(
  "fleet run leaves nothing but its output without a directory",
  WITH_PACKAGES,
  async () => {
    await using site = serveSite(2);
    await using commands = new Commands();
    await Deno.mkdir(`${commands.folder}/tmp`);
    const args = ["run", "-", "-f", "csv", "-k", "-A", "mill/1.0", "-vv", "-l", "log.txt"];
    const { code, stdout, stderr } = await runCli(["fleet", ...args], {
      ...commands.options,
      env: { TMPDIR: `${commands.folder}/tmp` },
      stdin: site.url,
    });
    assertMatch(stderr, /^complete: 1 site, 2 pages, .*\n$/);
    assertEquals(code, 0);
    const common = `${site.url}s.xml,${site.url}\r\n`;
    assertEquals(
      stdout,
      "url,priority,lastModified,changeFrequency,sitemap,site\r\n" +
        `${site.url}0,0.7,2024-05-01,,${common}${site.url}1,,,,${common}`,
    );
    assertEquals([...Deno.readDirSync(`${commands.folder}/tmp`)], []);
    const agents = site.requests.map(({ headers }) => headers.get("user-agent"));
    assertEquals(agents, ["mill/1.0", "mill/1.0"]);
    assertMatch(await commands.read("log.txt"), /^\S+ DEBUG GET http:\S+\/robots\.txt\n/);
  },
);
