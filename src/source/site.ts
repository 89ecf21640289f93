import type { EventStream } from "../data/batches.ts";
import type { InvalidEvent, TreeEvent } from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import { hasScheme, isHttp, withoutUserInfo, withScheme } from "../data/url.ts";
import { isCredential } from "../http/headers.ts";
import { sentReport, targetUrl } from "../http/origin_map.ts";
import { parseHomepage, type WalkOptions } from "../walk/options.ts";
import { walkWith } from "../walk/walk.ts";
import { FirstContact, UnreachableError } from "./first_contact.ts";
import type { Operand, Reader } from "./reader.ts";
import { SourceError } from "./source_error.ts";

export const ONLY_GIVEN = { useRobots: false, useKnownPaths: false, useHomepage: false } as const;

type Batches = AsyncGenerator<readonly TreeEvent[], void, void>;

/** Returns the URL of a site or a sitemap, that of a host by https and by http; `undefined` without. */
export function siteUrls(word: string): readonly URL[] | undefined {
  const https = URL.parse(withScheme(word)), http = URL.parse(withScheme(word, "http"));
  if (https === null || http === null || !isHttp(https) || https.hostname === "") return undefined;
  return hasScheme(word) ? [https] : [https, http];
}

/** Returns the URLs of an operand to try in turn: only those of a mapped origin, if there are any. */
export function triedUrls(urls: readonly URL[], { mapOrigin }: WalkOptions): readonly URL[] {
  const mapped = urls.filter((url) => targetUrl(url, mapOrigin) !== undefined);
  return mapped.length === 0 ? urls : mapped;
}

/** Whether requests have user info or headers that must not be sent unencrypted. */
export function hasCredentials({ username, password }: URL, { headers }: WalkOptions): boolean {
  const names = [...new Headers(headers).keys()];
  return username !== "" || password !== "" || names.some(isCredential);
}

/** A site, or one sitemap of it. */
export class Site implements Operand {
  kind: "site" | "sitemap";
  site: URL;
  home: URL;
  readonly #urls: readonly URL[];
  readonly #options: WalkOptions;
  readonly #onlyKinds: boolean;

  /**
   * Takes URLs that are tried in turn until one can be connected to. With `onlyKinds`, a sitemap is read
   * only until its kind is known, and the URL is not read as one.
   */
  constructor(urls: readonly URL[], options: WalkOptions, onlyKinds = false) {
    this.#urls = urls;
    this.#options = options;
    this.#onlyKinds = onlyKinds;
    const [home] = urls as readonly [URL];
    this.home = home;
    this.site = withoutUserInfo(home);
    this.kind = onlyKinds || home.pathname === "/" && home.search === "" ? "site" : "sitemap";
  }

  get name(): string {
    return withoutUserInfo(this.#urls[0]!).href;
  }

  async *read(reader: Reader): Batches {
    for (const [at, url] of this.#urls.entries()) {
      const next = this.#urls[at + 1];
      this.home = url;
      this.site = withoutUserInfo(url);
      try {
        yield* this.#readFrom(url, reader, next !== undefined);
        return;
      } catch (error) {
        const isRetried = error instanceof UnreachableError && error.canTryHttp;
        if (next === undefined || !isRetried) throw error;
        if (hasCredentials(this.#urls[0]!, this.#options)) throw fallbackError(error, next);
        reader.note({ code: "http", message: `${error.message}; trying ${next.href}` });
        reader.restart(next.href);
      }
    }
  }

  async *#readFrom(url: URL, reader: Reader, canTryHttp: boolean): Batches {
    const { share, pages, signal } = reader;
    await reader.connect?.(url);
    const options = await reader.optionsOf(new URL("/", url), this.#options);
    let contact = new FirstContact();
    const start = (from: WalkOptions) =>
      walkWith(
        url,
        {
          ...options,
          ...from,
          ...(signal !== undefined && { signal }),
          onRequest(report) {
            options.onRequest?.(report);
            contact.add(sentReport(report, options.mapOrigin), canTryHttp);
          },
        },
        { pages, onlyKinds: this.#onlyKinds, ...(share !== undefined && { share }) },
      );
    if (this.kind === "sitemap") {
      const only = { sitemaps: [url], ...ONLY_GIVEN };
      const invalid = yield* heldBack(start(only), acceptSitemap);
      if (invalid === undefined) return;
      if (!contact.isConnected) throw new UnreachableError(this.site.href, invalid);
      this.kind = "site";
      reader.restart(this.site.href);
      contact = new FirstContact();
      const folder = options.useKnownPaths === false
        ? undefined
        : parseHomepage(url, true).folder?.pathname;
      const below = folder === undefined ? "" : `, with known paths below ${excerpt(folder)}`;
      const reason = `"${excerpt(this.site.href)}" is not a sitemap (${invalid.reason})`;
      const message = `${reason}: walking ${url.origin}/ instead${below}`;
      reader.note({ code: "no-sitemap", message });
    }
    yield* heldBack(start({}), () => contact.isConnected);
  }
}

function fallbackError({ message }: UnreachableError, http: URL): SourceError {
  return new SourceError(
    "unreachable",
    `${message}; not tried by http, which would send the credentials unencrypted`,
    `write "${http.protocol}//" before the host to send them so, or "https://" to retry`,
  );
}

/**
 * Yields the events of a walk, but none before a batch that is accepted, or the end. If a batch is
 * refused by an event in it, yields nothing and returns that event.
 */
async function* heldBack(
  events: EventStream<TreeEvent>,
  accept: (batch: readonly TreeEvent[]) => boolean | InvalidEvent,
): AsyncGenerator<readonly TreeEvent[], InvalidEvent | undefined> {
  const held: (readonly TreeEvent[])[] = [];
  let accepted: boolean | InvalidEvent = false;
  for await (const batch of events.batches()) {
    held.push(batch);
    accepted ||= accept(batch);
    if (typeof accepted === "object") return accepted;
    if (accepted) yield* held.splice(0);
  }
  yield* held;
  return undefined;
}

function acceptSitemap(batch: readonly TreeEvent[]): boolean | InvalidEvent {
  const first = batch.find((event) =>
    event.type === "invalid" || event.type === "sitemap-entered" && event.sitemap.level === 0
  );
  return first?.type === "invalid" ? first : first !== undefined;
}
