/**
 * A throwaway PostgreSQL server for tests, in a directory of its own.
 *
 * Its data comes from a template in the folder of temporary files, since `initdb` takes several times
 * as long as a copy. The first server of a machine leaves it there, for all processes and later runs.
 * It is an archive rather than a folder: one rename publishes it, and a program that removes old
 * temporary files removes all of it or nothing.
 *
 * @module
 */

import { dirname } from "node:path";

/** A server that runs until it is disposed of, perhaps with crashes. */
export interface TestPostgres extends AsyncDisposable {
  /** Connection string of its superuser. */
  readonly url: string;
  urlOf(database: string): string;
  /** Directory of the server, with its data in `data`. */
  readonly directory: string;
  /** Process id of the server, which changes with each start. */
  readonly pid: number;
  /**
   * Ends the server and waits until all its processes are gone: `SIGKILL` and `SIGQUIT` are crashes,
   * `SIGINT` stops it properly. Default: `SIGKILL`.
   */
  kill(signal?: Deno.Signal): Promise<void>;
  /** Starts the server again after {@linkcode TestPostgres.kill}, at the same address. */
  start(): Promise<void>;
}

export interface TestPostgresOptions {
  /** Password of the superuser. Default: none. */
  readonly password?: string;
  /** Settings of the server, in addition to those for throwaway data. Default: none. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** The unprivileged user that every Linux has; the server refuses to run as root. */
const UNPRIVILEGED = 65_534;
/** Arguments of `initdb`, without those of authentication and the directory. */
const INITDB = ["-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
/** Milliseconds to wait for a server that starts. */
const START_TIMEOUT = 60_000;
/** Attempts to find a port that is still free when the server takes it. */
const PORT_ATTEMPTS = 5;
/** Ports below those that systems give to clients, which might take one while its server is down. */
const MIN_PORT = 15_000, MAX_PORT = 32_000;

const PROGRAMS = findPrograms();

export const HAS_POSTGRES: boolean = PROGRAMS !== undefined;

/**
 * Creates and starts a server on TCP. Deno 2.9 closes descriptors of `node:net` Unix sockets twice, and
 * the second time perhaps a file or connection of another test.
 */
export async function startPostgres(options: TestPostgresOptions = {}): Promise<TestPostgres> {
  if (PROGRAMS === undefined) throw new Error("PostgreSQL is not installed");
  const { password, settings = {} } = options;
  const directory = await Deno.makeTempDir({ prefix: "postgres-" });
  const server = new Server(PROGRAMS, directory, settings);
  try {
    await server.create(password);
    for (let attempt = 1;; attempt++) {
      server.port = freePort();
      try {
        await server.start();
        break;
      } catch (error) {
        if (attempt === PORT_ATTEMPTS) throw error;
      }
    }
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return server;
}

class Server implements TestPostgres {
  readonly directory: string;
  port = MIN_PORT;
  readonly #programs: string;
  readonly #settings: Readonly<Record<string, string | number>>;
  readonly #user: { readonly uid?: number; readonly gid?: number };
  #password: string | undefined;
  #child: Deno.ChildProcess | undefined;
  /** Messages of the server since its start; complete once all its processes are gone. */
  #messages: Promise<string> = Promise.resolve("");

  constructor(
    programs: string,
    directory: string,
    settings: Readonly<Record<string, string | number>>,
  ) {
    this.directory = directory;
    this.#programs = programs;
    this.#settings = settings;
    this.#user = Deno.uid() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  }

  get pid(): number {
    if (this.#child === undefined) throw new Error("The server is not running");
    return this.#child.pid;
  }

  get url(): string {
    return this.urlOf("postgres");
  }

  urlOf(database: string): string {
    const password = this.#password === undefined ? "" : `:${encodeURIComponent(this.#password)}`;
    return `postgres://postgres${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Creates the data directory. */
  async create(password: string | undefined): Promise<void> {
    this.#password = password;
    const { uid, gid } = this.#user;
    if (uid !== undefined) await Deno.chown(this.directory, uid, gid!);
    const template = await this.#template();
    if (await isOwnFile(template)) return await this.#tar("-xf", template);
    const authentication = ["-A", "trust"];
    if (password !== undefined) {
      const file = `${this.directory}/password`;
      await Deno.writeTextFile(file, password);
      authentication.splice(0, 2, "-A", "scram-sha-256", "--pwfile", file);
    }
    const data = ["-D", `${this.directory}/data`];
    await run(this.#command("initdb", [...data, ...INITDB, ...authentication], "piped"));
    await this.#publish(template);
  }

  /** Returns the path of the template, whose name depends on all that its data depends on. */
  async #template(): Promise<string> {
    const version = await run(this.#command("postgres", ["--version"], "piped"));
    const origin = JSON.stringify([version, this.#user, INITDB, this.#password]);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(origin));
    const name = `sitetree-postgres-${Deno.uid()}-${new Uint8Array(digest, 0, 8).toHex()}.tar`;
    return `${dirname(this.directory)}/${name}`;
  }

  /** Makes a template of the data; one that another server makes meanwhile is equal. */
  async #publish(template: string): Promise<void> {
    const file = await Deno.makeTempFile({ dir: dirname(template), prefix: "postgres-" });
    try {
      await this.#tar("-cf", file, "data");
      await Deno.rename(file, template);
    } catch (error) {
      await Deno.remove(file);
      // the name is taken by another user
      if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    }
  }

  /** Runs `tar` in the directory of the server; if that is root, it keeps the owner of files. */
  async #tar(...args: string[]): Promise<void> {
    await run(new Deno.Command("tar", { args, cwd: this.directory }));
  }

  async start(): Promise<void> {
    if (this.#child !== undefined) throw new Error("The server is running");
    const settings = {
      // safe against crashes of the server, as the system keeps what was written
      fsync: "off",
      full_page_writes: "off",
      max_connections: 100,
      shared_buffers: "32MB",
      unix_socket_directories: "",
      listen_addresses: "127.0.0.1",
      port: this.port,
      ...this.#settings,
    };
    const child = this.#command("postgres", [
      ...["-D", `${this.directory}/data`],
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ], "null").spawn();
    this.#child = child;
    this.#messages = new Response(child.stderr).text();
    let ended = false;
    const status = child.status.then(() => ended = true);
    for (const limit = Date.now() + START_TIMEOUT; !await this.#isReady(child.pid);) {
      if (ended || Date.now() > limit) {
        if (!ended) child.kill("SIGKILL");
        await status;
        this.#child = undefined;
        throw new Error(`PostgreSQL did not start: ${await this.#messages}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async kill(signal: Deno.Signal = "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    try {
      child.kill(signal);
    } catch (error) {
      // it ended by itself
      if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
    }
    await child.status;
    // every process of the server has this stream, and none may live when it starts again
    await this.#messages;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill("SIGINT");
    await Deno.remove(this.directory, { recursive: true });
  }

  /** Whether a process accepts connections, which it notes in its lock file. */
  async #isReady(pid: number): Promise<boolean> {
    let lines: string[];
    try {
      lines = (await Deno.readTextFile(`${this.directory}/data/postmaster.pid`)).split("\n");
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
    return lines[0] === `${pid}` && lines[7]?.trim() === "ready";
  }

  #command(name: string, args: string[], stdout: "piped" | "null"): Deno.Command {
    return new Deno.Command(`${this.#programs}/${name}`, {
      args,
      ...this.#user,
      cwd: this.directory,
      env: { LC_ALL: "C", TZ: "UTC", HOME: this.directory },
      stdin: "null",
      stdout,
      stderr: "piped",
    });
  }
}

/**
 * Returns a connection string for sessions that end neither a transaction which is idle nor a wait for a
 * lock: the process of a test may not get a core for seconds, and its walks would be repeated.
 */
export function patient(url: string): string {
  return `${url}?idle_in_transaction_session_timeout=0&lock_timeout=0`;
}

/** Returns the directory with the programs of the newest server that is installed. */
function findPrograms(): string | undefined {
  if (Deno.build.os === "windows") return undefined;
  const debian = "/usr/lib/postgresql";
  const versions = exists(debian)
    ? Array.from(Deno.readDirSync(debian), ({ name }) => name).sort((a, b) => Number(b) - Number(a))
    : [];
  const directories = [
    ...versions.map((version) => `${debian}/${version}/bin`),
    ...(Deno.env.get("PATH") ?? "").split(":"),
  ];
  return directories.find((path) => exists(`${path}/initdb`) && exists(`${path}/postgres`));
}

export function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

export function freePort(): number {
  for (;;) {
    const port = MIN_PORT + Math.floor(Math.random() * (MAX_PORT - MIN_PORT));
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

/** Whether there is a file that no other user can have written. */
async function isOwnFile(path: string): Promise<boolean> {
  try {
    const { isFile, uid } = await Deno.lstat(path);
    return isFile && uid === Deno.uid();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Runs a command to its end. Returns what it prints. */
async function run(command: Deno.Command): Promise<string> {
  const { success, stdout, stderr } = await command.output();
  const [printed = "", errors = ""] = [stdout, stderr].map((it) => new TextDecoder().decode(it));
  if (!success) throw new Error(`Cannot create the data: ${errors}${printed}`);
  return printed;
}
