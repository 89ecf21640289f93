/**
 * `sitetree forget` and `sitetree prune`: what leaves a snapshot.
 *
 * @module
 */

import { count } from "../data/text.ts";
import type { PruneOptions } from "../sync/mod.ts";
import { type Arguments, fixedOperands } from "./arguments.ts";
import { EXIT_CODES, UsageError } from "./failure.ts";
import { openExisting, rowsOf, siteOf } from "./snapshots.ts";
import { type ColorName, Messages } from "./terminal.ts";

/** `forget`. */
export async function forget(args: Arguments): Promise<number> {
  const [path, wanted] = fixedOperands(args) as [string, string];
  const sitemap = args.value("sitemap");
  await using snapshot = await openExisting(path, args);
  const { homepage, pages } = await siteOf(snapshot, path, wanted);
  const sitemaps = await rowsOf(snapshot.sitemaps(homepage));
  if (
    sitemap !== undefined &&
    !sitemaps.some(({ url, requestedUrl }) => url === sitemap || requestedUrl === sitemap)
  ) {
    throw new UsageError(
      `Unknown sitemap "${sitemap}" of "${homepage}"`,
      `"sitetree ls ${path} --site ${homepage} -f sitemaps" lists them`,
    );
  }
  await snapshot.forget(homepage, sitemap === undefined ? {} : { sitemap });
  const left = sitemap === undefined ? 0 : (await siteOf(snapshot, path, homepage)).pages;
  say(args, `forgot ${sitemap ?? homepage}: ${count(pages - left, "page")} removed`);
  return EXIT_CODES.complete;
}

/** `prune`. */
export async function prune(args: Arguments): Promise<number> {
  const [path] = fixedOperands(args) as [string];
  const keepChanges = args.value<number>("keep-changes");
  const keepRuns = args.value<number>("keep-runs");
  const options: PruneOptions = {
    ...(keepChanges !== undefined && { keepChanges }),
    ...(keepRuns !== undefined && { keepRuns }),
    ignoreConsumers: args.has("ignore-consumers"),
  };
  if (keepChanges === undefined && keepRuns === undefined) {
    throw new UsageError(
      'Missing option "--keep-changes" or "--keep-runs"',
      `as in "sitetree prune ${path} --keep-changes 90d"`,
    );
  }
  await using snapshot = await openExisting(path, args);
  await snapshot.prune(options);
  return EXIT_CODES.complete;
}

/** Prints a line on a terminal. */
function say(args: Arguments, line: string): void {
  const messages = new Messages(false, args.value<ColorName>("color"));
  if (messages.screen.isTerminal) messages.note(line);
}
