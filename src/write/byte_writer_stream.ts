/**
 * The frame of every writer: a `TransformStream` that gathers text and hands it on as UTF-8.
 *
 * @module
 */

/** Characters gathered before a piece is handed on whatever happens. */
const PIECE_LENGTH = 64 * 1024;

/** How a writer puts its input into text. */
export interface TextFormat<Input> {
  /** Stands before everything. Default: nothing. */
  readonly head?: string;
  /** The text of one input; empty for one that is passed over. */
  readonly write: (input: Input) => string;
  /** The text after everything. Default: nothing. */
  readonly end?: () => string;
}

/**
 * A stream that writes its input in a format, as UTF-8 in pieces of about 64 KiB. An array is a
 * batch of inputs.
 *
 * A piece is handed on when it is full, or as soon as the burst of input that began it is over
 * and the event loop turns: a fast source gets large pieces, a slow one waits for nothing. Input
 * is only taken while the reader wants output, so that a slow sink holds back its source.
 */
export function byteWriterStream<Input>(
  format: TextFormat<Input>,
): TransformStream<Input | readonly Input[], Uint8Array<ArrayBuffer>> {
  const gathered = new TextGatherer();
  return new TransformStream<Input | readonly Input[], Uint8Array<ArrayBuffer>>(
    {
      start() {
        if (format.head !== undefined) gathered.text = format.head;
      },
      transform(chunk, controller) {
        for (const input of isBatch(chunk) ? chunk : [chunk]) {
          gathered.text += format.write(input);
          if (gathered.text.length >= PIECE_LENGTH) gathered.flush(controller);
        }
        if (gathered.text !== "") gathered.flushSoon(controller);
      },
      flush(controller) {
        gathered.text += format.end?.() ?? "";
        gathered.flush(controller);
        gathered.stop();
      },
      cancel() {
        gathered.stop();
      },
    },
    { highWaterMark: 1 },
    // One piece may wait while the sink is busy with the one before.
    { highWaterMark: 1 },
  );
}

function isBatch<Input>(chunk: Input | readonly Input[]): chunk is readonly Input[] {
  return Array.isArray(chunk);
}

/** Text that waits to be handed on. */
class TextGatherer {
  /** The text. */
  text = "";
  readonly #encoder = new TextEncoder();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Hands on what there is. */
  flush(controller: TransformStreamDefaultController<Uint8Array>): void {
    if (this.text === "") return;
    const bytes = this.#encoder.encode(this.text);
    this.text = "";
    controller.enqueue(bytes);
  }

  /**
   * Hands on what there is when the event loop turns. A timer of no length is the one way to learn
   * of that on every platform; it costs 7 µs, so one that is under way is left to serve.
   */
  flushSoon(controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // No room means: cancelled or failed. A stream that still lives has room, since input is not
      // taken before there is.
      if ((controller.desiredSize ?? 0) > 0) this.flush(controller);
    }, 0);
  }

  /** Forgets about handing on later. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
