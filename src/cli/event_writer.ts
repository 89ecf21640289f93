import type { TreeEvent } from "../data/events.ts";
import type { SyncEvent } from "../sync/events.ts";
import type { TextFormat } from "../write/text_stream.ts";
import type { ChangeEvent } from "./change_formats.ts";

export type SourceEvent =
  | TreeEvent
  | Extract<SyncEvent, { readonly type: "sitemap-unchanged" }>
  | ChangeEvent;

/** An event with the site that it belongs to, where several sites are written. */
export type WrittenEvent = TreeEvent & { readonly site?: string };

export type EventFormat = TextFormat<WrittenEvent>;

export interface EventWriter {
  /**
   * Takes events of a site, which come from one of several operands. The next ones have to wait for the
   * promise.
   */
  writeAll(events: readonly SourceEvent[], site?: string, operand?: object): Promise<void> | void;
  /** Writes the rest, so that the output is complete: whole lines, a closed document. */
  close(): Promise<void>;
  /**
   * Returns the rest instead of writing it, for a process that exits at once. Absent where that rest
   * does not complete the output.
   */
  takeRest?(): Uint8Array;
}
