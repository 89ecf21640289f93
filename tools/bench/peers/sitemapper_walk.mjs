/** Walks a site with sitemapper: `sitemapper_walk.mjs ORIGIN`. @module */

import process from "node:process";
import Sitemapper from "sitemapper";
import { WalkTally } from "./walk_tally.mjs";

const tally = new WalkTally();
const sitemapper = new Sitemapper({
  url: `${process.argv[2]}/sitemap_index.xml`,
  // it parses ten sitemaps at once on one thread, so the last of them waits long for its turn
  timeout: 3_600_000,
  fields: { loc: true, lastmod: true, priority: true },
});
const { sites, errors } = await sitemapper.fetch();
if (errors.length > 0) throw new Error(JSON.stringify(errors));
for (const site of sites) tally.add(site.loc);
console.log(JSON.stringify(tally.result()));
process.exit(0);
