/**
 * Writes events to an output, at the pace of the output.
 *
 * @module
 */

import type { TreeEvent } from "../data/events.ts";
import type { SitemapUnchangedEvent } from "../sync/events.ts";
import type { TextFormat } from "../write/text_stream.ts";
import type { ChangeEvent } from "./change_formats.ts";
import type { Output } from "./output.ts";

/** An event of an operand: of a walk, of a synchronisation, or of a snapshot. */
export type SourceEvent = TreeEvent | SitemapUnchangedEvent | ChangeEvent;

/** A text format for events. */
export type EventFormat = TextFormat<TreeEvent>;

/** Writes events. */
export interface EventWriter {
  /** Takes an event. Returns a promise if the next event has to wait for it. */
  write(event: SourceEvent): Promise<void> | undefined;
  /** Writes the rest, so that the output is complete: whole lines, a closed document. */
  close(): Promise<void>;
  /**
   * Returns the rest instead of writing it, for a process that exits at once. Absent where that rest
   * does not complete the output.
   */
  takeRest?(): Uint8Array;
}

/** Characters gathered before they are written in any case. */
const MAX_TEXT_LENGTH = 16 * 1024;

/**
 * Writes events in a text format: when enough text is gathered, or as soon as the source pauses. It
 * needs no promise per event, unlike a `TransformStream`.
 */
export class TextEventWriter implements EventWriter {
  readonly #format: EventFormat;
  readonly #output: Pick<Output, "write">;
  readonly #encoder = new TextEncoder();
  #text: string;
  #isEnded = false;
  #hasFailed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Resolved once everything taken from the text so far is written; rejected by a failure. */
  #written: Promise<void> = Promise.resolve();

  /** Creates a writer that writes nothing yet. */
  constructor(format: EventFormat, output: Pick<Output, "write">) {
    this.#format = format;
    this.#output = output;
    this.#text = format.head ?? "";
  }

  write(event: TreeEvent): Promise<void> | undefined {
    this.#text += this.#format.write(event);
    if (this.#text.length >= MAX_TEXT_LENGTH || this.#hasFailed) return this.#flush();
    // the event loop turns when the source pauses
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // reported by the next call
      this.#flush().catch(() => {});
    }, 0);
    return undefined;
  }

  async close(): Promise<void> {
    this.#end();
    await this.#flush();
    clearTimeout(this.#timer);
  }

  takeRest(): Uint8Array {
    this.#end();
    const rest = this.#encoder.encode(this.#text);
    this.#text = "";
    return rest;
  }

  #end(): void {
    if (!this.#isEnded) this.#text += this.#format.end?.() ?? "";
    this.#isEnded = true;
  }

  /** Writes the gathered text once earlier writes are done. */
  #flush(): Promise<void> {
    this.#written = this.#written.then(() => this.#writeText());
    return this.#written;
  }

  async #writeText(): Promise<void> {
    if (this.#text === "") return;
    const bytes = this.#encoder.encode(this.#text);
    this.#text = "";
    try {
      await this.#output.write(bytes);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }
}
