/** Every transition of a site between runs: events, snapshot and verdict. @module */

import { inEachStore } from "./stores.ts";
import { checkTransition } from "./transition.ts";
import { TRANSITIONS } from "./transitions.ts";

const test = inEachStore("sync() follows the site");
for (const [name, transition] of TRANSITIONS) {
  test(
    `sync() follows the site: ${name}`,
    (location) => checkTransition(transition, location),
  );
}
