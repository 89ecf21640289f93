/**
 * Rules of the URLs of pages. A URL is scanned once; patterns are tried only where the scan saw
 * something unusual.
 *
 * @module
 */

import { addressKey } from "../data/url.ts";
import type { Origin, Origins } from "./origins.ts";
import { isFound } from "./sitemap_rules.ts";
import type { OriginFault, SitemapState } from "./sitemap_state.ts";
import { UrlCounter } from "./url_counter.ts";
import { BAD_PERCENT, DOT, FORBIDDEN, FRAGMENT, QUERY, UrlScan, WIDE } from "./url_scan.ts";

const MAX_LENGTH = 2048;

const DOT_SEGMENT_REGEXP = /\/\.\.?(?:[/?#]|$)/;
const PARAMETER_REGEXP =
  /[?&;](?:utm_\w+|gclid|dclid|fbclid|msclkid|yclid|mc_eid|phpsessid|jsessionid|sessionid|session_id|aspsessionid\w*|cfid|cftoken)=/i;
const ADMIN_REGEXP = /^\/(?:wp-admin|admin|administrator)(?:[/?#]|$)/i;
const FILE_REGEXP = /\.(?:env|sql|zip|bak)$/i;
const HIDDEN_REGEXP = /\/\.(?:env|git|svn|htaccess|htpasswd)(?:[/.?#]|$)/i;
const XML_REGEXP = /\.xml(?:\.gz)?$/i;
const SITEMAP_REGEXP = /sitemap/i;
const DOT_CODE = 0x2e, LOWER_A = 0x61, LOWER_W = 0x77;

export class AddressRules {
  readonly urls: UrlCounter = new UrlCounter();
  readonly #origins: Origins;
  readonly #scan = new UrlScan();
  readonly #sitemaps: readonly string[];
  #site: Origin | undefined;

  /** `sitemaps` are the URLs of sitemaps by their number. */
  constructor(origins: Origins, sitemaps: readonly string[]) {
    this.#origins = origins;
    this.#sitemaps = sitemaps;
  }

  /** The host of the root does not count as a leak. */
  setSite(url: string): void {
    this.#site = this.#origins.of(url);
  }

  /**
   * Returns the folder that pages must be in by the protocol: that of the sitemap, or of an index above
   * it, unless robots.txt declares one of them, or is not known.
   */
  scopeOf(state: SitemapState): string | undefined {
    const { origin } = state;
    if (origin === undefined) return undefined;
    let folder: string | undefined;
    let isUndeclared = false;
    for (let above: SitemapState | undefined = state; above; above = above.parent) {
      const { ref } = above;
      if (ref.type === "IndexRobotsTxtSitemap") return undefined;
      if (isFound(ref)) isUndeclared = true;
      if (ref.type === "IndexWebsiteSitemap" || above.origin !== origin) continue;
      const [own = "/"] = /^[^?#]*\//.exec(ref.url.slice(origin.text.length)) ?? [];
      if (folder === undefined || own.length < folder.length) folder = own;
    }
    isUndeclared ||= this.declarationOf(state, origin) === "undeclared";
    return isUndeclared && folder !== "/" ? folder : undefined;
  }

  /** Returns the scan of the URL, which is valid until the next one, if it has an origin. */
  judge(state: SitemapState, url: string): UrlScan | undefined {
    const origin = this.#origins.of(url);
    if (origin === undefined) return undefined;
    const pathAt = origin.text.length;
    const scan = this.#scanned(url, origin);
    const { flags } = scan;
    if (flags !== 0) this.#judgeOdd(state, url, flags);
    if (url.length >= MAX_LENGTH) {
      const value = `${url.length} characters`;
      state.report("loc-long", "long", { url, value });
    }
    if (origin.hasUser) state.report("loc-fragment", "user", { url });
    this.#judgeOrigin(state, url, origin);
    this.#judgePath(state, url, pathAt, flags);
    const robots = this.#origins.robotsOf(origin);
    if (robots !== undefined && robots.disallows(url, pathAt)) {
      state.report("page-disallowed", "disallowed", { url });
    }
    this.#count(state, url, scan);
    return scan;
  }

  /** Counts a URL of a sitemap that was judged before. */
  recount(state: SitemapState, url: string): void {
    const scan = this.scanOf(url);
    if (scan !== undefined) this.urls.add(url, scan, state.order);
  }

  /** The result is valid until the next call; `undefined` if the URL has no origin. */
  scanOf(url: string): UrlScan | undefined {
    const origin = this.#origins.of(url);
    return origin === undefined ? undefined : this.#scanned(url, origin);
  }

  #scanned(url: string, origin: Origin): UrlScan {
    const scan = this.#scan;
    scan.scan(url, origin.text.length, origin.high, origin.low);
    if ((scan.flags & DOT) !== 0 && DOT_SEGMENT_REGEXP.test(url)) {
      const { flags, high } = scan;
      const normal = URL.parse(url)?.href ?? url;
      scan.scan(normal, origin.href.length, origin.high, origin.low);
      scan.flags = flags;
      scan.variant = 2 + (high & 0x7f);
    }
    if (origin.variant !== 0) scan.variant = (scan.variant ^ origin.variant) || 1;
    return scan;
  }

  #judgeOdd(state: SitemapState, url: string, flags: number): void {
    if ((flags & FORBIDDEN) !== 0) state.report("loc-encoding", "forbidden", { url });
    else if ((flags & BAD_PERCENT) !== 0) state.report("loc-encoding", "percent", { url });
    else if ((flags & WIDE) !== 0) state.report("loc-encoding", "wide", { url });
    if ((flags & FRAGMENT) !== 0) state.report("loc-fragment", "fragment", { url });
    const parameter = (flags & QUERY) !== 0 ? PARAMETER_REGEXP.exec(url)?.[0] : undefined;
    if (parameter !== undefined) {
      state.report("loc-parameters", "parameters", { url, value: parameter.slice(1, -1) });
    }
  }

  #judgeOrigin(state: SitemapState, url: string, origin: Origin): void {
    if (state.lastOrigin !== origin) {
      state.lastOrigin = origin;
      state.lastFault = this.#faultOf(state, origin);
    }
    const fault = state.lastFault;
    if (fault !== undefined) state.report(fault[0], fault[1], { url });
    if (origin.isInternal && origin.bare !== this.#site?.bare) {
      state.report("loc-leak", "host", { url });
    }
  }

  #faultOf(state: SitemapState, origin: Origin): OriginFault | undefined {
    const own = state.origin;
    state.reference ??= own?.bare === origin.bare ? own : origin;
    if (origin.bare === state.reference.bare && origin.href !== state.reference.href) {
      const aspect = origin.scheme === state.reference.scheme ? "www" : "scheme";
      return ["loc-mixed-origin", aspect];
    }
    if (own === undefined || own.bare === origin.bare) return undefined;
    const aspect = this.declarationOf(state, origin);
    return aspect === undefined ? undefined : ["loc-other-host", aspect];
  }

  /** Returns why it is not known that the host declares the sitemap or one above it. */
  declarationOf(state: SitemapState, host: Origin): "undeclared" | "unseen" | undefined {
    const declared = this.#origins.declaredBy(host);
    for (let above: SitemapState | undefined = state; above; above = above.parent) {
      if (above.ref.type === "IndexRobotsTxtSitemap" && above.origin?.bare === host.bare) {
        return undefined;
      }
      const { url, requestedUrl = url } = above.ref;
      if (declared?.has(addressKey(url)) || declared?.has(addressKey(requestedUrl))) {
        return undefined;
      }
    }
    return declared === undefined ? "unseen" : "undeclared";
  }

  #judgePath(state: SitemapState, url: string, pathAt: number, flags: number): void {
    const { scope } = state;
    if (scope !== undefined && state.lastFault === undefined && !url.startsWith(scope, pathAt)) {
      state.report("loc-outside-path", "outside", { url });
    }
    const first = url.charCodeAt(pathAt + 1) | 0x20;
    const end = url.length;
    // a dot before an extension of three letters
    const hasExtension = url.charCodeAt(end - 4) === DOT_CODE;
    if (
      ((first === LOWER_A || first === LOWER_W) && ADMIN_REGEXP.test(url.slice(pathAt))) ||
      (hasExtension && FILE_REGEXP.test(url)) ||
      ((flags & DOT) !== 0 && HIDDEN_REGEXP.test(url))
    ) {
      state.report("loc-leak", "path", { url });
    }
    const isXml = hasExtension || url.charCodeAt(end - 3) === DOT_CODE;
    if (isXml && isSitemap(url)) {
      state.report("loc-sitemap", "sitemap", { url });
    }
  }

  #count(state: SitemapState, url: string, scan: UrlScan): void {
    const first = this.urls.add(url, scan, state.order);
    if (first === 0) return;
    const sitemap = Math.abs(first), isOwn = sitemap === state.order;
    const code = first > 0 ? "loc-duplicate" : "loc-equivalent";
    const aspect = first < 0 ? "equivalent" : isOwn ? "file" : "site";
    const example = isOwn ? { url } : { url, value: `also in ${this.#sitemaps[sitemap]}` };
    state.estimate(code, aspect, example, this.urls.weight);
  }
}

/** Whether a URL is named as sitemaps are: `/post-sitemap1.xml`. */
function isSitemap(url: string): boolean {
  if (!XML_REGEXP.test(url)) return false;
  // a pattern with both words would take quadratic time
  const before = Math.max(url.lastIndexOf("/"), url.lastIndexOf("?"), url.lastIndexOf("#"));
  return SITEMAP_REGEXP.test(url.slice(before + 1));
}
