/**
 * One file of a sitemap set while it is written.
 *
 * @module
 */

/** Bytes gathered before they are written. */
const PIECE_LENGTH = 64 * 1024;

/** A file that takes entries, gathers them into pieces and gzips them on request. */
export class DocumentFile {
  /** Name of the file. */
  readonly name: string;
  /** Entries it has. */
  entries = 0;
  /** Bytes it has, before gzip. */
  bytes = 0;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  /** Settled when everything has reached the target; never rejects, so that none goes unhandled. */
  readonly #arrived: Promise<readonly PromiseSettledResult<void>[]>;
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #gathered = 0;

  /** Takes over the target: it is closed or aborted with the file. */
  constructor(name: string, target: WritableStream<Uint8Array>, gzip: boolean) {
    this.name = name;
    if (gzip) {
      const compression = new CompressionStream("gzip");
      this.#writer = compression.writable.getWriter();
      this.#arrived = Promise.allSettled([compression.readable.pipeTo(target)]);
    } else {
      this.#writer = target.getWriter();
      this.#arrived = Promise.allSettled([]);
    }
  }

  /** Writes what stands before the entries. */
  begin(head: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    return this.#write(head);
  }

  /** Adds an entry; a promise only where there is something to wait for. */
  add(entry: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    this.entries += 1;
    return this.#write(entry);
  }

  /** Writes what stands after the entries, and waits until all is with the target. */
  async close(tail: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#write(tail);
    await this.#flush();
    await this.#writer.close();
    for (const result of await this.#arrived) {
      if (result.status === "rejected") throw result.reason;
    }
  }

  /** Gives up: the target is aborted. */
  async abort(reason: unknown): Promise<void> {
    // A target that failed cannot be aborted any more, which is as good.
    await Promise.allSettled([this.#writer.abort(reason), this.#arrived]);
  }

  #write(bytes: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    this.bytes += bytes.length;
    this.#pieces.push(bytes);
    this.#gathered += bytes.length;
    return this.#gathered < PIECE_LENGTH ? undefined : this.#flush();
  }

  #flush(): Promise<void> {
    const piece = new Uint8Array(this.#gathered);
    let offset = 0;
    for (const bytes of this.#pieces) {
      piece.set(bytes, offset);
      offset += bytes.length;
    }
    this.#pieces = [];
    this.#gathered = 0;
    return this.#writer.write(piece);
  }
}
