/** The tables of transitions. @module */

import { CLOCK_TRANSITIONS } from "./clock_transitions.ts";
import { DISCOVERY_TRANSITIONS } from "./discovery_transitions.ts";
import { IDENTITY_TRANSITIONS } from "./identity_transitions.ts";
import { INDEX_TRANSITIONS } from "./index_transitions.ts";
import { LIMIT_TRANSITIONS } from "./limit_transitions.ts";
import { MASS_REMOVAL_TRANSITIONS } from "./mass_removal_transitions.ts";
import { PAGE_TRANSITIONS } from "./page_transitions.ts";
import { REMOVAL_TRANSITIONS } from "./removal_transitions.ts";
import { REQUEST_TRANSITIONS } from "./request_transitions.ts";
import { SITEMAP_TRANSITIONS } from "./sitemap_transitions.ts";
import { rowsOf, type Transition } from "./transition.ts";

/** All transitions, by name. */
export const TRANSITIONS: readonly (readonly [name: string, Transition])[] = [
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
