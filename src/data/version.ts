/**
 * The version of this module, as `deno.json` has it.
 *
 * @module
 */

/** The version of this module. */
export const VERSION = "0.1.0";
