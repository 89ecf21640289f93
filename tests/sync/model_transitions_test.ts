/** The memory model in the transitions that `sync()` is tested by. @module */

import { checkModel } from "./model_walk.ts";
import { TRANSITIONS } from "./transitions.ts";

Deno.test("the model follows the site in the same transitions", async (test) => {
  for (const [name, transition] of TRANSITIONS) {
    if (transition.isModelled === false) continue;
    await test.step(name, () => checkModel(transition));
  }
});
