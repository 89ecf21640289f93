/** Walks a site with crawlee: `crawlee_walk.mjs ORIGIN`. @module */

import process from "node:process";
import { parseSitemap } from "@crawlee/utils";
import { WalkTally } from "./walk_tally.mjs";

const tally = new WalkTally();
const index = { type: "url", url: `${process.argv[2]}/sitemap_index.xml` };
for await (const page of parseSitemap([index], undefined, { enqueueStrategy: "all" })) {
  tally.add(page.loc);
}
console.log(JSON.stringify(tally.result()));
// its log and its agents may keep the process alive
process.exit(0);
