/**
 * Checks a package on Node, Bun and Deno: the library, the command line, and the commands by which
 * people run it.
 *
 * @module
 */

import { ROOT } from "../bench/bench_data.ts";
import { serveRoutes } from "../../tests/support/fixture_server.ts";
import { HAS_POSTGRES } from "../../tests/support/postgres.ts";
import { checkAction } from "./action.ts";
import { assertPassed, assertSame } from "./checks.ts";
import { type Command, run } from "../command.ts";
import { checkBlocks, checkExamples } from "./documented.ts";
import { install, type ServerRuntime, versionOf } from "./install.ts";
import { checkProxies, type ProxyRuntime } from "./proxies.ts";
import { serveSmokeSite } from "./smoke_site.ts";
import type { Workspace } from "./workspace.ts";

/** A runtime as the checks need it. */
interface Runner {
  /** Name and version as `sitetree --version` prints them. */
  readonly title: string;
  /** Runs a script, which follows. */
  readonly words: Command;
  /** Runs a file in TypeScript, which follows. */
  readonly source: Command;
  /** Runs a file in TypeScript, which follows, after a module; none where documented code is not run. */
  readonly preload?: (module: string) => Command;
  /** Commands that run the package by its name, by the name of the check. */
  readonly commands: Readonly<Record<string, Command>>;
}

function runnerOf(name: ServerRuntime, program: string): Runner {
  const version = versionOf(name);
  const spec = "@sitetree/sitetree";
  if (name === "bun") {
    return {
      title: `Bun ${version}`,
      words: [program],
      source: [program],
      preload: (module) => [program, "--preload", module],
      commands: { "bunx": [program, "x", "--bun", spec] },
    };
  }
  if (name === "deno" || name === "deno-oldest") {
    return {
      title: `Deno ${version}`,
      words: [program, "run", "--allow-all"],
      // the oldest version does not know the lock file
      source: [program, "run", "--allow-all", "--no-config"],
      ...(name === "deno" && {
        preload: (module) => [program, "run", "--allow-all", `--preload=${module}`],
      }),
      commands: { "deno run npm:": [program, "run", "--allow-all", `npm:${spec}`] },
    };
  }
  return {
    title: `Node.js ${version}`,
    words: [program],
    source: [program],
    // Node 20 does not strip types, and later versions do it as Node 22 does
    ...(name === "node22" && { preload: (module) => [program, "--import", module] }),
    commands: {
      "npx": ["npx", "--yes", spec],
      "npm exec": ["npm", "exec", "--yes", "--", spec],
    },
  };
}

/** Runs all checks on a runtime. */
export async function checkServer(name: ServerRuntime, workspace: Workspace): Promise<void> {
  const { report } = workspace;
  const program = await workspace.installed(name, () => install(name));
  if (program === undefined) return;
  const runner = runnerOf(name, program);
  const env = workspace.environment(name);
  const script = (file: string, ...args: string[]): Promise<string> =>
    run([...runner.words, file, ...args], { cwd: workspace.folder, env });

  await using site = serveSmokeSite();
  await report.check(name, "smoke", async () => {
    const output = await script(`${workspace.folder}/smoke_server.js`, site.origin);
    assertPassed(JSON.parse(output));
  });
  await report.check(name, "conformance", async () => {
    await script(`${workspace.folder}/conformance.js`, "--cases", workspace.casesFolder);
  });
  await report.check(name, "proxies", async () => {
    const kind = name === "node20" ? name : runner.title.split(/\W/)[0]!.toLowerCase();
    const command: Command = [...runner.words, `${workspace.folder}/proxied.js`];
    await checkProxies(command, kind as ProxyRuntime, env);
  });
  const { preload } = runner;
  if (preload !== undefined) {
    await report.check(name, "examples", () => checkExamples(runner.words, workspace.folder));
    await report.check(name, "documentation", () => checkBlocks(preload, workspace.folder, env));
  }
  if (name !== "node20") {
    await report.check(name, "snapshot lock", async () => {
      const options = ["--quiet", "--allow-all", "--no-check", "--filter", "process"];
      await run([Deno.execPath(), "test", ...options, "tests/sync/snapshot_file_test.ts"], {
        cwd: ROOT.pathname,
        env: { "SITETREE_RUNTIME": JSON.stringify(runner.source), "NO_COLOR": "1" },
      });
    });
  }
  // fleets are for the versions of Node that snapshots are for
  if (HAS_POSTGRES && name !== "node20") {
    const database = await workspace.database(name);
    await report.check(name, "fleet", () => checkFleet(database));
    await report.check(name, "fleet command", () => checkFleetCommand(database));
  }
  await report.check(name, "command line", async () => {
    const command = JSON.stringify([...runner.words, await Deno.realPath(workspace.bin)]);
    const options = [
      "--quiet",
      "--allow-all",
      "--no-check",
      "--filter",
      await commandLineTests(name),
    ];
    await run([Deno.execPath(), "test", ...options, "tests/cli"], {
      cwd: ROOT.pathname,
      env: { "SITETREE_COMMAND": command, "NO_COLOR": "1" },
      timeout: COMMAND_LINE_TIMEOUT,
    });
  });
  for (const [title, command] of Object.entries(runner.commands)) {
    await report.check(name, title, () => checkCommand(command));
  }
  if (name === "node22") {
    await report.check(name, "action", async () => {
      await checkAction(await workspace.emptyFolder("action"), commandEnvironment());
    });
  }
  if (runner.title.startsWith("Deno")) {
    await report.check(name, "deno install", async () => {
      const root = await workspace.emptyFolder(`${name}-root`);
      const options = ["--global", "--allow-all", "--root", root, "--name", "sitetree"];
      await run([program, "install", ...options, "npm:@sitetree/sitetree"], {
        cwd: await workspace.emptyFolder(`${name}-install`),
        env: commandEnvironment(),
      });
      await checkCommand([`${root}/bin/sitetree`]);
    });
  }

  async function checkFleet(database: string): Promise<void> {
    assertPassed(JSON.parse(await script(`${workspace.folder}/smoke_fleet.js`, database)));
  }

  /** Checks that the command line walks a site, in the database of the other check. */
  async function checkFleetCommand(database: string): Promise<void> {
    const urls = Array.from({ length: 5 }, (_, at) => `https://site.test/${at}`);
    await using small = serveRoutes({
      "/robots.txt": () => new Response("Sitemap: /pages.txt"),
      "/pages.txt": () => new Response(urls.join("\n")),
    });
    const cwd = await workspace.emptyFolder(`${name}-fleet-command`);
    await Deno.writeTextFile(`${cwd}/sites.txt`, `${small.url}\n`);
    const bin: Command = [...runner.words, await Deno.realPath(workspace.bin)];
    const commands = [
      "fleet enqueue nov sites.txt",
      "fleet work --drain",
      `ls ${database} --run nov -o pages.csv`,
    ];
    for (const command of commands) {
      await run([...bin, ...command.split(" ")], {
        cwd,
        env: { ...env, SITETREE_DATABASE: database },
      });
    }
    const rows = (await Deno.readTextFile(`${cwd}/pages.csv`)).split("\n").slice(1, -1);
    assertSame(rows.map((row) => urls.find((url) => row.includes(url))), urls, "pages");
  }

  /** Returns the environment of a machine on which the runtime is the only one of its name. */
  function commandEnvironment(): Record<string, string> {
    const folder = program!.slice(0, program!.lastIndexOf("/"));
    return { ...env, "PATH": `${folder}:${Deno.env.get("PATH")}` };
  }

  /** Checks that a command runs the package on this runtime. */
  async function checkCommand(command: Command): Promise<void> {
    const options = {
      cwd: await workspace.emptyFolder(`${name}-empty`),
      env: commandEnvironment(),
    };
    const version = await run([...command, "--version"], options);
    if (!version.includes(runner.title)) {
      throw new Error(`"--version" prints ${JSON.stringify(version)} without "${runner.title}"`);
    }
    const expected = await (await fetch(`${site.origin}/list.txt`)).text();
    const listed = await run([...command, "ls", "-f", "pages", `${site.origin}/list.txt`], options);
    assertSame(listed.trim(), expected, "output");
  }
}

