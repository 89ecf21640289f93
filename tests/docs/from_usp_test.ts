/** The counterparts in `docs/from-usp.md`; other tests prove what each of them does. @module */

import { assert, assertEquals } from "@std/assert";
import { sitemapFromString } from "../../mod.ts";
import { OPTIONS } from "../../src/cli/options.ts";
import { PublicApi } from "../support/public_api.ts";
import { codeSpans, readText, ROOT, section, tableRows } from "./markdown.ts";

/** Code that is neither a name of the library nor an option of the command line. */
const OTHERS = [
  ...["JSON.stringify", "{ hreflang, href }", "2024-05-01", "sitetree ls URL", "-vv"],
  ...["tree", "tabtree"],
];

Deno.test("every name of USP has a counterpart that exists", async () => {
  const modules = ["mod.ts", "src/write/mod.ts"];
  const api = await PublicApi.of(...modules.map((path) => new URL(path, ROOT).pathname));
  const types = ["WalkOptions", "CollectOptions", "SitemapPage", "NewsStory", "SitemapImage"];
  const known = new Set([
    ...api.names,
    ...[...types, "Sitemap"].flatMap((name) => api.membersOf(name)),
    ...api.literalsOf("TreeEvent", "type"),
    ...OPTIONS.flatMap(({ name, short }) => [`--${name}`, `-${short}`]),
    ...OTHERS,
  ]);
  const sitemap = await sitemapFromString("https://site.test/");
  const isKnown = (name: string) => known.has(name) || name in sitemap || name in sitemap.pages;
  const rows = tableRows(section(readText("docs/from-usp.md"), "Names"));
  assert(rows.length > 30, "the table was read");
  const names = rows.flatMap(([usp = "", counterpart = ""]) =>
    codeSpans(counterpart.startsWith("the same") ? usp + counterpart : counterpart)
  ).map((name) => name.replace(/^await |^\.|: true$/g, ""));
  assertEquals(names.filter((name) => !isKnown(name)), []);
});
