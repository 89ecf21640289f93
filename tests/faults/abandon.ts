/**
 * A program that takes some events of a walk and then forgets about it, without leaving the loop in
 * any way that the walk could notice. Run by a test, with the homepage, the number of events and the
 * options of the walk as JSON.
 *
 * @module
 */

import { walk } from "../../mod.ts";

const [homepage = "", count = "", options = "{}"] = Deno.args;
const events = walk(homepage, JSON.parse(options));
for (let at = 0; at < Number(count); at++) await events.next();
console.log("forgotten");
