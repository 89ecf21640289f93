/**
 * `sitetree ls`: the sitemaps of a site and the pages in them, while they are found.
 *
 * @module
 */

import type { Arguments } from "./arguments.ts";
import { eventWriter, formatSettings } from "./formats.ts";
import { selectionOfWalk } from "./selection.ts";
import { openSession } from "./session.ts";
import { startWalk } from "./site_walk.ts";
import { selectionOptions, walkSettings } from "./walk_settings.ts";
import { grouped } from "./wording.ts";

/** What sitemaps.org allows for one sitemap. */
const MAX_URLS = 50_000;

/** Runs the command: what the process exits with. */
export async function ls(args: Arguments): Promise<number> {
  const format = formatSettings(args);
  const settings = walkSettings(args);
  const { selection, maxPages } = selectionOfWalk(selectionOptions(args));
  using session = await openSession(args);
  const { batches, advice } = await startWalk(settings, session, maxPages);
  return await session.run({
    batches,
    selection,
    writer: await eventWriter(format, session.output, settings.homepage, session.color),
    tellsEnding: format.format === "tree" ? "finished" : "never",
    keepsEmpty: false,
    moreAdvice: (ending) => [
      ...advice(ending),
      ...(format.format === "xml" && selection.pages > MAX_URLS
        ? [`a sitemap may list ${grouped(MAX_URLS)} URLs: narrow it, or split it by the library`]
        : []),
    ],
  });
}
