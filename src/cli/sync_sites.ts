/**
 * Operands of `sync` as sites of a snapshot.
 *
 * @module
 */

import { hasScheme, isHttp, withoutPassword, withScheme } from "../data/url.ts";
import type { Snapshot } from "../sync/mod.ts";
import type { WalkOptions } from "../walk/options.ts";
import { Failure, UsageError } from "./failure.ts";
import type { Reading } from "./reading.ts";
import { hasCredentials, Site, type WalkSettings } from "./site.ts";
import { rowsOf } from "./snapshots.ts";

/** A site to synchronise. */
export interface SyncSite {
  /** Homepages to try, until one can be connected to; with user info. */
  readonly homepages: readonly URL[];
  /** Whether to walk the whole site. */
  isWhole: boolean;
  /** Paths of sitemaps to start from. */
  readonly paths: string[];
}

/** Returns all sites of a snapshot. */
export async function allSites(snapshot: Snapshot, path: string): Promise<SyncSite[]> {
  const sites = await rowsOf(snapshot.sites());
  if (sites.length === 0) throw new Failure(`Cannot read "${path}": no site in it`);
  return sites.map(({ homepage }) => ({
    homepages: [new URL(homepage)],
    isWhole: true,
    paths: [],
  }));
}

/** Returns the URL of an operand; that of a host by https and by http. */
export function urlsOf(word: string): URL[] {
  const https = URL.parse(withScheme(word)), http = URL.parse(withScheme(word, "http"));
  if (https === null || http === null || !isHttp(https) || https.hostname === "") {
    throw new UsageError(
      `Invalid site "${withoutPassword(word)}": expected a homepage, a sitemap or a host`,
    );
  }
  return hasScheme(word) ? [https] : [https, http];
}

/** Returns the sites that the URLs of operands name, each once. */
export async function namedSites(
  operands: readonly (readonly URL[])[],
  snapshot: Snapshot,
  settings: WalkSettings,
): Promise<SyncSite[]> {
  // those that are written with their scheme, and those that the snapshot has
  const written = operands.filter(({ length }) => length === 1).map(([url]) => `${url!.origin}/`);
  const known = new Set(written);
  for (const { homepage } of await rowsOf(snapshot.sites())) known.add(homepage);
  const sites = new Map<string, SyncSite>();
  for (const operand of operands) {
    const urls = operand.length === 1 ? operand : knownUrls(operand, known, settings);
    const [url] = urls as readonly [URL, ...URL[]];
    const site = sites.get(url.origin) ??
      { homepages: urls.map((url) => new URL("/", url)), isWhole: false, paths: [] };
    sites.set(url.origin, site);
    if (url.pathname === "/" && url.search === "") site.isWhole = true;
    else site.paths.push(url.pathname + url.search);
  }
  return [...sites.values()];
}

/** Returns the URL whose site the snapshot has under a host; otherwise both, to be tried. */
function knownUrls(
  urls: readonly URL[],
  known: ReadonlySet<string>,
  settings: WalkSettings,
): readonly URL[] {
  const found = urls.find(({ origin }) => known.has(`${origin}/`));
  if (found?.protocol === "http:" && hasCredentials(found, settings)) {
    throw new UsageError(
      `Cannot read "${found.host}" by http, which would send the credentials unencrypted`,
      'write "http://" before the host to send them so',
    );
  }
  return found === undefined ? urls : [found];
}

/** Returns the first homepage of a site that can be connected to. */
export async function answeringHomepage(
  { homepages }: SyncSite,
  settings: WalkSettings,
  reading: Reading,
): Promise<URL> {
  if (homepages.length === 1) return homepages[0]!;
  // the first response is enough
  const options: WalkOptions = { ...settings.options, useRobots: true, useKnownPaths: false };
  const site = new Site(homepages, { ...settings, options });
  for await (const _ of site.read(reading)) break;
  return homepages.find(({ origin }) => origin === site.site.origin)!;
}
