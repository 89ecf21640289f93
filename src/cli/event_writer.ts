/**
 * Writes events to an output, at the pace of the output.
 *
 * @module
 */

import type { TreeEvent } from "../events.ts";
import type { TextFormat } from "../write/byte_writer_stream.ts";
import type { ByteSink } from "./sink.ts";

/** Takes events and writes them somewhere. */
export interface EventWriter {
  /** Takes an event; a promise is given where the next one has to wait. */
  write(event: TreeEvent): Promise<void> | undefined;
  /** Writes the rest, so that the output is complete: whole lines, a closed document. */
  close(): Promise<void>;
  /**
   * Takes the rest instead of writing it, for a process that exits at once. Absent where that rest
   * does not complete the output.
   */
  takeRest?(): Uint8Array;
}

/** A text format for events. */
export interface EventFormat extends TextFormat<TreeEvent> {
  /** Makes a piece of any length harmless, which costs less than doing so for each event. */
  readonly escape?: (text: string) => string;
}

/** Bytes gathered before a piece is written in any case. */
const PIECE_BYTES = 64 * 1024;
/**
 * Characters gathered before they become bytes. A long string that grows is thousands of short ones
 * to the garbage collector, which makes room for them: 60 MB at 64 KiB, next to nothing at 4 KiB.
 */
const TEXT_LENGTH = 4 * 1024;
/** The most bytes that a character takes. */
const MAX_BYTES = 3;

/**
 * Writes events by a text format, in large pieces and without a promise for each event: half of the
 * cost of a page in a `TransformStream` is the stream.
 */
export class TextEventWriter implements EventWriter {
  readonly #format: EventFormat;
  readonly #sink: ByteSink;
  readonly #encoder = new TextEncoder();
  #text: string;
  /** Filled while the other one is written: new ones each time would wait for the collector. */
  #buffer = new Uint8Array(PIECE_BYTES + 2 * MAX_BYTES * TEXT_LENGTH);
  #otherBuffer = new Uint8Array(this.#buffer.length);
  #filled = 0;
  #isEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** Writes nothing yet. */
  constructor(format: EventFormat, sink: ByteSink) {
    this.#format = format;
    this.#sink = sink;
    this.#text = format.head ?? "";
  }

  write(event: TreeEvent): Promise<void> | undefined {
    try {
      this.#text += this.#format.write(event);
    } catch (error) {
      this.#failure = { error };
    }
    if (this.#text.length >= TEXT_LENGTH) this.#encode();
    if (this.#filled >= PIECE_BYTES || this.#failure !== undefined) return this.#flush();
    this.#flushSoon();
    return undefined;
  }

  async close(): Promise<void> {
    this.#end();
    await this.#flush();
  }

  takeRest(): Uint8Array {
    this.#end();
    this.#encode();
    const rest = this.#buffer.subarray(0, this.#filled);
    this.#filled = 0;
    return rest;
  }

  #end(): void {
    if (!this.#isEnded) this.#text += this.#format.end?.() ?? "";
    this.#isEnded = true;
  }

  #encode(): void {
    const text = this.#format.escape?.(this.#text) ?? this.#text;
    this.#text = "";
    const most = this.#filled + MAX_BYTES * text.length;
    if (most > this.#buffer.length) {
      const larger = new Uint8Array(most);
      larger.set(this.#buffer.subarray(0, this.#filled));
      this.#buffer = larger;
    }
    this.#filled += this.#encoder.encodeInto(text, this.#buffer.subarray(this.#filled)).written;
  }

  /** Flushes when the event loop turns, which it does when the source pauses. */
  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The buffer of the piece being written is in use until the next turn.
      if (this.#writing !== undefined) this.#flushSoon();
      else this.#flush().catch(() => {});
    }, 0);
  }

  /** Writes all that was gathered, after the piece being written. */
  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#encode();
    if (this.#filled === 0) return;
    const piece = this.#buffer.subarray(0, this.#filled);
    [this.#buffer, this.#otherBuffer] = [this.#otherBuffer, this.#buffer];
    this.#filled = 0;
    // A failure is reported to this caller, or to the next one where this is the timer.
    this.#writing = this.#sink.write(piece).catch((error) => void (this.#failure = { error }))
      .finally(() => this.#writing = undefined);
    await this.#writing;
    const failure = this.#failure as { readonly error: unknown } | undefined;
    if (failure !== undefined) throw failure.error;
  }
}
