import { CallerError, InvalidSitemapError } from "../data/errors.ts";
import { isPrivateHost } from "../data/private_hosts.ts";
import { excerpt } from "../data/text.ts";
import { bypassOf, environmentBypass, type ProxyBypass } from "../platform/proxies.ts";
import { addressKey, isHttp, withoutPassword, withoutUserInfo } from "../data/url.ts";
import { abortable, type Clock, type Signals, type Timer } from "./clock.ts";
import { ExchangeError, type Fetch } from "./exchange.ts";
import { lookupFailure } from "./failure.ts";
import { type HostCheck, hostNameOf, type Resolve, resolvesToPrivate } from "./hosts.ts";

export interface PolicyOptions {
  readonly isHostAllowed: HostCheck;
  /** Whether private hosts are allowed. Undefined: if the homepage is private. */
  readonly allowPrivateNetwork: boolean | undefined;
  /** The `fetch` of the caller, which may use proxies. Default: that of the runtime. */
  readonly fetch: Fetch | undefined;
  /** Whether `fetch` uses the resolver of the system. Default: if it is that of the runtime. */
  readonly isRuntimeFetch?: boolean;
  readonly timeout: number;
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
}

/** RFC 1035 §3.1. */
const MAX_HOST_LENGTH = 253;
/** Milliseconds that a lookup is cached: addresses may change between two attempts. */
const MAX_AGE = 2000;
const MAX_LOOKUPS = 256;

export class Policy {
  readonly #options: PolicyOptions;
  readonly #clock: Clock;
  readonly #allowPrivate: boolean;
  readonly #resolveHosts: boolean;
  readonly #proxyBypass: ProxyBypass | undefined;
  /** Host that the caller has named, which may therefore resolve to a private address. */
  readonly #ownHost: string | undefined;
  readonly #lookups = new Map<string, { at: number; isPrivate: Promise<boolean> }>();

  constructor(homepage: URL, options: PolicyOptions, clock: Clock) {
    const { fetch, allowPrivateNetwork, isRuntimeFetch = fetch === undefined } = options;
    this.#options = options;
    this.#clock = clock;
    this.#allowPrivate = allowPrivateNetwork ?? isPrivateHost(homepage.hostname);
    this.#proxyBypass = isRuntimeFetch ? environmentBypass() : bypassOf(fetch);
    this.#resolveHosts = isRuntimeFetch || this.#proxyBypass !== undefined;
    this.#ownHost = allowPrivateNetwork === undefined ? homepage.hostname : undefined;
  }

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
   * Rejects with an `InvalidSitemapError` if the host name of a URL does not resolve, or to a private
   * address; not if it is resolved by a proxy or the caller's `fetch`.
   */
  async checkAddresses(url: URL, signals: Signals): Promise<void> {
    if (!this.#resolveHosts || this.#proxyBypass?.(url) === false) return;
    const { host, hostname } = url;
    const mayBePrivate = this.#allowPrivate || hostname === this.#ownHost;
    // without a proxy, a name that is not found gets no request
    if (mayBePrivate && (isPrivateHost(hostname) || this.#proxyBypass !== undefined)) return;
    const isPrivate = await this.#withinTimeout(this.#isPrivate(hostname), signals)
      .catch((error) => {
        // perhaps only the proxy can resolve it; otherwise the request will fail too
        if (this.#proxyBypass === undefined || signals.some(({ aborted }) => aborted)) throw error;
        return false;
      });
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
        reject(new ExchangeError("timeout", `Host name not resolved within ${timeout} ms`));
      });
    });
    return await abortable(Promise.race([lookup, timedOut]), signals).finally(() => timer?.clear());
  }

  #allows(url: URL): boolean {
    try {
      return this.#options.isHostAllowed(url);
    } catch (error) {
      throw new CallerError(error);
    }
  }
}

function blocked(reason: string): InvalidSitemapError {
  return new InvalidSitemapError("blocked", reason);
}

function redirectError(reason: string): InvalidSitemapError {
  return new InvalidSitemapError("redirect", reason);
}

export function redirectTarget(location: string, base: URL): URL {
  const target = URL.parse(location, base);
  if (target === null) {
    throw redirectError(`Invalid redirect target "${excerpt(withoutPassword(location))}"`);
  }
  if (!isHttp(target)) {
    throw redirectError(`Redirect to "${excerpt(withoutPassword(target.href))}": expected http(s)`);
  }
  return withoutUserInfo(target);
}

/** `seen` has the keys of the addresses before the target. */
export function addRedirect(seen: Set<string>, { href }: URL, max: number): void {
  const key = addressKey(href);
  if (seen.has(key)) throw redirectError(`Redirect loop at "${excerpt(href)}"`);
  if (seen.size > max) throw redirectError(`More than ${max} redirects`);
  seen.add(key);
}
