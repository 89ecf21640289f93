/**
 * Whom a walk may contact.
 *
 * @module
 */

import { isHttp } from "../url.ts";
import { type HostCheck, hostCheck, type SimpleHostsPolicy } from "./host_check.ts";
import { isPrivateHost } from "./private_address.ts";
import { type ResolveOptions, resolvesToPrivate } from "./resolve_host.ts";

/** What decides whom a walk may contact. */
export interface PolicyOptions {
  /** Which hosts a sitemap may be fetched from. */
  readonly hosts: SimpleHostsPolicy;
  /** Whether loopback, private and link-local targets are allowed. */
  readonly allowPrivateNetwork: boolean | undefined;
  /** Whether names are resolved and their addresses checked; only useful with the real `fetch`. */
  readonly resolveHosts: boolean;
}

/** Something that a function of the caller threw, on its way to the caller. */
export class CallerError extends Error {
  /** Wraps what was thrown. */
  constructor(cause: unknown) {
    super("A function of the caller failed", { cause });
    this.name = "CallerError";
  }
}

/** Decides, for one walk, whom it may contact. */
export class Policy {
  readonly #hostAllowed: HostCheck;
  readonly #allowPrivate: boolean;
  readonly #resolveHosts: boolean;
  readonly #resolve: ResolveOptions;
  /** The host that the caller named: where it resolves to is the caller's business. */
  readonly #ownHost: string | undefined;
  readonly #resolved = new Map<string, Promise<boolean>>();

  constructor(homepage: URL, options: PolicyOptions, resolve: ResolveOptions = {}) {
    this.#resolve = resolve;
    this.#hostAllowed = hostCheck(options.hosts, homepage);
    this.#allowPrivate = options.allowPrivateNetwork ?? isPrivateHost(homepage.hostname);
    this.#resolveHosts = options.resolveHosts;
    this.#ownHost = options.allowPrivateNetwork === undefined ? homepage.hostname : undefined;
  }

  /**
   * Why a URL must not be asked for; `undefined` where it may.
   *
   * @throws {CallerError} where the policy is a function of the caller and fails
   */
  refusal(url: URL): string | undefined {
    if (!isHttp(url)) return `Scheme "${url.protocol}" is not http(s)`;
    if (!this.#allows(url)) return `Host "${url.host}" is not allowed by the hosts policy`;
    if (!this.#allowPrivate && isPrivateHost(url.hostname)) {
      return `Host "${url.host}" is on a private network`;
    }
    return undefined;
  }

  /**
   * The same for what only the resolver knows: a public name with a private address. `undefined` at
   * once where nothing needs to be resolved.
   */
  resolvedRefusal(url: URL): Promise<string | undefined> | undefined {
    if (this.#allowPrivate || !this.#resolveHosts) return undefined;
    if (url.hostname === this.#ownHost) return undefined;
    let isPrivate = this.#resolved.get(url.hostname);
    if (isPrivate === undefined) {
      isPrivate = resolvesToPrivate(url.hostname, this.#resolve);
      this.#resolved.set(url.hostname, isPrivate);
    }
    return isPrivate.then((found) =>
      found ? `Host "${url.host}" resolves to a private network` : undefined
    );
  }

  #allows(url: URL): boolean {
    try {
      return this.#hostAllowed(url);
    } catch (error) {
      throw new CallerError(error);
    }
  }
}
