/**
 * Checks a package in workerd, the runtime of Cloudflare's workers, with and without Node's modules.
 *
 * @module
 */

import { bundle } from "./bundle.ts";
import { assertPassed } from "./checks.ts";
import { install } from "./install.ts";
import { serveSmokeSite } from "./smoke_site.ts";
import type { Workspace } from "./workspace.ts";

const CONDITIONS = ["workerd", "worker", "browser"];
const COMPATIBILITY_DATE = "2026-10-01";

/** Milliseconds that a request of checks may take. */
const LIMIT = 90_000;

/** Returns a configuration that serves a script at a free port and lets it reach loopback. */
function configuration(flags: readonly string[]): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "${COMPATIBILITY_DATE}",
      compatibilityFlags = ${JSON.stringify(flags)},
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
}

/** Runs all checks in workerd. */
export async function checkWorkerd(workspace: Workspace): Promise<void> {
  const { report, folder } = workspace;
  const program = await workspace.installed("workerd", () => install("workerd"));
  if (program === undefined) return;
  const script = await report.check(
    "workerd",
    "bundle",
    () => bundle({ script: "tools/runtimes/web_workerd.ts", folder, conditions: CONDITIONS }),
  );
  if (script === undefined) return;
  const cases = await workspace.cases();
  await using site = serveSmokeSite({ routes: { "/cases.json": () => new Response(cases) } });
  for (const flags of [[], ["nodejs_compat"]]) {
    const title = flags.length === 0 ? "without flags" : `with ${flags.join(", ")}`;
    const own = await workspace.emptyFolder(`workerd-${flags.join("-")}`);
    await Deno.writeTextFile(`${own}/worker.js`, script);
    await Deno.writeTextFile(`${own}/config.capnp`, configuration(flags));
    for (const checks of ["smoke", "conformance"]) {
      await report.check("workerd", `${checks} ${title}`, async () => {
        await using server = await serve(program, `${own}/config.capnp`);
        const response = await fetch(`${server.origin}/${checks}?origin=${site.origin}`, {
          signal: AbortSignal.timeout(LIMIT),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(`${text}\n${server.errors()}`);
        assertPassed(JSON.parse(text));
      });
    }
  }
}

interface WorkerdServer extends AsyncDisposable {
  readonly origin: string;
  /** Returns what it wrote to standard error so far. */
  errors(): string;
}

/** Starts workerd; throws if it does not listen. */
async function serve(program: string, config: string): Promise<WorkerdServer> {
  const child = new Deno.Command(program, {
    args: ["serve", "--control-fd=1", config],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let errors = "";
  const collecting = child.stderr.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({ write: (text) => void (errors += text) }),
  );
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const stop = async () => {
    try {
      child.kill("SIGKILL");
    } catch (error) {
      // it has ended by itself
      if (!(error instanceof TypeError)) throw error;
    }
    await reader.cancel();
    await collecting;
    await child.status;
  };
  // {"event":"listen","socket":"http","port":1234}
  const { value } = await reader.read();
  if (value === undefined) {
    await stop();
    throw new Error(errors);
  }
  const { port } = JSON.parse(value) as { port: number };
  return {
    origin: `http://127.0.0.1:${port}`,
    errors: () => errors,
    [Symbol.asyncDispose]: stop,
  };
}
