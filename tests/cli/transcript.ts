/**
 * Transcripts of command lines in `fixtures/transcripts/`: what is typed in a shell, and what follows.
 *
 *     Shows the pages of a site in a pipe, and on a terminal of 80 columns.   (the name of the test)
 *
 *     $ sitetree ls -f pages http://blog.test/
 *     http://blog.test/one
 *     2> complete: 1 sitemap, 1 page, {{time}}
 *     exit 0
 *
 *     80$ sitetree ls http://blog.test/
 *
 * The commands are read from the transcript, and run one after the other in an empty folder;
 * `UPDATE_GOLDEN=1` writes what they print below each. A new transcript is a file of a title and of
 * commands. Folders below `www/` are sites, as `SiteFiles` reads them: `cp -r $SITES/small www/blog` is
 * served at `http://blog.test/`. Other sites, and files, are in the table of the test:
 *
 *     transcripts("ls", {
 *       operands: { sites: { blog: { "/sitemap.xml": urlset("/one") } }, files: { "a.txt": "b" } },
 *     });
 *
 * | line                          | does                                                             |
 * | ----------------------------- | ---------------------------------------------------------------- |
 * | `$ [A=b] sitetree …`          | runs a command line; after `printf '…' \|` or with `< FILE`,      |
 * |                               | standard input; `> FILE` takes standard output                   |
 * | `80$ sitetree …`              | runs it on a terminal of 80 columns; standard input is typed    |
 * |                               | when it asks                                                       |
 * | `$ requests blog [HEADER…]`   | lists the requests that a site got since the last such line      |
 * | `$ next blog`                 | changes a site to the next one of its list                       |
 * | any other line                | is run by a shell: `cat FILE`, `gzip FILE`, `sitetree … \| head`; |
 * |                               | after a backslash at its end, the next one follows `> `          |
 *
 * At `closed.test`, connections are refused; `blog-localhost.test` is another host of a site.
 *
 * In output, `␛` is Escape. Text between the output of a command and the next one is kept: it says what
 * is shown.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { VERSION } from "../../src/data/version.ts";
import { type Files, withFolder, writeFiles } from "../disk/with_folder.ts";
import {
  type Answer,
  FaultServer,
  type FaultServerOptions,
  ok,
  status,
} from "../support/fault_server.ts";
import { FixtureServer, serveSite } from "../support/fixture_server.ts";
import { decoded } from "../support/process_output.ts";
import { SiteFiles, SITES } from "../support/site_files.ts";
import { timeless } from "../support/timeless.ts";
import { assertFits } from "./fitting.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import { type CliResult, commandWords, MAIN, runCli } from "./run_cli.ts";
import { closedUrl } from "./sites.ts";

const TRANSCRIPTS = new URL("../../fixtures/transcripts/", import.meta.url);

/** What no transcript is to be refused, so that all of them share a process. */
const PERMISSIONS: readonly string[] = ["net", "read", "write", "env", "sys"]
  .map((name) => `--allow-${name}`);

/** A document, the status of a response without one, or any answer; of several, the last one stays. */
export type Reply = string | number | Answer | readonly Answer[];

/** Replies by path with query; `*` is for all other paths. */
export type Site = Readonly<Record<string, Reply>>;

/** A server of another kind: with TLS, one that reacts to what it is sent, or a database. */
export interface Server extends AsyncDisposable {
  readonly url: string;
  readonly requests?: readonly { method: string; path: string; headers: Headers }[];
}

type SceneSite = Site | readonly Site[] | string | (() => Server | Promise<Server>);

export interface Scene {
  /**
   * Sites by their names: `blog` is `http://blog.test/`. A list has the states of a site, one after
   * the other; a string names a folder of `fixtures/sites/`.
   */
  readonly sites?: Readonly<Record<string, SceneSite>>;
  /** Files of the folder that commands run in; text has the names of sites for their hosts. */
  readonly files?: Files;
  /** Environment variables of all commands. */
  readonly env?: Readonly<Record<string, string>>;
  /** Permissions. Default: all that commands need. */
  readonly permissions?: readonly string[];
  readonly ignore?: boolean;
}

/**
 * Defines a test for each transcript of a folder of `fixtures/transcripts/`, with the scene of its name,
 * or else the one for all others.
 */
