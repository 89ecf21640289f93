/** A throwaway PgBouncer in transaction mode, before a server of tests. @module */

import { exists, freePort, type TestPostgres } from "./postgres.ts";

const PROGRAM = "/usr/sbin/pgbouncer";
/** The unprivileged user that every Linux has; the program refuses to run as root. */
const UNPRIVILEGED = 65_534;
/** Milliseconds to wait for its start. */
const START_TIMEOUT = 20_000;

export const HAS_PGBOUNCER: boolean = exists(PROGRAM);

export interface TestPgBouncer extends AsyncDisposable {
  urlOf(database: string): string;
}

export async function startPgBouncer(server: TestPostgres): Promise<TestPgBouncer> {
  const directory = await Deno.makeTempDir({ prefix: "pgbouncer-" });
  const port = freePort();
  const { hostname, port: serverPort } = new URL(server.url);
  const file = `${directory}/pgbouncer.ini`;
  await Deno.writeTextFile(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
max_client_conn = 100
logfile = ${directory}/log
`,
  );
  const user = Deno.uid() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  if (user.uid !== undefined) {
    await Deno.chown(directory, user.uid, user.gid);
    await Deno.chown(file, user.uid, user.gid);
  }
  const child = new Deno.Command(PROGRAM, {
    args: [file],
    // the user may not have access to the current folder
    cwd: directory,
    ...user,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  for (const limit = Date.now() + START_TIMEOUT; !await accepts(port);) {
    if (Date.now() > limit) throw new Error("PgBouncer did not start");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    urlOf: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(directory, { recursive: true });
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return false;
    throw error;
  }
}
