/**
 * Starts the walk of `ls` and `stats`.
 *
 * @module
 */

import { type Fetch, walk, type WalkOptions } from "../../mod.ts";
import type { TreeEvent } from "../events.ts";
import { permittedHosts, requireNet } from "./net_permission.ts";
import type { Session } from "./session.ts";
import type { WalkSettings } from "./walk_settings.ts";
import { count } from "./wording.ts";

/** A walk under way. */
export interface SiteWalk {
  /** Its events. */
  readonly events: AsyncIterable<TreeEvent>;
  /** What the settings kept it from, and what to do about it. */
  readonly advice: () => readonly string[];
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
  const refused = new Set<string>();
  let skipped = 0;
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
      const isWanted = wantsSitemap(url);
      if (!isWanted) {
        skipped++;
        tally.known--;
        log.tell(1, `INFO passed over ${url}`);
      }
      return isWanted;
    },
    ...(maxPages === undefined ? {} : { maxPages }),
    ...(proxy === undefined ? {} : { fetch: proxiedFetch(proxy) }),
  };
  return {
    events: walk(homepage, options),
    advice: () => [...refusedAdvice(refused), ...skippedAdvice(skipped, tally.pages)],
  };
}

function refusedAdvice(refused: ReadonlySet<string>): string[] {
  if (refused.size === 0) return [];
  const hosts = [...refused].join(",");
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
      ...(username === "" ? {} : {
        basicAuth: {
          username: decodeURIComponent(username),
          password: decodeURIComponent(password),
        },
      }),
    },
  });
  return (input, init) => fetch(input, { ...init, client });
}
