/**
 * The search for sitemaps: state that its steps share.
 *
 * ```
 * robots.txt ─► given sitemaps ─► known paths ─► homepage ─► variant ─► feeds ─► remembered sitemaps
 *                                     │              │          │
 *                                     │              └─► folder └─► robots.txt, known paths
 *                                     └─► control probe, further paths, folder
 * ```
 *
 * Where a site refuses requests, fewer are made:
 *
 * | robots.txt                | known paths              | homepage    | then                        |
 * | ------------------------- | ------------------------ | ----------- | --------------------------- |
 * | failed, perhaps for now   | `sitemap.xml` too        | not asked   | nothing more is asked       |
 * | 401 or 403                | the first three too      | 401 or 403  | nothing more is asked       |
 * | 401 or 403                | the first three too      | other       | the other known paths       |
 * | 401 or 403                | one of the three other   | in its turn | as on any site              |
 * | redirects to a login page | all that were asked too  | too         | no folder; `blocked`        |
 *
 * @module
 */

import type { DiscoveryStep, SitemapType, TreeEvent } from "../data/events.ts";
import { addressKey } from "../data/url.ts";
import { excerpt } from "../data/text.ts";
import type { Send } from "./event_stream.ts";
import { loginPage } from "./login_wall.ts";
import type { ProbeAnswer } from "./probe_answer.ts";
import { SitemapNode } from "./sitemap_node.ts";
import { isDenied, isOtherContent, type SitemapFailure, withStatus } from "./verdict.ts";
import { type VisitedSitemap, Visitor } from "./visitor.ts";
import type { WalkContext } from "./walk_context.ts";

const KINDS: Readonly<Partial<Record<SitemapType, string>>> = {
  IndexXmlSitemap: "Sitemap index",
  PagesTextSitemap: "Text sitemap",
  PagesRssSitemap: "RSS feed",
  PagesAtomSitemap: "Atom feed",
};

export interface StepDetails {
  readonly sitemaps?: number;
  /** Default: the kind of the sitemap. */
  readonly reason?: string;
  readonly isHtml?: boolean;
}

export class Discovery {
  readonly context: WalkContext;
  readonly visitor: Visitor;
  readonly root: SitemapNode;
  readonly #send: Send<TreeEvent>;
  children = 0;
  /** Keys of targets of redirects that are not sitemaps. */
  readonly deadEnds: Set<string> = new Set();
  readonly #homepage: URL;
  readonly #answers: { readonly answer: ProbeAnswer; readonly isPage: boolean }[] = [];
  readonly #asked = new Set<string>();
  readonly #givenUp = new Set<string>();

  /** `homepage` has no user info. */
  constructor(context: WalkContext, homepage: URL, send: Send<TreeEvent>) {
    const { tally, options } = context;
    const place = { id: context.newId(), level: -1, parent: null, index: 0 };
    this.context = context;
    this.#homepage = homepage;
    this.visitor = new Visitor(context, send);
    this.root = new SitemapNode(place, homepage.href, { tally, notes: options.notes });
    this.#send = send;
  }

  /** Whether a sitemap other than robots.txt was found. */
  get hasFound(): boolean {
    const { sitemaps, unwanted } = this.context.tally;
    return sitemaps + unwanted > 0;
  }

  /** URL of the page that every path redirects to, to log in. */
  get loginPage(): string | undefined {
    return loginPage(this.#homepage, this.#answers);
  }

  flush(): Promise<void> | undefined {
    return this.#send(this.root.take());
  }

  /** Records a URL that is requested, as such or by a redirect. */
  ask({ href }: URL): void {
    this.#asked.add(addressKey(href));
  }

  wasAsked(url: string): boolean {
    return this.#asked.has(addressKey(url));
  }

  giveUp({ host }: URL): void {
    this.#givenUp.add(host);
  }

  isGivenUp(url: URL): boolean {
    const { down, isRefusing } = this.context.fetcher.pace.host(url);
    return this.#givenUp.has(url.host) || down !== undefined || isRefusing;
  }

  passOver(step: DiscoveryStep["step"], url: string, reason: string): void {
    this.context.tally.addStep({ step, url, sitemaps: 0, reason: `Not requested: ${reason}` });
  }

  addStep(
    step: DiscoveryStep["step"],
    answer: ProbeAnswer,
    result: Pick<VisitedSitemap, "type"> | SitemapFailure,
    { sitemaps = 1, reason, isHtml = false }: StepDetails = {},
  ): void {
    const { tally } = this.context;
    const { url: { href: url }, status, redirect } = answer;
    if ("code" in result) {
      this.#answers.push({ answer, isPage: isOtherContent(result) || isDenied(result) });
      const { code, requestCode = code, status: failed = status } = result;
      const fields = { ...withStatus({ status: failed }), code: requestCode, sitemaps: 0 };
      return tally.addStep({ step, url, ...fields, reason: withTarget(result.reason, redirect) });
    }
    this.#answers.push({ answer, isPage: isHtml });
    const what = withTarget(reason ?? KINDS[result.type] ?? "Sitemap", redirect);
    tally.addStep({ step, url, ...withStatus({ status }), sitemaps, reason: what });
  }

  checkRobots(url: string, step: DiscoveryStep["step"] | undefined): boolean {
    const { context } = this;
    if (context.robots.allows(url)) return true;
    const reason = "Disallowed by robots.txt";
    context.tally.failed(url, { code: "blocked", reason });
    context.fetcher.reportRefusal(new URL(url), reason);
    if (step) context.tally.addStep({ step, url, code: "blocked", sitemaps: 0, reason });
    return false;
  }
}

function withTarget(reason: string, redirect: URL | undefined): string {
  if (redirect === undefined) return reason;
  const target = `"${excerpt(redirect.href)}"`;
  return reason.includes(target) ? reason : `${reason}, redirected to ${target}`;
}
