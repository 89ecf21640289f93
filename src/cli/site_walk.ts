/**
 * Starts the walk of `ls` and `stats`.
 *
 * @module
 */

import { type Fetch, walk, type WalkOptions } from "../../mod.ts";
import { unescape } from "node:querystring";
import type { TreeEvent } from "../events.ts";
import { excerpt } from "../excerpt.ts";
import { permittedHosts, requireNet } from "./net_permission.ts";
import { requireHost } from "./host_lookup.ts";
import type { Session } from "./session.ts";
import type { Ending } from "./summary.ts";
import { wantedSitemaps } from "./wanted_sitemaps.ts";
import type { WalkSettings } from "./walk_settings.ts";
import { count } from "./wording.ts";

/** A walk under way. */
export interface SiteWalk {
  /** Its events, in batches. */
  readonly batches: AsyncIterable<readonly TreeEvent[]>;
  /** What the settings kept it from, and what to do about it. */
  readonly advice: (ending: Ending) => readonly string[];
}

/** Starts a walk. */
export async function startWalk(
  settings: WalkSettings,
  session: Session,
  maxPages: number | undefined,
): Promise<SiteWalk> {
  const { homepage, proxy, wantsSitemap } = settings;
  const { tally, log } = session;
  await requireNet(proxy ?? homepage);
  if (proxy === undefined) await requireHost(homepage);
  const refused = new Set<string>();
  let skipped = 0;
  tally.current = homepage.href;
  function skip(url: string): void {
    skipped++;
    log.tell(1, `INFO passed over ${excerpt(url)}`);
  }
  const options: WalkOptions = {
    ...settings.options,
    signal: session.signal,
    // Behind a proxy the names of hosts are none of our permissions' business.
    hosts: proxy ? settings.hosts : permittedHosts(settings.hosts, homepage, refused),
    recurseListCallback(urls) {
      tally.known += urls.length;
      return urls;
    },
    recurseCallback(url) {
      const isWanted = wantsSitemap?.(url) ?? true;
      if (!isWanted) {
        tally.known--;
        skip(url);
      }
      return isWanted;
    },
    ...(maxPages === undefined ? {} : { maxPages }),
    ...(proxy === undefined ? {} : { fetch: proxiedFetch(proxy) }),
  };
  const batches = walk(homepage, options).batches();
  return {
    batches: wantsSitemap === undefined ? batches : wantedSitemaps(batches, wantsSitemap, skip),
    advice: (ending) => [
      ...refusedAdvice(refused),
      ...skippedAdvice(skipped, tally.pages),
      ...(ending === "none" && skipped === 0 ? [noneAdvice(settings.options)] : []),
    ],
  };
}

function noneAdvice({ useRobots, useKnownPaths }: WalkOptions): string {
  const declared = "is declared in robots.txt";
  const found = "stands at a known path: try --known-path";
  if (useRobots && useKnownPaths) return `none ${declared} or ${found}`;
  if (useRobots) return `none ${declared}: try without --no-known`;
  if (useKnownPaths) return `none ${found}, or without --no-robots`;
  return "--no-robots and --no-known leave nothing to look at";
}

function refusedAdvice(refused: ReadonlySet<string>): string[] {
  if (refused.size === 0) return [];
  const hosts = excerpt([...refused].join(","));
  return [`Deno has no permission for ${hosts}: run it with --allow-net`];
}

function skippedAdvice(skipped: number, pages: number): string[] {
  if (skipped === 0 || pages > 0) return [];
  return [
    `${count(skipped, "sitemap")} passed over: --include and --exclude bear on indexes too`,
  ];
}

function proxiedFetch(proxy: URL): Fetch {
  const { username, password } = proxy;
  const bare = new URL(proxy);
  bare.username = "";
  bare.password = "";
  const client = Deno.createHttpClient({
    proxy: {
      url: bare.href,
      // A `%` that begins no escape is literal, as in curl.
      ...(username === "" && password === "" ? {} : {
        basicAuth: { username: unescape(username), password: unescape(password) },
      }),
    },
  });
  return (input, init) => fetch(input, { ...init, client });
}
