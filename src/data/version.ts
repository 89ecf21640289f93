/**
 * Version of this module, from its manifest.
 *
 * @module
 */

import manifest from "../../deno.json" with { type: "json" };

export const VERSION: string = manifest.version;
