/**
 * The policy of a walk: which URLs may be requested, and which redirects are followed.
 *
 * @module
 */

import { CallerError, InvalidSitemapError } from "../data/errors.ts";
import { excerpt } from "../data/text.ts";
import { fetchUsesProxy } from "../platform/environment.ts";
import { addressKey, isHttp, withoutUserInfo } from "../data/url.ts";
import { abortable, type Clock, type Signals, type Timer } from "./clock.ts";
import { TimeoutError } from "./exchange.ts";
import { lookupFailure } from "./failure.ts";
import {
  type HostCheck,
  hostCheck,
  hostNameOf,
  type HostsPolicy,
  isPrivateHost,
  type Resolve,
  resolvesToPrivate,
} from "./hosts.ts";

export interface PolicyOptions {
  readonly hosts: Exclude<HostsPolicy, "same-site">;
  /** Whether private hosts are allowed. Undefined: if the homepage is private. */
  readonly allowPrivateNetwork: boolean | undefined;
  /**
   * Whether requests are made by the `fetch` of the runtime, which uses the resolver of the system.
   */
  readonly isRuntimeFetch: boolean;
  readonly timeout: number;
  /** Returns all addresses of a host name. Default: the resolver of the system. */
  readonly resolve?: Resolve;
}

/** Length of a host name (RFC 1035 §3.1). */
const MAX_HOST_LENGTH = 253;
/** Milliseconds that a lookup is cached: addresses may change between two attempts. */
const MAX_AGE = 2000;
/** Number of lookups that are cached. */
const MAX_LOOKUPS = 256;

/** A host name that was resolved. */
interface Lookup {
  readonly at: number;
  readonly isPrivate: Promise<boolean>;
}

/** Decides which URLs a walk may request. */
export class Policy {
  readonly #options: PolicyOptions;
  readonly #clock: Clock;
  readonly #isHostAllowed: HostCheck;
  readonly #allowPrivate: boolean;
  readonly #resolveHosts: boolean;
  /** Host that the caller has named, which may therefore resolve to a private address. */
  readonly #ownHost: string | undefined;
  readonly #lookups = new Map<string, Lookup>();

  constructor(homepage: URL, options: PolicyOptions, clock: Clock) {
    const { hosts, allowPrivateNetwork, isRuntimeFetch } = options;
    this.#options = options;
    this.#clock = clock;
    this.#isHostAllowed = hostCheck(hosts, homepage);
    this.#allowPrivate = allowPrivateNetwork ?? isPrivateHost(homepage.hostname);
    // a proxy resolves names itself
    this.#resolveHosts = isRuntimeFetch && !fetchUsesProxy();
    this.#ownHost = allowPrivateNetwork === undefined ? homepage.hostname : undefined;
  }

  /**
   * Checks a URL.
   *
   * @throws {InvalidSitemapError} If it must not be requested.
   * @throws {CallerError} If the policy is a function of the caller and fails.
   */
  check(url: URL): void {
    if (!isHttp(url)) {
      throw blocked(`Unsupported scheme "${excerpt(url.protocol)}": expected http(s)`);
    }
    if (hostNameOf(url).length > MAX_HOST_LENGTH) {
      throw blocked(`Host name has more than ${MAX_HOST_LENGTH} characters`);
    }
    if (!this.#allows(url)) {
      throw blocked(`Host "${url.host}" is not allowed by the hosts policy`);
    }
    if (!this.#allowPrivate && isPrivateHost(url.hostname)) {
      throw blocked(`Host "${url.host}" is on a private network`);
    }
  }

  /**
   * Checks the addresses that the host name of a URL resolves to. Returns `undefined` if it is not
   * resolved here.
   *
   * @throws {InvalidSitemapError} If an address is private, or if the name does not resolve.
   */
  checkAddresses(url: URL, signals: Signals): Promise<void> | undefined {
    return this.#resolveHosts ? this.#checkAddresses(url, signals) : undefined;
  }

  async #checkAddresses({ host, hostname }: URL, signals: Signals): Promise<void> {
    const mayBePrivate = this.#allowPrivate || hostname === this.#ownHost;
    if (mayBePrivate && isPrivateHost(hostname)) return;
    const isPrivate = await this.#withinTimeout(this.#isPrivate(hostname), signals);
    if (isPrivate && !mayBePrivate) throw blocked(`Host "${host}" resolves to a private network`);
  }

  #isPrivate(hostname: string): Promise<boolean> {
    const now = this.#clock.elapsed();
    const known = this.#lookups.get(hostname);
    if (known !== undefined && now - known.at < MAX_AGE) return known.isPrivate;
    if (this.#lookups.size >= MAX_LOOKUPS) this.#lookups.clear();
    const isPrivate = resolvesToPrivate(hostname, this.#options.resolve).catch((error) => {
      this.#lookups.delete(hostname);
      throw lookupFailure(error);
    });
    this.#lookups.set(hostname, { at: now, isPrivate });
    return isPrivate;
  }

  async #withinTimeout<T>(lookup: Promise<T>, signals: Signals): Promise<T> {
    const { timeout } = this.#options;
    let timer: Timer | undefined;
    const timedOut = new Promise<never>((_resolve, reject) => {
      timer = this.#clock.startTimer(timeout, () => {
        reject(new TimeoutError(`Host name not resolved within ${timeout} ms`));
      });
    });
    return await abortable(Promise.race([lookup, timedOut]), signals).finally(() => timer?.clear());
  }

  #allows(url: URL): boolean {
    try {
      return this.#isHostAllowed(url);
    } catch (error) {
      throw new CallerError(error);
    }
  }
}

function blocked(reason: string): InvalidSitemapError {
  return new InvalidSitemapError("blocked", reason);
}

/**
 * Returns the target of a `Location`, without user info.
 *
 * @throws {InvalidSitemapError} If it is not an http(s) URL.
 */
export function redirectTarget(location: string, base: URL): URL {
  const target = URL.parse(location, base);
  if (target === null) {
    throw new InvalidSitemapError("redirect", `Invalid redirect target "${excerpt(location)}"`);
  }
  if (!isHttp(target)) {
    throw new InvalidSitemapError(
      "redirect",
      `Redirect to "${excerpt(target.href)}": expected http(s)`,
    );
  }
  return withoutUserInfo(target);
}

/** The chain of redirects from one URL. */
export class RedirectTrail {
  readonly #seen: Set<string>;
  readonly #max: number;

  /** Starts at a URL. Allows `max` redirects. */
  constructor(start: URL, max: number) {
    this.#seen = new Set([addressKey(start.href)]);
    this.#max = max;
  }

  /**
   * Adds the target of the next redirect.
   *
   * @throws {InvalidSitemapError} If it was seen before, or if there are too many redirects.
   */
  add({ href }: URL): void {
    if (this.#seen.has(addressKey(href))) {
      throw new InvalidSitemapError("redirect", `Redirect loop at "${excerpt(href)}"`);
    }
    if (this.#seen.size > this.#max) {
      throw new InvalidSitemapError("redirect", `More than ${this.#max} redirects`);
    }
    this.#seen.add(addressKey(href));
  }
}
