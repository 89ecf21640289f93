import { ScriptedFetch, silence } from "../http/scripted_fetch.ts";
import { siteOf } from "./documents.ts";
import { startWorker, testFleets, until, within } from "./with_fleets.ts";

const HOME = "https://a.test/";

testFleets("a walk", {
  "that has read something ends the row of those that may have stopped their workers": async (
    database,
  ) => {
    const { fetch } = new ScriptedFetch({
      ...siteOf(HOME, { a: ["1"], b: [] }),
      [`${HOME}b`]: silence(),
    });
    const fleet = await database.open({ walk: { fetch } });
    await fleet.enqueue("r", [HOME]);
    await database.query("update sitetree.fleet_site set crashes = 4, due = '-infinity'");
    const stop = startWorker(fleet);
    await within(20_000, "count anew", () =>
      until(async () => {
        const [site] = await database.query("select crashes from sitetree.fleet_site");
        return site!.crashes === 0;
      }));
    await stop();
  },
});
