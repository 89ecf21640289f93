import { inChunks, MAX_BATCH_ITEMS } from "../../../data/batches.ts";
import type { Fleet, FleetSite } from "../../../fleet/mod.ts";
import type { RowColumn } from "../../../write/rows.ts";
import { type Arguments, fixedOperands } from "../../arguments.ts";
import { rowFormat } from "../../row_formats.ts";
import { openSession } from "../../run/session.ts";
import { requiredRun } from "./open.ts";
import { withFleet } from "./session.ts";

type SiteFilter = NonNullable<Parameters<Fleet["sites"]>[1]>;

const SITE_COLUMNS: readonly RowColumn<FleetSite>[] = [
  ["site", ({ homepage }) => homepage],
  ["verdict", ({ verdict }) => verdict],
  ["pages", ({ pages }) => pages, "count"],
  ["tries", ({ tries }) => tries, "count"],
  ["code", ({ code }) => code],
  ["finished", ({ finished }) => finished?.toISOString()],
  ["reason", ({ reason }) => reason],
];

export async function sites(args: Arguments): Promise<number> {
  const [run] = fixedOperands(args) as [string];
  args.format();
  using session = await openSession(args);
  return await withFleet(args, session, async (fleet) => {
    await requiredRun(fleet, run);
    const found = fleet.sites(run, args.given<SiteFilter>("verdict", "code"));
    const format = rowFormat(args, { columns: SITE_COLUMNS }, session.output.isTerminal);
    await session.writeRows(inChunks(found, MAX_BATCH_ITEMS, (site) => site), format);
  });
}
