/** Every transition of a site between runs: events, database and verdict. @module */

import { DISCOVERY_TRANSITIONS } from "./discovery_transitions.ts";
import { INDEX_TRANSITIONS } from "./index_transitions.ts";
import { LIMIT_TRANSITIONS } from "./limit_transitions.ts";
import { PAGE_TRANSITIONS } from "./page_transitions.ts";
import { REQUEST_TRANSITIONS } from "./request_transitions.ts";
import { SITEMAP_TRANSITIONS } from "./sitemap_transitions.ts";
import { checkTransition } from "./transition.ts";

const TRANSITIONS = [
  ...PAGE_TRANSITIONS,
  ...SITEMAP_TRANSITIONS,
  ...INDEX_TRANSITIONS,
  ...REQUEST_TRANSITIONS,
  ...DISCOVERY_TRANSITIONS,
  ...LIMIT_TRANSITIONS,
];

for (const transition of TRANSITIONS) {
  Deno.test(`sync() follows the site: ${transition.name}`, () => checkTransition(transition));
}
