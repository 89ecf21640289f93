/**
 * Program that takes some events of a walk and abandons it without ending the iteration. Its arguments
 * are the homepage, the number of events, and the options of the walk as JSON.
 *
 * @module
 */

import { walk } from "../../mod.ts";

const [homepage = "", count = "", options = "{}"] = Deno.args;
const events = walk(homepage, JSON.parse(options));
for (let at = 0; at < Number(count); at++) await events.next();
console.log("forgotten");
