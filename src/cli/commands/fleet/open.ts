import { suggestion } from "../../../data/suggestion.ts";
import { count, grouped, quotedWord } from "../../../data/text.ts";
import type { Fleet, FleetOptions, FleetSite } from "../../../fleet/mod.ts";
import { progressNow } from "../../../fleet/run_status.ts";
import type { Arguments } from "../../arguments.ts";
import { opening } from "../../../source/snapshot.ts";
import { connectionOptions } from "../../run/operands.ts";
import { Failure, UsageError } from "../../failure.ts";

export async function openFleetAt(
  url: string,
  args: Arguments,
  options: FleetOptions = {},
): Promise<Fleet> {
  return await opening(async () => {
    const { openFleet } = await import("../../../fleet/mod.ts");
    return await openFleet(url, { ...connectionOptions(args), ...options });
  });
}

/** Throws a `UsageError` if the fleet does not have the run. */
export async function requireRun(fleet: Fleet, name: string): Promise<void> {
  const names = (await fleet.runs()).map(({ id }) => id);
  if (names.includes(name)) return;
  throw new UsageError(
    `Unknown run "${name}"${suggestion(name, names)}`,
    names.length === 0 ? "there are no runs yet" : '"sitetree fleet status" lists all runs',
  );
}

/** Yields only sites with a verdict and pages. */
export async function* sitesOfRun(
  fleet: Fleet,
  run: string,
  { note, advice }: { readonly note: (line: string) => void; readonly advice: string[] },
): AsyncGenerator<FleetSite, void, void> {
  await requireRun(fleet, run);
  const { done, total, verdicts } = await progressNow(fleet, run);
  const all = count(total, "site");
  if (done < total) note(`run "${run}": no verdict yet for ${grouped(total - done)} of ${all}`);
  const incomplete = verdicts.partial + verdicts.blocked + verdicts.failed;
  if (incomplete > 0) {
    const command = `sitetree fleet sites ${quotedWord(run)}`;
    advice.push(`not complete: ${grouped(incomplete)} of ${all}; "${command}" lists them`);
  }
  let isEmpty = true;
  for await (const site of fleet.sites(run)) {
    if (site.verdict === undefined || site.pages === 0) continue;
    isEmpty = false;
    yield site;
  }
  if (isEmpty) throw new Failure(`Cannot read run "${run}": no site of it has pages`);
}
