import { count } from "../../data/text.ts";
import { RUN_ROWS, SITE_ROWS } from "../../sync/history_rows.ts";
import type { PruneOptions, RowStream, Snapshot } from "../../sync/mod.ts";
import type { RowSpec } from "../../write/rows.ts";
import type { Arguments } from "../arguments.ts";
import { EXIT_CODES, UsageError } from "../failure.ts";
import { openSession } from "../run/session.ts";
import { rowsOf, wantedSite } from "../../source/snapshot.ts";
import { openSnapshotOf } from "../run/operands.ts";
import { type ColorName, Messages } from "../run/terminal.ts";

export async function sites(args: Arguments): Promise<number> {
  return await writeTable(args, SITE_ROWS, (snapshot) => snapshot.sites());
}

export async function runs(args: Arguments): Promise<number> {
  return await writeTable(args, RUN_ROWS, async (snapshot, path) => {
    const wanted = args.value("site");
    return snapshot.runs(wanted && (await wantedSite(snapshot, path, wanted)).homepage);
  });
}

async function writeTable<T>(
  args: Arguments,
  spec: RowSpec<T>,
  read: (snapshot: Snapshot, path: string) => RowStream<T> | Promise<RowStream<T>>,
): Promise<number> {
  const [path] = args.operands as [string];
  await using snapshot = await openSnapshotOf(args, path, { readOnly: true });
  using session = await openSession(args);
  const format = session.rowFormat(args, spec);
  await session.writeRows((await read(snapshot, path)).batches(), format);
  return session.exitCode;
}

/** Opens a snapshot that exists, to write to it. */
async function openExisting(path: string, args: Arguments): Promise<Snapshot> {
  await (await openSnapshotOf(args, path, { readOnly: true })).close();
  return await openSnapshotOf(args, path);
}

export async function forget(args: Arguments): Promise<number> {
  const [path, wanted] = args.operands as [string, string];
  const sitemap = args.value("sitemap");
  await using snapshot = await openExisting(path, args);
  const { homepage, pages } = await wantedSite(snapshot, path, wanted);
  const sitemaps = await rowsOf(snapshot.sitemaps(homepage));
  if (
    sitemap !== undefined &&
    !sitemaps.some(({ url, requestedUrl }) => url === sitemap || requestedUrl === sitemap)
  ) {
    throw new UsageError(
      `Unknown sitemap "${sitemap}" of "${homepage}"`,
      `"sitetree ls ${path} --site ${homepage} --sitemaps" lists them`,
    );
  }
  await snapshot.forget(homepage, sitemap === undefined ? {} : { sitemap });
  const left = sitemap === undefined ? 0 : (await wantedSite(snapshot, path, homepage)).pages;
  const messages = new Messages(false, args.value<ColorName>("color"));
  if (messages.isTerminal) {
    messages.note(`forgot ${sitemap ?? homepage}: ${count(pages - left, "page")} removed`);
  }
  return EXIT_CODES.complete;
}

export async function prune(args: Arguments): Promise<number> {
  const [path] = args.operands as [string];
  const kept = args.given<PruneOptions>("keep-changes", "keep-runs", "keep-quiet-runs");
  await using snapshot = await openExisting(path, args);
  await snapshot.prune({ ...kept, ignoreConsumers: args.has("ignore-consumers") });
  return EXIT_CODES.complete;
}
