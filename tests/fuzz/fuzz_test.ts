import { assertEquals } from "@std/assert";
import { fuzz } from "../../tools/fuzz/watch.ts";

/** The same cases in every run, and the first ones of those that CI fuzzes. */
const SEEDS = [1, 2];
const RUNS = 2000;

for (const seed of SEEDS) {
  Deno.test(`parsers keep their properties for ${RUNS} broken documents from seed ${seed}`, async () => {
    const { runs, failure } = await fuzz(seed, RUNS);
    assertEquals(failure, undefined);
    assertEquals(runs, RUNS);
  });
}