export function transcripts(
  folder: string,
  scenes: Readonly<Record<string, Scene>> = {},
  others: Scene = {},
): void {
  const names = Array.from(
    Deno.readDirSync(new URL(`${folder}/`, TRANSCRIPTS)),
    ({ name }) => name.replace(/\.txt$/, ""),
  );
  for (const name of new Set([...names, ...Object.keys(scenes)].sort())) {
    const scene = scenes[name] ?? others;
    const text = readTranscript(folder, name);
    const title = text.slice(0, text.indexOf("\n"));
    const isIgnored = scene.ignore || /^\d+\$ /m.test(text) && !hasTerminal();
    Deno.test(`${title} (${folder}/${name})`, { ignore: isIgnored }, async () => {
      const played = await play(text, scene);
      if (Deno.env.get("UPDATE_GOLDEN") !== "1") assertEquals(played, text);
      else await Deno.writeTextFile(pathOf(folder, name), played);
    });
  }
}

export function readTranscript(folder: string, name: string): string {
  return Deno.readTextFileSync(pathOf(folder, name));
}

function pathOf(folder: string, name: string): URL {
  return new URL(`${folder}/${name}.txt`, TRANSCRIPTS);
}

/** A command: the width of its terminal, its line, and what was printed. */
const COMMAND_REGEXP =
  /^(\d*)\$ (.*(?:(?<=\\)\n> .*)*)\n(?:(?:(?!exit \d+$|\d*\$ )[^\n]*\n)*exit \d+\n)?/gm;

/** Returns a transcript with what its commands print now. */
export async function play(text: string, scene: Scene): Promise<string> {
  let played = "";
  await withFolder({}, async (cwd) => {
    await using stage = new Stage(scene, cwd);
    await stage.serve(text);
    let end = 0;
    for (const { 0: all, 1: columns, 2: line, index } of text.matchAll(COMMAND_REGEXP)) {
      const output = await stage.run(line!, Number(columns));
      const between = text.slice(end, index) || "\n";
      played += `${between}${columns}$ ${line}\n${output}`;
      end = index + all.length;
    }
    played += text.slice(end);
  });
  return played;
}

/** A site that a transcript can ask about. */
interface Served {
  readonly server: Server;
  /** What follows. */
  readonly states: Site[];
  /** Number of requests that were listed. */
  listed: number;
}

/** A word: quoted parts, and others. */
const WORD = String.raw`(?:'[^']*'|\\.|[^\s'"\\|<>;&$*()~])+`;
/** A command line without a pipe or anything else that needs a shell. */
const LINE_REGEXP = new RegExp(
  String.raw`^(?:printf (?<stdin>${WORD}) \| )?(?<env>(?:\w+=${WORD} )*)` +
    String.raw`sitetree(?<args>(?: ${WORD})*?)(?: < (?<from>${WORD}))?(?: > (?<to>${WORD}))?$`,
);

/** The servers and the folder of a transcript. */
class Stage implements AsyncDisposable {
  readonly #cwd: string;
  readonly #scene: Scene;
  readonly #permissions: readonly string[];
  readonly #sites = new Map<string, Served>();
  /** Sites in folders. */
  readonly #folders = new Map<string, FixtureServer>();
  readonly #urls: Record<string, string> = {};

  constructor(scene: Scene, cwd: string) {
    this.#cwd = cwd;
    this.#scene = scene;
    this.#permissions = scene.permissions ?? PERMISSIONS;
  }

