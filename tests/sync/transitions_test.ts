/** Every transition of a site between runs: events, snapshot and verdict. @module */

import { CLOCK_TRANSITIONS } from "./clock_transitions.ts";
import { DISCOVERY_TRANSITIONS } from "./discovery_transitions.ts";
import { IDENTITY_TRANSITIONS } from "./identity_transitions.ts";
import { INDEX_TRANSITIONS } from "./index_transitions.ts";
import { LIMIT_TRANSITIONS } from "./limit_transitions.ts";
import { MASS_REMOVAL_TRANSITIONS } from "./mass_removal_transitions.ts";
import { checkModel } from "./model_walk.ts";
import { PAGE_TRANSITIONS } from "./page_transitions.ts";
import { REMOVAL_TRANSITIONS } from "./removal_transitions.ts";
import { REQUEST_TRANSITIONS } from "./request_transitions.ts";
import { SITEMAP_TRANSITIONS } from "./sitemap_transitions.ts";
import { inEachStore, withoutStore } from "./stores.ts";
import { checkTransition, rowsOf } from "./transition.ts";

const TRANSITIONS = [
  PAGE_TRANSITIONS,
  IDENTITY_TRANSITIONS,
  SITEMAP_TRANSITIONS,
  INDEX_TRANSITIONS,
  REMOVAL_TRANSITIONS,
  MASS_REMOVAL_TRANSITIONS,
  REQUEST_TRANSITIONS,
  DISCOVERY_TRANSITIONS,
  LIMIT_TRANSITIONS,
  CLOCK_TRANSITIONS,
].flatMap(rowsOf);

const test = inEachStore("sync() follows the site");
for (const [name, transition] of TRANSITIONS) {
  test(
    `sync() follows the site: ${name}`,
    (location) => checkTransition(transition, location),
  );
}

withoutStore("the model follows the site in the same transitions", async (test) => {
  for (const [name, transition] of TRANSITIONS) {
    if (transition.isModelled === false) continue;
    await test.step(name, () => checkModel(transition));
  }
});
