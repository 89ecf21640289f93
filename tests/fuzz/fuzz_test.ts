import { assertEquals } from "@std/assert";
import { fuzz } from "./watch.ts";

/** About 20 seconds on two slow cores; the same cases in every run. */
const SEEDS = [1, 2, 3, 4];
const RUNS = 3000;

for (const seed of SEEDS) {
  Deno.test(`parsers keep their properties for ${RUNS} broken documents from seed ${seed}`, async () => {
    const { runs, failure } = await fuzz(seed, RUNS);
    assertEquals(failure, undefined);
    assertEquals(runs, RUNS);
  });
}
