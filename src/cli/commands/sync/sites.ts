import { hasScheme, withoutPassword, withScheme } from "../../../data/url.ts";
import { FleetError } from "../../../fleet/errors.ts";
import { checkSite, type SiteOptions } from "../../../fleet/site_entry.ts";
import type { Snapshot } from "../../../sync/mod.ts";
import { Failure, UsageError } from "../../failure.ts";
import { openInput } from "../../../source/file.ts";
import { SiteList } from "../../../source/list.ts";
import { isPath } from "../../../disk/paths.ts";
import { hasCredentials, siteUrls, triedUrls } from "../../../source/site.ts";
import { rowsOf } from "../../../source/snapshot.ts";
import { statOf } from "../../../disk/files.ts";
import { notRead } from "../../run/operands.ts";
import type { WalkSettings } from "../../run/walk_settings.ts";

export interface SyncSite {
  /** Homepages to try, until one can be connected to; with user info. */
  readonly homepages: readonly URL[];
  isWhole: boolean;
  /** Paths of sitemaps to start from. */
  readonly paths: string[];
  /** Options of its walk, which come before those of the command. */
  readonly options: SiteOptions;
}

/** An operand, or a line of a list. */
interface SiteOperand {
  /** Its URL; that of a host by https and by http. */
  readonly urls: readonly URL[];
  readonly options: SiteOptions;
}

export function settingsOf(
  settings: WalkSettings,
  { options }: Pick<SyncSite, "options">,
): WalkSettings {
  return { ...settings, options: { ...settings.options, ...options } };
}

export async function allSites(snapshot: Snapshot, path: string): Promise<SyncSite[]> {
  const sites = await rowsOf(snapshot.sites());
  if (sites.length === 0) throw new Failure(`Cannot read "${path}": no site in it`);
  return sites.map(({ homepage }) => ({
    homepages: [new URL(homepage)],
    isWhole: true,
    paths: [],
    options: {},
  }));
}

export async function siteOperands(
  words: readonly string[],
  lists: readonly string[],
): Promise<SiteOperand[]> {
  const operands = words.map((word) => {
    // a folder may have the name of a host
    const isName = word === "-" || /^[^.:@]+$/.test(word) && statOf(word) !== undefined;
    if (!hasScheme(word) && (isPath(word) || isName)) throw notRead(word, "sync", "sites");
    return siteOperand(word, {});
  });
  for (const path of lists) {
    const list = new SiteList(await openInput(path), path);
    try {
      for await (const site of list) {
        checkSite({ ...site, url: withScheme(site.url) }, ({ options }) => {
          operands.push(siteOperand(site.url, options));
        });
      }
    } catch (error) {
      throw error instanceof FleetError ? list.fault(error.message) : error;
    }
  }
  return operands;
}

function siteOperand(word: string, options: SiteOptions): SiteOperand {
  const urls = siteUrls(word);
  if (urls !== undefined) return { urls, options };
  const shown = withoutPassword(word);
  throw new UsageError(`Invalid site "${shown}": expected a homepage, a sitemap or a host`);
}

export async function namedSites(
  operands: readonly SiteOperand[],
  snapshot: Snapshot,
  settings: WalkSettings,
): Promise<SyncSite[]> {
  // those that are written with their scheme, and those that the snapshot has
  const written = operands.filter(({ urls }) => urls.length === 1).map(({ urls }) => urls[0]!);
  const known = new Set(written.map(({ origin }) => `${origin}/`));
  if (written.length < operands.length) {
    for await (const { homepage } of snapshot.sites()) known.add(homepage);
  }
  const sites = new Map<string, SyncSite>();
  for (const { urls: given, options } of operands) {
    const urls = given.length === 1
      ? given
      : knownUrls(given, known, settingsOf(settings, { options }));
    const [url] = urls as readonly [URL, ...URL[]];
    const site = sites.get(url.origin) ??
      { homepages: urls.map((url) => new URL("/", url)), isWhole: false, paths: [], options: {} };
    sites.set(url.origin, site);
    Object.assign(site.options, options);
    if (url.pathname === "/" && url.search === "") site.isWhole = true;
    else site.paths.push(url.pathname + url.search);
  }
  return [...sites.values()];
}

function knownUrls(
  urls: readonly URL[],
  known: ReadonlySet<string>,
  settings: WalkSettings,
): readonly URL[] {
  const found = urls.find(({ origin }) => known.has(`${origin}/`));
  if (found?.protocol === "http:" && hasCredentials(found, settings.options)) {
    throw new UsageError(
      `Cannot read "${found.host}" by http, which would send the credentials unencrypted`,
      'write "http://" before the host to send them so',
    );
  }
  return found === undefined ? triedUrls(urls, settings.options) : [found];
}