/** Runtimes that share the tests of the command line: each test runs on one that supports it. */
const SHARING: readonly (readonly ServerRuntime[])[] = [
  ["node20", "node22", "node24", "node26"],
  // the current one also runs them from source, as all other tests
  ["deno-oldest", "deno"],
];
/** Milliseconds for all tests of the command line, on machines with other work. */
const COMMAND_LINE_TIMEOUT = 600_000;
/** Tests, transcripts and folders of them, of what a runtime cannot do. */
const UNSUPPORTED: Partial<Record<ServerRuntime, readonly string[]>> = {
  // `node:https` checks certificates in spite of `rejectUnauthorized: false`
  "deno-oldest": ["options/insecure", "credentials/redirect"],
  // it fails if a body ends too early, and has other words for invalid expressions
  "bun": ["codes/cut", "usage/regexp"],
  // Node 20 has no SQLite
  "node20": [
    "check/pages",
    "diff/operands",
    "folders/map_origin",
    "folders/not_read",
    "ls/max_pages",
    "operands/every_kind",
    "report/operands",
    "sites/bom",
    "sync/",
    "terminal/widths",
  ],
};

/** Tests of the command line that are no transcripts, and for runtimes other than Deno. */
const CODED = ["--insecure with a proxy names an environment variable on Node and Bun"];

/** Returns a filter of the tests of the command line that are run on a runtime. */
async function commandLineTests(runtime: ServerRuntime): Promise<string> {
  const titles = [...await transcriptTests(), ...CODED];
  const isUnsupported = (name: ServerRuntime, title: string): boolean =>
    UNSUPPORTED[name]?.some((key) => isNamed(title, key)) ?? false;
  const unknown = (UNSUPPORTED[runtime] ?? []).filter((key) =>
    !titles.some((title) => isNamed(title, key))
  );
  if (unknown.length > 0) throw new Error(`Unknown test "${unknown.join('", "')}"`);
  const sharing = SHARING.find((group) => group.includes(runtime)) ?? [runtime];
  const patterns = titles.sort()
    .filter((title, at) => {
      const able = sharing.filter((name) => !isUnsupported(name, title));
      return able[at % able.length] === runtime;
    })
    .map(escapeRegExp);
  return `/^(?:${patterns.join("|")})$/`;
}

/** Whether a test is a transcript of a name, or in a folder such as `sync/`. */
function isNamed(title: string, key: string): boolean {
  return title.includes(` (${key}`);
}

/** Returns the names of the tests that are transcripts. */
async function transcriptTests(): Promise<string[]> {
  const root = new URL("fixtures/transcripts/", ROOT);
  const titles: string[] = [];
  for await (const folder of Deno.readDir(root)) {
    if (!folder.isDirectory) continue;
    for await (const { name } of Deno.readDir(new URL(`${folder.name}/`, root))) {
      const text = await Deno.readTextFile(new URL(`${folder.name}/${name}`, root));
      titles.push(`${text.split("\n", 1)[0]} (${folder.name}/${name.replace(/\.txt$/, "")})`);
    }
  }
  return titles;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
