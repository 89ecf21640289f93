import { SYNC_NUMBERS } from "../data/limits.ts";
import {
  applyRules,
  checkNames,
  flag,
  number,
  type OptionRule,
  type OptionRules,
  wholeNumber,
} from "../data/option_rules.ts";
import { WALK_RULES, type WalkOptions } from "../walk/options.ts";
import type { Snapshot } from "./snapshot.ts";

/** Options of a walk, and how {@linkcode sync} compares it with a snapshot. */
export interface SyncOptions extends Omit<WalkOptions, "includePage" | "maxEntries" | "notes"> {
  /** What is known of sites, from {@linkcode openSnapshot}. */
  readonly snapshot: Snapshot;
  /**
   * Whether a sitemap is not requested if its index declares the same `lastmod` as last time.
   * Default: false, since many sites forget to update it.
   */
  readonly trustLastmod?: boolean;
  /** Whether more than half of the pages may be removed in one run. Default: false. */
  readonly allowMassRemoval?: boolean;
  /** Milliseconds between the two walks that confirm that something is gone. Default: 1 h. */
  readonly confirmAfter?: number;
  /** Milliseconds after which a refused mass removal is accepted; `Infinity`: never. Default: 14 days. */
  readonly acceptAfter?: number;
  /** Whether everything is read, even if the server says that it is unchanged. Default: false. */
  readonly full?: boolean;
  /** Whether nothing is written to the snapshot. Default: false. */
  readonly dryRun?: boolean;
}

/** Options of {@linkcode sync}, and how many sites {@linkcode syncAll} walks at once. */
export interface SyncAllOptions extends SyncOptions {
  /** Sites that are walked at the same time, one of each host. Default: 50. */
  readonly slots?: number;
  /** Returns further options for a walk of a site. Default: none. */
  readonly optionsOf?: (site: URL) => Partial<SyncOptions> | Promise<Partial<SyncOptions>>;
}

type OwnOptions = Omit<SyncOptions, keyof WalkOptions | "snapshot">;

const RULES = {
  trustLastmod: flag(false),
  allowMassRemoval: flag(false),
  confirmAfter: number(...SYNC_NUMBERS.confirmAfter),
  acceptAfter: number(...SYNC_NUMBERS.acceptAfter),
  full: flag(false),
  dryRun: flag(false),
} satisfies OptionRules<OwnOptions>;

export const SLOTS: OptionRule<number> = wholeNumber(...SYNC_NUMBERS.slots);

/** Rules of the options of `syncAll()` that `walk()` does not have. */
export const SYNC_RULES: Readonly<Record<string, OptionRule>> = { ...RULES, slots: SLOTS };

/** Options of a walk that a snapshot does not have, with the reason. */
const REFUSED: Readonly<Record<Exclude<keyof WalkOptions, keyof SyncOptions>, string>> = {
  includePage: "a snapshot holds whole sitemaps",
  maxEntries: "a snapshot holds whole sitemaps",
  notes: "a snapshot has none",
};

/** Options of a synchronisation, with their defaults, and those of its walk as they are given. */
interface ResolvedSyncOptions {
  readonly own: Required<OwnOptions>;
  readonly walkOptions: WalkOptions;
}

/**
 * @throws {RangeError} if a number is out of range
 * @throws {TypeError} if an option is unknown, or any other has an invalid value
 */
export function resolveSyncOptions(options: Omit<SyncOptions, "snapshot">): ResolvedSyncOptions {
  checkNames({ ...RULES, ...WALK_RULES }, options);
  for (const [name, reason] of Object.entries(REFUSED)) {
    if ((options as WalkOptions)[name as keyof WalkOptions] === undefined) continue;
    throw new TypeError(`Cannot use option "${name}": ${reason}`);
  }
  const entries = Object.entries(options);
  const isOwn = ([name]: readonly [string, unknown]) => Object.hasOwn(RULES, name);
  return {
    own: applyRules<OwnOptions, typeof RULES>(RULES, Object.fromEntries(entries.filter(isOwn))),
    walkOptions: Object.fromEntries(entries.filter((entry) => !isOwn(entry))),
  };
}
