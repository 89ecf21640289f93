import { count } from "../../data/text.ts";
import type { Arguments } from "../arguments.ts";
import { eventWriter, formatSettings, formatsOf, SHOWN_PAGES } from "../formats.ts";
import { PAGE_FORMATS } from "../format_names.ts";
import { openSession } from "../run/session.ts";
import type { WalkTally } from "../run/reading.ts";
import { type SampledPage, sampleWriter, Sampling } from "../run/sampling.ts";
import { readingPlan } from "../sources.ts";

/** Sitemaps in a tree after which a shorter form is suggested. */
const LONG_TREE = 20;

export async function ls(args: Arguments): Promise<number> {
  const options = formatSettings(args);
  const { isPerSite = false } = formatsOf(options)[options.format]!;
  const hasOnlyPages = !args.has("sitemaps") && PAGE_FORMATS.includes(options.format);
  const plan = await readingPlan(args);
  using session = await openSession(args);
  const settings = { ...options, warn: (line: string) => session.note(line) };
  const isShortened = settings.format === "tree" && settings.maxPages !== undefined &&
    session.output.isTerminal && plan.sources.length === 1;
  const sample = Sampling.of<SampledPage>(args);
  const open = (site: URL | undefined) =>
    eventWriter(settings, session.output, site, session.color);
  const isWriterPerSource = settings.stripUrl || isPerSite;
  const exitCode = await session.run({
    ...plan,
    makeWriter({ site: first }) {
      if (sample === undefined) return open(first);
      const ofSite = (site = "") => open(isWriterPerSource ? URL.parse(site) ?? undefined : first);
      return sampleWriter(sample, ofSite, isWriterPerSource);
    },
    isWriterPerSource: sample === undefined && isWriterPerSource,
    // the same seed gives the same pages if they come in the same order
    isParallel: sample === undefined && hasOnlyPages && !settings.stripUrl,
    moreAdvice: ({ tally }) => [
      ...unfetchedAdvice(tally, hasOnlyPages),
      ...(isShortened ? lengthAdvice(tally) : []),
    ],
  });
  if (sample?.isSeedGiven) session.say(sample.summary);
  else if (sample !== undefined) session.note(sample.summary);
  return exitCode;
}

function unfetchedAdvice({ pages, unfetched }: WalkTally, hasOnlyPages: boolean): string[] {
  if (pages > 0 || unfetched === 0 || !hasOnlyPages) return [];
  return [
    `it lists ${count(unfetched, "sitemap")} and no pages: ` +
    '-f tree shows them, "sitetree ls URL" reads them',
  ];
}

function lengthAdvice({ largest, sitemaps }: WalkTally): string[] {
  const shorter = "--sitemaps lists the sitemaps only";
  if (largest > SHOWN_PAGES) return [`--all shows all pages, ${shorter}`];
  return sitemaps > LONG_TREE ? [shorter] : [];
}
