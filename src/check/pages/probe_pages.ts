import { UniquePages } from "../../bytes/unique_pages.ts";
import { CallerError } from "../../data/errors.ts";
import type { SitemapPage } from "../../data/page.ts";
import { addressKey } from "../../data/url.ts";
import { type Clock, SYSTEM_CLOCK } from "../../http/clock.ts";
import { Fetcher } from "../../http/fetcher.ts";
import { hostCheck, requireNet } from "../../http/hosts.ts";
import { parseHomepage } from "../../walk/options.ts";
import { Slots } from "../../walk/prefetch.ts";
import type { PageAnswer } from "../answer_rules.ts";
import { type ProbeOptions, resolveProbeOptions } from "./options.ts";
import { Prober } from "./prober.ts";

/** Answers that wait for that of an earlier page, at most. */
const MAX_AHEAD = 1000;

/**
 * Requests pages and yields how each was answered, in their order, each page once: its status, where it
 * redirects to, whether it must not be indexed, or why it failed.
 *
 * Pages are requested by `HEAD`. Where that fails with another status than 404 and 410, or without a
 * response, they are requested once more by `GET`; a host for which the two differ three times is
 * asked by `GET` from then on. Bodies are not used: up to 64 KiB are read, longer ones are cancelled.
 * Requests have the pace, the retries and the policies of a walk. Leaving the loop stops everything
 * immediately.
 *
 * @param pages pages, or their URLs
 * @param homepage any http(s) URL of the site, which credentials and policies are for
 * @param options how to request them
 * @throws {TypeError} at the first `next()`, if the homepage is not an http(s) URL, or an option is
 * unknown or invalid
 * @throws {RangeError} at the first `next()`, if an option is out of range
 * @throws {Deno.errors.NotCapable} at the first `next()`, without permission to contact the host
 *
 * @example
 * ```ts
 * import { probePages } from "@sitetree/sitetree/check";
 * import { assertEquals } from "@std/assert";
 *
 * const fetch = (url: string) =>
 *   Promise.resolve(new Response(null, { status: url.endsWith("/gone") ? 410 : 200 }));
 * const urls = ["https://example.com/", "https://example.com/gone"];
 * const statuses: (number | undefined)[] = [];
 * for await (const { status } of probePages(urls, "https://example.com/", { fetch })) {
 *   statuses.push(status);
 * }
 * assertEquals(statuses, [200, 410]);
 * ```
 */
export async function* probePages(
  pages: AsyncIterable<string | SitemapPage> | Iterable<string | SitemapPage>,
  homepage: string | URL,
  options: ProbeOptions = {},
): AsyncGenerator<PageAnswer, void, void> {
  yield* probeWith(distinct(pages), homepage, options);
}

/**
 * Does what {@linkcode probePages} does, with URLs that are distinct already. Calls a function for each
 * answer that arrives, which may have to wait for those before it.
 */
export async function* probeWith(
  urls: AsyncIterable<string> | Iterable<string>,
  homepage: string | URL,
  options: ProbeOptions,
  clock: Clock = SYSTEM_CLOCK,
  onAnswer: () => void = () => {},
): AsyncGenerator<PageAnswer, void, void> {
  const resolved = resolveProbeOptions(options);
  const { url } = parseHomepage(homepage, true);
  const { fetch, mapOrigin, signal, deadline } = resolved;
  if (fetch === undefined) await requireNet(url, mapOrigin);
  const slots = new Slots(() => resolved.concurrency);
  const isHostAllowed = await hostCheck(resolved.hosts, url);
  const fetcher = new Fetcher(url, { ...resolved, isHostAllowed }, clock);
  const prober = new Prober(fetcher, resolved);
  const stop = () => fetcher.stop(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", stop);
  const end = new Error(`Stopped after ${deadline} ms`);
  const timer = deadline === Infinity
    ? undefined
    : clock.startBackgroundTimer(deadline, () => fetcher.stop(end));
  const start = (url: string): Pending => {
    const done = prober.probe(url).then((answer) => {
      pending.answer = answer;
      onAnswer();
    }).finally(() => slots.release());
    const pending: Pending = { done };
    // thrown when it is the next one
    done.catch(() => {});
    return pending;
  };
  try {
    if (deadline > 0) yield* inOrder(urls, start, { slots, signal: fetcher.signal });
  } catch (error) {
    if (error === end) return;
    throw error instanceof CallerError ? error.cause : error;
  } finally {
    timer?.clear();
    signal?.removeEventListener("abort", stop);
    fetcher.stop(undefined);
  }
}

async function* distinct(
  pages: AsyncIterable<string | SitemapPage> | Iterable<string | SitemapPage>,
): AsyncGenerator<string, void, void> {
  const seen = new UniquePages();
  for await (const page of pages) {
    const url = typeof page === "string" ? page : page.url;
    if (seen.add(addressKey(url))) yield url;
  }
}

/** A page that was requested. */
interface Pending {
  answer?: PageAnswer;
  readonly done: Promise<void>;
}

/**
 * Yields answers in the order of their pages, each requested in a slot. If requests are stopped, those
 * that arrived before are yielded first.
 */
async function* inOrder(
  urls: AsyncIterable<string> | Iterable<string>,
  start: (url: string) => Pending,
  { slots, signal }: { readonly slots: Slots; readonly signal: AbortSignal },
): AsyncGenerator<PageAnswer, void, void> {
  const queue: Pending[] = [];
  const next = async () => {
    await queue[0]!.done;
    return queue.shift()!.answer!;
  };
  try {
    for await (const url of urls) {
      await slots.take();
      signal.throwIfAborted();
      queue.push(start(url));
      while (queue[0]?.answer !== undefined || queue.length > MAX_AHEAD) yield await next();
    }
    while (queue.length > 0) yield await next();
  } catch (error) {
    for (const { answer } of queue) if (answer !== undefined) yield answer;
    throw error;
  }
}
