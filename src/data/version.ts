/**
 * Version of this module. A constant, as not every bundler and runtime can import `deno.json`; a test
 * checks that both are equal.
 *
 * @module
 */

/** Version of this module. */
export const VERSION = "0.1.0";
