/**
 * An npm registry on loopback: it has one package of its own and passes all other names through to
 * the configured registry.
 *
 * @module
 */

import { createHash } from "node:crypto";

/** The package to serve. */
export interface ServedPackage {
  /** Its `package.json`. */
  readonly manifest: {
    readonly name: string;
    readonly version: string;
    readonly peerDependencies?: Readonly<Record<string, string>>;
  };
  readonly tarball: Uint8Array<ArrayBuffer>;
}

/** A running registry. */
export class LoopbackRegistry implements AsyncDisposable {
  /** URL for the setting `registry`, with its slash. */
  readonly url: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #upstream: string;
  readonly #served: ServedPackage;

  /** Starts a registry on a free port. */
  constructor(served: ServedPackage, upstream: string) {
    this.#served = served;
    this.#upstream = upstream;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => this.#respond(request),
    );
    this.url = `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  #respond(request: Request): Response | Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const { manifest, tarball } = this.#served;
    const path = decodeURIComponent(pathname.slice(1));
    if (path === manifest.name) return Response.json(this.#packument());
    if (path === tarballPath(manifest)) return new Response(tarball);
    return this.#passThrough(request, pathname.slice(1) + search);
  }

  /** Answers as the configured registry does, with the URLs of tarballs at this one. */
  async #passThrough({ method, headers }: Request, path: string): Promise<Response> {
    const accept = headers.get("accept") ?? "*/*";
    // without bodies: the advisories that npm asks for are refused rather than passed on
    const response = await fetch(new URL(path, this.#upstream), { method, headers: { accept } });
    const type = response.headers.get("content-type") ?? "application/octet-stream";
    const init = { status: response.status, headers: { "content-type": type } };
    if (!type.includes("json")) return new Response(response.body, init);
    return new Response((await response.text()).replaceAll(this.#upstream, this.url), init);
  }

  /** Returns the description of the package, with its only version. */
  #packument() {
    const { manifest, tarball } = this.#served;
    const { name, version } = manifest;
    const dist = {
      tarball: new URL(tarballPath(manifest), this.url).href,
      integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
      shasum: createHash("sha1").update(tarball).digest("hex"),
    };
    return {
      name,
      "dist-tags": { latest: version },
      versions: { [version]: { ...manifest, dist } },
      // clients may refuse versions that are too new
      time: { [version]: "2020-01-01T00:00:00.000Z" },
    };
  }

  /** Stops the server. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function tarballPath({ name, version }: ServedPackage["manifest"]): string {
  return `${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
}

/** Returns the URL of the registry that npm is configured to use. */
export async function configuredRegistry(): Promise<string> {
  const { success, stdout } = await new Deno.Command("npm", {
    args: ["config", "get", "registry"],
    stderr: "null",
  }).output();
  if (!success) throw new Error('Cannot run "npm config get registry"');
  const url = new TextDecoder().decode(stdout).trim();
  return url.endsWith("/") ? url : `${url}/`;
}
