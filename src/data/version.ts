/**
 * Version of this module, from its manifest.
 *
 * @module
 */

import manifest from "../../deno.json" with { type: "json" };

/** The version, such as `1.2.3`. */
export const VERSION: string = manifest.version;
