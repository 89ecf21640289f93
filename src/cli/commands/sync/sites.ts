import { hasScheme, withoutPassword, withScheme } from "../../../data/url.ts";
import { checkSite, type SiteOptions } from "../../../fleet/site_entry.ts";
import type { Snapshot } from "../../../sync/mod.ts";
import { Failure, UsageError } from "../../run/failure.ts";
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
  const operands: SiteOperand[] = [];
  for (const word of words) {
    requireSite(word);
    operands.push({ urls: requiredUrls(word), options: {} });
  }
  for (const path of lists) for (const site of await listedSites(path)) operands.push(site);
  return operands;
}

async function listedSites(path: string): Promise<SiteOperand[]> {
  const list = new SiteList(await openInput(path), path);
  const operands: SiteOperand[] = [];
  try {
    for await (const site of list) {
      checkSite({ ...site, url: withScheme(site.url) }, ({ options }) => {
        operands.push({ urls: requiredUrls(site.url), options });
      });
    }
    return operands;
  } catch (error) {
    throw error instanceof TypeError ? list.fault(error.message) : error;
  }
}

/** Throws for a word that names a file or a folder, in place of a site. */
function requireSite(word: string): void {
  // a folder may have the name of a host
  const isName = word === "-" || /^[^.:@]+$/.test(word) && statOf(word) !== undefined;
  if (!hasScheme(word) && (isPath(word) || isName)) throw notRead(word, "sync", "sites");
}

function requiredUrls(word: string): readonly URL[] {
  const urls = siteUrls(word);
  if (urls !== undefined) return urls;
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
