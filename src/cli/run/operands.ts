import { withoutPassword } from "../../data/url.ts";
import { isDatabase } from "../../source/snapshot.ts";
import { listedWords } from "../../source/list.ts";
import type { Operand } from "../../source/reader.ts";
import { Site } from "../../source/site.ts";
import { statOf } from "../../disk/files.ts";
import { operandOf, type OperandOptions } from "../../source/source.ts";
import { openSnapshotAt } from "../../source/snapshot.ts";
import type { PostgresOptions, Snapshot, SnapshotOptions } from "../../sync/mod.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandName } from "../commands.ts";
import { UsageError } from "../failure.ts";
import type { Reading } from "./reading.ts";
import { PageFilter, pageFilterOptions } from "./selection.ts";
import { requireProxies, type WalkSettings, walkSettings } from "./walk_settings.ts";

/** What a command reads. */
export interface ReadingPlan {
  readonly operands: readonly Operand[];
  readonly settings: WalkSettings;
  readonly filter: PageFilter;
}

/** Yields the sites of a snapshot that `--run` names. */
type SitesOfRun = (
  path: string,
  reading: Reading,
) => AsyncIterable<{ readonly homepage: string }>;

/** Commands that read all sites of a snapshot, unless an option needs a single one. */
const ALL_SITES: readonly CommandName[] = ["ls", "report"];
const SINGLE_SITE_OPTIONS = ["site", "strip-url"];

export async function readingPlan(args: Arguments, sitesOfRun?: SitesOfRun): Promise<ReadingPlan> {
  const settings = walkSettings(args);
  const options: OperandOptions = {
    ...settings.options,
    ...args.given<OperandOptions>("url", "site", "connections", "pooled"),
    onlyKinds: settings.onlyKinds,
    isSingle: !ALL_SITES.includes(args.command) ||
      SINGLE_SITE_OPTIONS.some((name) => args.has(name)),
  };
  const operands = (await operandWords(args)).map((word) => {
    if (sitesOfRun !== undefined && !isDatabase(word)) throw runOf(word);
    // all readers are readings here
    const homepages = sitesOfRun &&
      ((reader: object) => sitesOfRun(word, reader as Reading));
    const operand = operandOf(word, { ...options, homepages });
    checkKind(args, word, operand);
    return operand;
  });
  if (operands.some((operand) => operand instanceof Site)) await requireProxies(settings);
  return { operands, settings, filter: new PageFilter(pageFilterOptions(args)) };
}

async function operandWords(args: Arguments): Promise<readonly string[]> {
  let words = args.operands;
  for (const path of args.all("from")) words = words.concat(await listedWords(path));
  if (words.length === 0) throw new UsageError("Empty list");
  return words;
}

function checkKind(args: Arguments, word: string, { kind }: Operand): void {
  if (kind === "snapshot" && !isDatabase(word)) refuseConnection(args);
  const isExplained = ["site", "sitemap", "folder"].includes(kind);
  if (args.command !== "explain" || isExplained) return;
  if (word === "-" || isDatabase(word) || statOf(word) !== undefined) {
    throw notRead(word, "explain", "sites and folders");
  }
}

/** Returns an error about an operand of a kind that a command does not read. */
export function notRead(path: string, command: CommandName, read: string): UsageError {
  return new UsageError(
    `Cannot read "${path}": "${command}" reads ${read}`,
    path === "-"
      ? "for a list of sites on standard input: --from -"
      : '"ls", "check", "report" and "diff" read folders and files',
  );
}

function runOf(word: string): UsageError {
  return new UsageError(
    `Option "--run" does not apply to "${withoutPassword(word)}"`,
    "runs are those of a fleet, in a database such as postgres://user@host/name",
  );
}

/** Returns the options of connections to PostgreSQL. */
export function connectionOptions(args: Arguments): PostgresOptions {
  return args.given<PostgresOptions>("connections", "pooled");
}

/** Opens a snapshot as the options about connections and runs say. */
export async function openSnapshotOf(
  args: Arguments,
  path: string,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  if (!isDatabase(path)) refuseConnection(args);
  const kept = args.given<SnapshotOptions>("keep-quiet-runs");
  return await openSnapshotAt(path, { ...connectionOptions(args), ...kept, ...options });
}

function refuseConnection(args: Arguments): void {
  const [unused] = Object.keys(connectionOptions(args));
  if (unused !== undefined) throw new UsageError(`Option "--${unused}" does not apply to a file`);
}