  /** Starts the sites of the scene, and those whose folders a transcript names; writes its files. */
  async serve(text: string): Promise<void> {
    for (const [, name] of text.matchAll(/\bwww\/([a-z]+)/g)) {
      if (this.#folders.has(name!)) continue;
      // the sizes of compressed bodies depend on the port
      const server = new FixtureServer(undefined, { gzip: false });
      this.#folders.set(name!, server);
      this.#add(name!, { server, states: [], listed: 0 });
    }
    if (this.#folders.size > 0) await Deno.mkdir(`${this.#cwd}/www`);
    for (const [name, site] of Object.entries(this.#scene.sites ?? {})) {
      this.#add(name, await served(site));
    }
    // after the others, which could be given its port
    this.#urls["closed"] = closedUrl();
    const files = Object.entries(this.#scene.files ?? {}).map(([path, content]) =>
      [path, typeof content === "string" ? this.#real(content) : content] as const
    );
    await writeFiles(this.#cwd, Object.fromEntries(files));
  }

  #add(name: string, site: Served): void {
    this.#sites.set(name, site);
    this.#urls[name] = site.server.url;
  }

  /** Runs a line. Returns its output and exit code. */
  async run(line: string, columns: number): Promise<string> {
    const [program, name = "", ...rest] = line.split(" ");
    if (program === "requests") return this.#requests(this.#sites.get(name)!, rest);
    if (program === "next") return this.#next(this.#sites.get(name)!);
    const result = columns > 0
      ? await this.#runInTerminal(line, columns)
      : await this.#runPiped(line);
    return this.#named(printed(result));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { server } of this.#sites.values()) await server[Symbol.asyncDispose]();
  }

  #requests(site: Served, headers: readonly string[]): string {
    const { requests = [] } = site.server;
    const lines = requests.slice(site.listed).map(({ method, path, headers: sent }) => {
      const shown = headers.map((name) => `  ${name}: ${sent.get(name)?.trim() ?? ""}`);
      return `${[`${method} ${path}`, ...shown].join("")}\n`;
    });
    site.listed = requests.length;
    return this.#named(`${lines.join("")}exit 0\n`);
  }

  #next({ server, states }: Served): string {
    (server as FaultServer).site = answersOf(states.shift()!);
    return "exit 0\n";
  }

  async #runPiped(line: string): Promise<CliResult> {
    const env = this.#env;
    const options = { cwd: this.#cwd, permissions: this.#permissions };
    const { groups } = LINE_REGEXP.exec(line) ?? {};
    if (groups === undefined) return await this.#runInShell(line);
    const { stdin, env: given = "", args = "", from, to } = groups;
    for (const word of wordsOf(this.#real(given))) {
      const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(word)!;
      env[name] = value;
    }
    const result = await runCli(wordsOf(this.#real(args)), {
      ...options,
      ...(Object.keys(env).length > 0 && { env }),
      ...(stdin !== undefined && { stdin: unescaped(wordsOf(this.#real(stdin))[0]!) }),
      ...(from !== undefined && { stdin: await Deno.readFile(`${this.#cwd}/${wordsOf(from)[0]}`) }),
    });
    if (to === undefined) return result;
    await Deno.writeTextFile(`${this.#cwd}/${wordsOf(to)[0]}`, result.stdout);
    return { ...result, stdout: "" };
  }

  get #env(): Record<string, string> {
    const settings = Object.entries(this.#scene.env ?? {});
    return Object.fromEntries(settings.map(([name, value]) => [name, this.#real(value)]));
  }

  async #runInShell(line: string): Promise<CliResult> {
    const words = commandWords([], this.#permissions).map(shellQuoted).join(" ");
    const lines = this.#real(line).replaceAll("\\\n> ", "\n");
    const shell = new Deno.Command("sh", {
      args: ["-c", `unset NO_COLOR; sitetree() { ${words} "$@"; }\n${lines}`],
      cwd: this.#cwd,
      env: { ...this.#env, SITES: SITES.pathname, DENO: Deno.execPath() },
      stdin: "null",
    });
    const result = decoded(await shell.output());
    for (const [name, server] of this.#folders) {
      server.site = new SiteFiles(`${this.#cwd}/www/${name}`);
    }
    return result;
  }

  async #runInTerminal(line: string, columns: number): Promise<CliResult> {
    const { stdin = "''", env = "", args = "" } = LINE_REGEXP.exec(line)!.groups!;
    const settings = Object.entries(this.#env).map(([name, value]) => `${name}=${value}`);
    let isTyped = false;
    const { code, output } = await runInTerminal(wordsOf(this.#real(args)), {
      columns,
      env: [...settings, ...wordsOf(this.#real(env))],
      permissions: this.#permissions,
      cwd: this.#cwd,
      onOutput(output, type) {
        // a question ends with a space
        if (isTyped || !output.endsWith("] ")) return;
        isTyped = true;
        type(unescaped(wordsOf(stdin)[0]!));
      },
    });
    // without the progress line, which is erased
    const lines = output.split("\n").map((line) => line.split("\r\x1b[K").at(-1)!);
    assertFits(lines.join("\n"), columns, line);
    return { code, stdout: lines.join("\n"), stderr: "" };
  }

  /** Replaces names by hosts. */
  #real(line: string): string {
    let real = line.replaceAll("{{folder}}", this.#cwd);
    for (const [name, url] of Object.entries(this.#urls)) {
      const { host, port } = new URL(url);
      real = real.replace(
        new RegExp(String.raw`(?<![\w.-])${name}(-localhost)?\.test\b`, "g"),
        (_, localhost) => localhost === undefined ? host : `localhost:${port}`,
      );
    }
    return real;
  }

  #named(text: string): string {
    const plain = timeless(text)
      .replaceAll("\x1b", "␛")
      .replaceAll(this.#cwd, "{{folder}}")
      .replaceAll(/\/[0-9a-f]{13}\.xml\b/g, "/{{random}}.xml")
      // some runtimes hide it
      .replaceAll('"contentEncoding":"gzip",', "");
    return named(plain, this.#urls);
  }
}

/** Returns what starts a site with TLS, or with a fault of TLS. */
export function withTls(site: Site, options: FaultServerOptions): () => Server {
  return () => new FaultServer(answersOf(site), options);
}

async function served(site: SceneSite): Promise<Served> {
  if (typeof site === "function") return { server: await site(), states: [], listed: 0 };
  if (typeof site === "string") return { server: serveSite(site), states: [], listed: 0 };
  const [first, ...states]: readonly Site[] = Array.isArray(site) ? site : [site];
  return { server: new FaultServer(answersOf(first!)), states, listed: 0 };
}

export function answersOf(site: Site): Record<string, Answer | readonly Answer[]> {
  return Object.fromEntries(
    Object.entries(site).map(([path, reply]) => {
      if (typeof reply === "number") return [path, status(reply)];
      return [path, typeof reply === "string" ? ok(reply) : reply];
    }),
  );
}

/** Returns the words of a line as a shell does. */
function wordsOf(line: string): string[] {
  const words = line.match(new RegExp(WORD, "g")) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted, escaped) => quoted ?? escaped)
  );
}

/** Replaces what `printf` does. */
function unescaped(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "\\": "\\" };
  return text.replaceAll(
    /\\([nrt\\])|\\([0-7]{3})/g,
    (_, name, octal) =>
      name === undefined ? String.fromCharCode(parseInt(octal, 8)) : escapes[name]!,
  ).replaceAll("%%", "%");
}

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function printed({ code, stdout, stderr }: CliResult): string {
  const output = /[^\n]$/.test(stdout) ? `${stdout}\n(no newline)\n` : stdout;
  return `${output}${stderr.replace(/^(?=.)/gm, "2> ")}exit ${code}\n`;
}

/** Replaces ports, databases, versions, durations, instants and paths, which differ between runs. */
function named(text: string, sites: Readonly<Record<string, string>>): string {
  let plain = text;
  for (const [name, url] of Object.entries(sites)) {
    const { host, hostname, port } = new URL(url);
    const other = hostname === "127.0.0.1" ? `localhost:${port}` : host;
    plain = plain.replaceAll(host, `${name}.test`).replaceAll(other, `${name}-localhost.test`)
      // in Markdown
      .replaceAll(host.replace(":", ":<b></b>"), `${name}.test`);
  }
  return plain
    .replaceAll(MAIN, "{{main}}")
    .replace(/\b\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z/g, (time) => isNow(time) ? "{{instant}}" : time)
    .replace(/\b20(?!24)\d\d-\d\d-\d\d \d\d:\d\d\b/g, "{{minute}}")
    .replace(/(?<=\b127\.0\.0\.1:)\d{5}\b/g, "{{port}}")
    .replaceAll(
      new RegExp(`(?<=sitetree[ /]|"version":")${RegExp.escape(VERSION)}`, "g"),
      "{{version}}",
    )
    .replace(/\b\d+\.\d s\b|(?<=, )\d+ s\b/g, "{{time}}")
    .replace(/\bin [\d.]+ m?s\b/g, "in {{delay}}");
}

/** Whether a time is that of a run, or of the next one, and not a date of a page. */
function isNow(time: string): boolean {
  return Math.abs(Date.now() - Date.parse(time)) < 2 * 86_400_000;
}
