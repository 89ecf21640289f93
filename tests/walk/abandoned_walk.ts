/** Program that takes some events of a walk and abandons it. @module */

import { walk } from "../../mod.ts";

const [url, count, options] = Deno.args;
const events = walk(url!, JSON.parse(options!));
for (let taken = 0; taken < Number(count); taken++) await events.next();
console.log("forgotten");
