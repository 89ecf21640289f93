/**
 * Rules of alternates: languages, sets, and whether links are returned.
 *
 * A link from a page to an alternate is kept by the hashes of both until the link back is seen, in a
 * bounded table, with the hash of all pages that the page links: the alternate must link the same.
 * Once the table is full, only pairs whose hash ends in one more zero are kept.
 *
 * @module
 */

import { HashTable } from "../bytes/hash_table.ts";
import type { SitemapPage } from "../data/page.ts";
import type { AddressRules } from "./address_rules.ts";
import type { FindingPlace, Findings } from "./findings.ts";
import { isHreflang } from "./languages.ts";
import type { SitemapState } from "./sitemap_state.ts";
import type { UrlScan } from "./url_scan.ts";

/** Links that wait for their return, in 26 MB. */
const MAX_LINKS = 1 << 19;
/** Links that wait for their return and are kept as text, to be examples. */
const MAX_TEXTS = 10_000;
/** Of the two URLs of such a link together. */
const MAX_TEXT_LENGTH = 2048;
const MAX_CODES = 1000, MAX_CODE_LENGTH = 35;
/** Numbers in a row: the halves of the hash of the pair, the sitemap, those of the target, the set. */
const WIDTH = 6;
/** Bit of the number of the sitemap: the link was returned. */
const RETURNED = 1 << 30;

/** `high` and `low` are the halves of the hash of the URL. */
interface Linked {
  readonly url: string;
  readonly high: number;
  readonly low: number;
}

export class AlternateRules {
  readonly #addresses: AddressRules;
  readonly #codes = new Map<string, boolean>();
  readonly #links = new HashTable({ width: WIDTH, maxSize: MAX_LINKS });
  /** Texts of links by the hash of the pair. */
  readonly #texts = new Map<number, Linked & { readonly value: string }>();

  constructor(addresses: AddressRules) {
    this.#addresses = addresses;
  }

  judge(state: SitemapState, page: SitemapPage, { high, low }: UrlScan): void {
    const { url, alternates = [] } = page;
    const languages = new Set<string>();
    /** Other pages that it links, by {@linkcode keyOf}. */
    const targets = new Map<number, Linked>();
    let hasSelf = false, hasRepeated = false, set = mixed(high, low);
    for (const { hreflang, href } of alternates) {
      const code = hreflang.toLowerCase();
      if (languages.has(code)) hasRepeated = true;
      languages.add(code);
      if (!this.#isValid(code)) {
        state.report("hreflang-code", "code", { url, value: hreflang });
      }
      const target = this.#addresses.scanOf(href);
      if (target === undefined) {
        state.report("hreflang-set", "relative", { url, value: href });
        continue;
      }
      const { high: targetHigh, low: targetLow } = target;
      const isSelf = targetHigh === high && targetLow === low;
      if (isSelf) hasSelf = true;
      // a page for all other languages need not be one of the set, and one may be for several
      const key = keyOf(targetHigh, targetLow);
      if (isSelf || code === "x-default" || targets.has(key)) continue;
      targets.set(key, { url: href, high: targetHigh, low: targetLow });
      // the same in any order
      set = set + mixed(targetHigh, targetLow) | 0;
    }
    for (const target of targets.values()) this.#link(state, { url, high, low }, target, set);
    if (alternates.length === 0) return;
    if (!hasSelf) state.report("hreflang-set", "self", { url });
    if (hasRepeated) {
      const value = alternates.map(({ hreflang }) => hreflang).join(" ");
      state.report("hreflang-set", "repeated", { url, value });
    }
    if (!languages.has("x-default")) state.report("hreflang-set", "default", { url });
  }

  /** Pages that no sitemap lists are only reported if all sitemaps were read. */
  conclude(findings: Findings, sitemaps: readonly string[], isComplete: boolean): void {
    const { urls } = this.#addresses;
    const links = this.#links, { rows } = links;
    // a target is known to be listed only if it would be counted
    const weight = links.weight * urls.weight;
    const found = new Map<number, FindingPlace>();
    const judge = (slot: number, example?: { url: string; value: string }) => {
      const at = WIDTH * slot;
      const order = rows[at + 2]!, high = rows[at + 3]!, low = rows[at + 4]!;
      if ((order & RETURNED) !== 0) return;
      const isListed = urls.has(high, low);
      if (isListed === undefined || (!isListed && !isComplete)) return;
      const place = found.get(order) ?? { url: sitemaps[order], order };
      found.set(order, place);
      const aspect = isListed ? "missing" : "unlisted";
      findings.estimate(place, "hreflang-return", aspect, example, weight);
    };
    // in the order of the pages: that of the slots depends on a random key
    for (const { high, low, ...example } of this.#texts.values()) {
      const slot = links.find(high, low);
      if (slot >= 0) judge(slot, example);
    }
    for (const slot of links.slots()) {
      const at = WIDTH * slot;
      if (!this.#texts.has(keyOf(rows[at]!, rows[at + 1]!))) judge(slot);
    }
  }

  #isValid(code: string): boolean {
    if (code.length > MAX_CODE_LENGTH) return false;
    const known = this.#codes.get(code);
    if (known !== undefined) return known;
    if (this.#codes.size >= MAX_CODES) this.#codes.clear();
    const isValid = isHreflang(code);
    this.#codes.set(code, isValid);
    return isValid;
  }

  /** Keeps a link, unless the one back is kept, which is then marked as returned. */
  #link(
    state: SitemapState,
    { url, high: pageHigh, low: pageLow }: Linked,
    { url: href, high: targetHigh, low: targetLow }: Linked,
    set: number,
  ): void {
    // the same for both directions
    const high = pageHigh + targetHigh | 0, low = pageLow ^ targetLow;
    const links = this.#links;
    if (!links.keeps(low)) return;
    const slot = links.find(high, low);
    const { rows } = links, at = WIDTH * (slot < 0 ? ~slot : slot);
    if (slot < 0) {
      if (this.#texts.size < MAX_TEXTS && url.length + href.length <= MAX_TEXT_LENGTH) {
        this.#texts.set(keyOf(high, low), { url, value: href, high, low });
      }
      rows.set([state.order, targetHigh, targetLow, set], at + 2);
      return links.fill(~slot, high, low);
    }
    const isBack = rows[at + 3] !== targetHigh || rows[at + 4] !== targetLow;
    if (!isBack || (rows[at + 2]! & RETURNED) !== 0) return;
    rows[at + 2]! |= RETURNED;
    this.#texts.delete(keyOf(high, low));
    if (rows[at + 5] === set) return;
    state.estimate("hreflang-return", "different", { url, value: href }, links.weight);
  }
}

/** Returns a number of a hash that can be added to those of others. */
function mixed(high: number, low: number): number {
  return Math.imul(high ^ low >>> 7, 0x9e3779b1);
}

/** Returns most of the bits of a hash as one number, as strings take longer. */
function keyOf(high: number, low: number): number {
  return (high >>> 0) * 2 ** 21 + (low >>> 11);
}
