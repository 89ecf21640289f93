/**
 * The runtime: its built-in modules, permissions, environment variables and resolver.
 *
 * @module
 */

/** The library has a fallback for each. */
interface Builtins {
  readonly "node:buffer": typeof import("node:buffer");
  readonly "node:crypto": typeof import("node:crypto");
  readonly "node:dns/promises": typeof import("node:dns/promises");
  readonly "node:fs": typeof import("node:fs");
  readonly "node:os": typeof import("node:os");
  readonly "node:path": typeof import("node:path");
  readonly "node:process": typeof import("node:process");
  readonly "node:sqlite": typeof import("node:sqlite");
  readonly "node:timers": typeof import("node:timers");
  readonly "node:url": typeof import("node:url");
  readonly "node:zlib": typeof import("node:zlib");
}

interface ProcessGlobal {
  readonly process?: {
    readonly getBuiltinModule?: (name: string) => unknown;
    readonly env?: Readonly<Record<string, string | undefined>>;
  };
}

/**
 * Returns a built-in module of Node if the runtime has it: Node, Deno, Bun, and workerd with the
 * flag `nodejs_compat`. Bundlers for browsers see no import.
 */
export function builtin<N extends keyof Builtins>(name: N): Builtins[N] | undefined {
  const { process } = globalThis as ProcessGlobal;
  try {
    return process?.getBuiltinModule?.(name) as Builtins[N] | undefined;
  } catch {
    // some runtimes throw for a module that they lack
    return undefined;
  }
}

export const DENO: typeof Deno | undefined = (globalThis as { readonly Deno?: typeof Deno }).Deno;

export const IS_DENO: boolean = DENO !== undefined;

export const IS_BUN: boolean = "Bun" in globalThis;

/** True on other runtimes than Deno. */
export function hasPermission(descriptor: Deno.PermissionDescriptor): boolean {
  try {
    const permission = DENO?.permissions?.querySync?.(descriptor);
    return permission === undefined || permission.state === "granted";
  } catch (error) {
    // a host name such as `a..b` is invalid: the request will fail
    if (error instanceof URIError) return true;
    throw error;
  }
}

export function hostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === "http:" ? "80" : "443")}`;
}

/** Prompts for the permission on a terminal. True on runtimes other than Deno. */
export async function requestNet(url: URL): Promise<boolean> {
  const descriptor = { name: "net", host: hostAndPort(url) } as const;
  if (hasPermission(descriptor)) return true;
  return (await DENO!.permissions.request(descriptor)).state === "granted";
}

export function permissionError(message: string): Error {
  return new DENO!.errors.NotCapable(message);
}

export function environmentVariable(variable: string): string | undefined {
  // without the permission Deno would prompt for it
  if (!hasPermission({ name: "env", variable })) return undefined;
  const { process } = globalThis as ProcessGlobal;
  return process?.env?.[variable];
}

/**
 * Whether `fetch` is that of a browser. It enforces CORS, sends a preflight request for headers of
 * the caller, and drops headers that only browsers may set.
 */
export function hasBrowserFetch(): boolean {
  const headers = { "accept-encoding": "identity" };
  return !new Request("https://example.com/", { headers }).headers.has("accept-encoding");
}

/**
 * Asks the resolver that `fetch` uses. Resolves to `undefined` if there is none, or if Deno would
 * prompt for the permission.
 */
export async function lookUp(hostname: string): Promise<readonly string[] | undefined> {
  const dns = builtin("node:dns/promises");
  if (dns === undefined || !hasPermission({ name: "net", host: hostname })) return undefined;
  const found = await dns.lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}

/** Returns the name of the machine, if it may be read, and the id of the process. */
export function workerName(): string {
  const mayName = hasPermission({ name: "sys", kind: "hostname" });
  const machine = mayName ? builtin("node:os")?.hostname() ?? "" : "";
  return `${machine.replace(/[^\w.-]/g, "_").slice(0, 64)}-${builtin("node:process")?.pid ?? 0}`;
}

export type Digest = ReturnType<Builtins["node:crypto"]["createHash"]>;

export function sha256(): Digest {
  const crypto = builtin("node:crypto");
  if (crypto === undefined) throw new Error("Cannot compute a digest: this runtime has no crypto");
  return crypto.createHash("sha256");
}
