import type { TreeEvent } from "../../data/events.ts";
import type { SyncEvent } from "../../sync/events.ts";
import type { ChangeEvent } from "../../sync/change_rows.ts";

export type SourceEvent =
  | TreeEvent
  | Extract<SyncEvent, { readonly type: "sitemap-unchanged" }>
  | ChangeEvent;

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

/** Returns a writer that passes on the events of walks, and writes once there are no more. */
export function foldWriter(
  add: (event: TreeEvent, site: string | undefined, operand: object | undefined) => void,
  close: () => Promise<void>,
): EventWriter {
  return {
    writeAll(events, site, operand) {
      for (const event of events as readonly TreeEvent[]) add(event, site, operand);
    },
    close,
  };
}
