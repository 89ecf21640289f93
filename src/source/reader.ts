import type { EventStream } from "../data/batches.ts";
import type { TreeEvent } from "../data/events.ts";
import type { RecordedRun } from "../sync/history.ts";
import type { WalkOptions } from "../walk/options.ts";
import type { PageGate } from "../walk/page_selection.ts";

/**
 * What there is to know about how an operand is read:
 *
 * | code            | note                                                                       |
 * | --------------- | -------------------------------------------------------------------------- |
 * | `http`          | https could not be connected to: http is tried                             |
 * | `no-sitemap`    | the URL is not that of a sitemap: the site is walked                       |
 * | `served-at`     | where a folder is served, by a file that names it                          |
 * | `other-origin`  | files of a folder name another origin than the one given                   |
 * | `lists-sites`   | standard input has a site per line, and is read as a sitemap               |
 * | `linked-out`    | a file of a folder is a link out of it; known once all is read             |
 * | `unfinished`    | a saved walk ends early; known once all is read                            |
 * | `not-complete`  | what a snapshot has of its site is not all of it                           |
 * | `sites-not-complete` | the same, for some of several sites                                   |
 */
export interface SourceNote {
  /** What it is about, by the table. */
  readonly code:
    | "http"
    | "no-sitemap"
    | "served-at"
    | "other-origin"
    | "lists-sites"
    | "linked-out"
    | "unfinished"
    | "not-complete"
    | "sites-not-complete";
  /** The same as a sentence. */
  readonly message: string;
  /** Where files of a folder say that it is served. */
  readonly url?: string;
}

/** The events of an operand. Leaving the loop stops everything, as with `walk()`. */
export interface Source extends EventStream<TreeEvent> {
  /** A URL or a path, without a password. */
  readonly name: string;
  /**
   * What it is read as; final once there are events: a URL with a path is a `sitemap` until it turns out
   * to be none, and a `file` may turn out to be a `saved` walk.
   */
  readonly kind: "site" | "sitemap" | "folder" | "file" | "saved" | "snapshot";
  /** Notes about how it is read, so far. */
  readonly notes: readonly SourceNote[];
  /** Site of the pages, without user info; final once there are events. */
  readonly site: URL | undefined;
  /** Returns the path of the file of a URL, with forward slashes: in the folder, or as it was named. */
  fileOf(url: string): string | undefined;
  /** Returns the runs of a snapshot, the oldest first. */
  runs(): AsyncIterable<RecordedRun>;
}

/** What reads an operand. */
export interface Reader {
  readonly signal?: AbortSignal | undefined;
  /** Pages that are taken. Default: all. */
  readonly pages?: PageGate | undefined;
  /** Returns how many requests it may have under way. Default: `concurrency`. */
  readonly share?: () => number;
  /** Called before a site is connected to. */
  connect?(url: URL): Promise<void>;
  /** Returns the options of the walk of a site, by those of the operand. */
  optionsOf(homepage: URL, options: WalkOptions): WalkOptions | Promise<WalkOptions>;
  note(note: SourceNote): void;
  /** Forgets what it has read, which does not count: there is another URL to read. */
  restart(name: string): void;
}

/** An operand of a known kind. */
export interface Operand
  extends Pick<Source, "name" | "kind" | "site">, Partial<Pick<Source, "fileOf" | "runs">> {
  /** Its site with user info, if it was given. */
  readonly home?: URL;
  read(reader: Reader): AsyncIterable<readonly TreeEvent[]>;
}
