import { REPORT_LIMITS } from "../report/limits.ts";
import type { ReportRun } from "../report/report.ts";
import type { RecordedRun } from "./history.ts";

/** Returns the last runs of a snapshot as a report has them, the oldest first. */
export async function reportRuns(runs: AsyncIterable<RecordedRun>): Promise<ReportRun[]> {
  const last: ReportRun[] = [];
  const pages = new Map<string, number>();
  for await (const run of runs) {
    const { site, started, verdict, added, changed, removed } = run;
    const after = pagesAfter(run, pages.get(site) ?? 0);
    pages.set(site, after);
    last.push({
      site,
      started: started.toISOString(),
      ...(verdict !== undefined && { verdict }),
      ...{ pages: after, added, changed, removed },
    });
    if (last.length > REPORT_LIMITS.runs) last.shift();
  }
  return last;
}

/** Returns the number of pages after a run; one that has not ended knows only what it changed. */
function pagesAfter(run: RecordedRun, before: number): number {
  const { verdict, added, changed, removed, unchanged, unconfirmed } = run;
  return verdict === undefined || verdict === "forgotten"
    ? Math.max(0, before + added - removed)
    : added + changed + unchanged + unconfirmed;
}
