/**
 * Whom a walk may contact.
 *
 * @module
 */

import { CallerError } from "../data/errors.ts";
import { excerpt } from "../data/text.ts";
import { fetchUsesProxy } from "../platform/environment.ts";
import { isHttp } from "../data/url.ts";
import { type Clock, SYSTEM_CLOCK } from "./clock.ts";
import { lookupFailure } from "./failure.ts";
import { type HostCheck, hostCheck, hostNameOf, type SimpleHostsPolicy } from "./hosts.ts";
import { isPrivateHost } from "./hosts.ts";
import { type ResolveOptions, resolvesToPrivate } from "./hosts.ts";

/** What decides whom a walk may contact. */
export interface PolicyOptions {
  /** Which hosts a sitemap may be fetched from. */
  readonly hosts: SimpleHostsPolicy;
  /** Whether loopback, private and link-local targets are allowed. */
  readonly allowPrivateNetwork: boolean | undefined;
  /** Whether requests are made by the runtime's own `fetch`, which resolves names as we do. */
  readonly isRuntimeFetch: boolean;
}

/** Characters of a host name (RFC 1035 §3.1). */
const MAX_HOST_LENGTH = 253;
/** Milliseconds for which the addresses of a name are kept: as long as requests follow each other. */
const MAX_AGE = 2000;
/** Names whose addresses are kept. */
const MAX_LOOKUPS = 256;

/** A name whose addresses were looked up. */
interface Lookup {
  readonly at: number;
  readonly isPrivate: Promise<boolean>;
}

/** Decides, for one walk, whom it may contact. */
export class Policy {
  readonly #hostAllowed: HostCheck;
  readonly #allowPrivate: boolean;
  readonly #resolveHosts: boolean;
  readonly #resolve: ResolveOptions;
  /** The host that the caller named: where it resolves to is the caller's business. */
  readonly #ownHost: string | undefined;
  readonly #lookups = new Map<string, Lookup>();
  readonly #clock: Clock;

  constructor(
    homepage: URL,
    options: PolicyOptions,
    resolve: ResolveOptions & { readonly clock?: Clock } = {},
  ) {
    this.#clock = resolve.clock ?? SYSTEM_CLOCK;
    this.#resolve = resolve;
    this.#hostAllowed = hostCheck(options.hosts, homepage);
    this.#allowPrivate = options.allowPrivateNetwork ?? isPrivateHost(homepage.hostname);
    // a proxy resolves names by itself
    this.#resolveHosts = options.isRuntimeFetch && !fetchUsesProxy();
    this.#ownHost = options.allowPrivateNetwork === undefined ? homepage.hostname : undefined;
  }

  /**
   * Why a URL must not be asked for; `undefined` where it may.
   *
   * @throws {CallerError} where the policy is a function of the caller and fails
   */
  refusal(url: URL): string | undefined {
    if (!isHttp(url)) return `Scheme "${excerpt(url.protocol)}" is not http(s)`;
    if (hostNameOf(url).length > MAX_HOST_LENGTH) {
      return `Host name has more than ${MAX_HOST_LENGTH} characters`;
    }
    if (!this.#allows(url)) return `Host "${url.host}" is not allowed by the hosts policy`;
    if (!this.#allowPrivate && isPrivateHost(url.hostname)) {
      return `Host "${url.host}" is on a private network`;
    }
    return undefined;
  }

  /**
   * The same for what only the resolver knows: a public name with a private address. `undefined` at
   * once where nothing needs to be resolved. Rejects if the name cannot be resolved, which is known
   * before a request then.
   */
  resolvedRefusal(url: URL): Promise<string | undefined> | undefined {
    if (!this.#resolveHosts) return undefined;
    const mayBePrivate = this.#allowPrivate || url.hostname === this.#ownHost;
    if (mayBePrivate && isPrivateHost(url.hostname)) return undefined;
    return this.#resolvedRefusal(url, mayBePrivate);
  }

  async #resolvedRefusal(
    { host, hostname }: URL,
    mayBePrivate: boolean,
  ): Promise<string | undefined> {
    try {
      const isPrivate = await this.#lookUp(hostname);
      return isPrivate && !mayBePrivate
        ? `Host "${host}" resolves to a private network`
        : undefined;
    } catch (error) {
      this.#lookups.delete(hostname);
      throw lookupFailure(error);
    }
  }

  /** Checked again for each attempt: what a name resolves to may change meanwhile. */
  #lookUp(hostname: string): Promise<boolean> {
    const now = this.#clock.elapsed();
    const known = this.#lookups.get(hostname);
    if (known !== undefined && now - known.at < MAX_AGE) return known.isPrivate;
    if (this.#lookups.size >= MAX_LOOKUPS) this.#lookups.clear();
    const isPrivate = resolvesToPrivate(hostname, this.#resolve);
    this.#lookups.set(hostname, { at: now, isPrivate });
    return isPrivate;
  }

  #allows(url: URL): boolean {
    try {
      return this.#hostAllowed(url);
    } catch (error) {
      throw new CallerError(error);
    }
  }
}
