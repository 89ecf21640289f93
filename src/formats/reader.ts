/**
 * What the readers of one document have in common.
 *
 * @module
 */

import type { InvalidCode } from "../codes.ts";
import type { SitemapType } from "../events.ts";

/** How the reading of a document ended. */
export type DocumentOutcome =
  | {
    /** The kind of sitemap it is. */
    readonly type: SitemapType;
    /** Whether it was read to its end. */
    readonly complete: boolean;
  }
  | {
    /** Why it cannot be used. */
    readonly code: InvalidCode;
    /** The same for people. */
    readonly reason: string;
  };

/** Reads the text of one document. */
export interface TextReader {
  /** The kind of sitemap, as soon as it is known. */
  readonly type: SitemapType | undefined;
  /** Takes a chunk of text. */
  write(text: string): void;
  /** Whether nothing that follows can matter. */
  readonly settled: boolean;
  /** Takes the end of the text; `cut` says that more should have come. */
  end(cut: boolean): DocumentOutcome;
}
