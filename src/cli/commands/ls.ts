import { count } from "../../data/text.ts";
import type { Arguments } from "../arguments.ts";
import { PAGE_FORMATS } from "../format_names.ts";
import { openSession } from "../run/session.ts";
import { openFleetAt, sitesOfRun } from "./fleet/open.ts";
import type { WalkTally } from "../run/walk_tally.ts";
import { type SampledPage, sampleWriter, Sampling } from "../run/sampling.ts";
import { readingPlan } from "../run/operands.ts";
import { eventWriter, formatSettings, isPerSite, SHOWN_PAGES } from "./ls_formats.ts";

/** Sitemaps in a tree after which a shorter form is suggested. */
const LONG_TREE = 20;

export async function ls(args: Arguments): Promise<number> {
  const options = formatSettings(args);
  const hasOnlyPages = !args.has("sitemaps") && PAGE_FORMATS.includes(options.format);
  const run = args.value("run");
  const plan = await readingPlan(
    args,
    run === undefined ? undefined : async function* (path, { context: { note }, advice }) {
      await using fleet = await openFleetAt(path, args);
      yield* sitesOfRun(fleet, run, { note, advice });
    },
  );
  using session = await openSession(args);
  const settings = { ...options, warn: (line: string) => session.note(line) };
  const isShortened = settings.format === "tree" && settings.maxPages !== undefined &&
    session.output.isTerminal && plan.operands.length === 1;
  const sample = Sampling.of<SampledPage>(args);
  const open = (site: URL | undefined) =>
    eventWriter(settings, session.output, site, session.color);
  const isPerOperand = settings.stripUrl || isPerSite(settings);
  const exitCode = await session.run({
    ...plan,
    writer: sample === undefined
      ? isPerOperand ? ({ site }) => open(site) : await open(undefined)
      : sampleWriter(
        sample,
        (site = "") => open(isPerOperand ? URL.parse(site) ?? undefined : undefined),
        isPerOperand,
      ),
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
