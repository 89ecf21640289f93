import type {
  InvalidEvent,
  NoteEvent,
  SitemapLeftEvent,
  SitemapRef,
  TreeEvent,
  WarningEvent,
} from "../data/events.ts";
import type { FindingExample } from "./finding.ts";
import { type Rule, type RuleCode, RULES } from "./rules.ts";
import type { SitemapState } from "./sitemap_state.ts";

type Judgement = readonly [code: RuleCode, aspect: string];
type Codes = (aspect: Rule["aspects"][string]) => readonly string[];

/** By code of a warning or note: none is both. */
const REMARKS = judgements(({ warnings = [], notes = [] }) => [...warnings, ...notes]);
const INVALID = judgements(({ invalid = [] }) => invalid);

function judgements(codesOf: Codes): ReadonlyMap<string, Judgement> {
  return new Map(
    Object.entries(RULES).flatMap(([rule, { aspects }]) =>
      Object.entries(aspects).flatMap(([name, aspect]) =>
        codesOf(aspect).map((code) => [code, [rule as RuleCode, name]] as const)
      )
    ),
  );
}

/** Rules that are broken where an event has a code. */
export class CodeRules {
  /** A sitemap that could not be fetched, unless its next warning says why. */
  #failed: { readonly state: SitemapState; readonly example: FindingExample } | undefined;

  judgeInvalid(state: SitemapState, { sitemap, code, reason }: InvalidEvent): void {
    const judgement = INVALID.get(code);
    if (judgement === undefined) return;
    const example = { url: sitemap.requestedUrl ?? sitemap.url, value: reason };
    if (judgement[0] === "sitemap-failed") this.#failed = { state, example };
    else state.report(...judgement, example);
  }

  /** Reports the sitemap that has failed, if the next event does not say why. */
  judgeFailed(next?: TreeEvent): void {
    if (this.#failed === undefined) return;
    const { state, example } = this.#failed;
    this.#failed = undefined;
    const isEncoding = next?.type === "warning" && next.code === "content-encoding" &&
      next.sitemap.id === state.ref.id;
    // that is another rule
    if (!isEncoding) state.report("sitemap-failed", "failed", example);
  }

  judgeRemark(event: WarningEvent | NoteEvent, stateOf: (ref: SitemapRef) => SitemapState): void {
    const { code, sitemap, line, message } = event;
    const judgement = REMARKS.get(code);
    // what is not a sitemap breaks the rules of sitemaps in many ways
    const isMeant = sitemap.type !== "InvalidSitemap" || judgement?.[0] === "compression";
    if (judgement === undefined || !isMeant) return;
    const state = stateOf(sitemap);
    state.sent.set(code, (state.sent.get(code) ?? 0) + 1);
    if (state.isRepeated) return;
    const example = { ...(line !== undefined && { line }), value: message };
    state.report(...judged(judgement, sitemap, message), example);
  }

  /** Adds remarks that were counted, but not sent as events. */
  judgeCounts(state: SitemapState, { warnings, notes }: SitemapLeftEvent): void {
    for (const [code, count = 0] of Object.entries({ ...warnings, ...notes })) {
      const judgement = REMARKS.get(code);
      const more = count - (state.sent.get(code) ?? 0);
      if (judgement === undefined || more <= 0) continue;
      state.report(...judged(judgement, state.ref, ""), undefined, more);
    }
  }
}

/** Returns the judgement of a warning or note where its code alone does not say it. */
function judged(judgement: Judgement, { type }: SitemapRef, message: string): Judgement {
  const [code] = judgement;
  if (code === "loc-duplicate" && type.startsWith("Index")) return ["sitemap-repeated", "twice"];
  const isSpace = code === "xml-leading-junk" && message.endsWith("before the XML declaration");
  return isSpace ? [code, "space"] : judgement;
}
