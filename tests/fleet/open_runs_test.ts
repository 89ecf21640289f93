import { assertEquals } from "@std/assert";
import { progressText } from "../../src/fleet/open_runs.ts";

Deno.test("the progress of open runs names the only one, or says how many there are", () => {
  const counts = "33 of 1,060 sites, 620,000 pages, 71 pages/s, 2 waiting";
  const progress = { sites: 33, total: 1060, pages: 620_000, pagesPerSecond: 71.26, waiting: 2 };
  const rows = [
    [{}, counts],
    [{ run: "nov", round: 2, runs: 1, suspects: 1 }, `nov, round 2: ${counts}, 1 suspect`],
    [{ runs: 3, suspects: 0 }, `3 runs: ${counts}, 0 suspects`],
    [{ runs: 0, suspects: 0 }, "waiting for sites"],
  ] as const;
  for (const [more, text] of rows) assertEquals(progressText({ ...progress, ...more }), text);
});
