/** Writes wait for the destination. */
export class GzipWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #written: Promise<void>;

  constructor(write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>) {
    const { readable, writable } = new CompressionStream("gzip");
    this.#writer = writable.getWriter();
    this.#written = readable.pipeTo(new WritableStream({ write }));
    // reported by write() and end()
    this.#written.catch(() => {});
  }

  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#writer.write(bytes);
  }

  async end(): Promise<void> {
    // a failure to write is reported as such by the other promise only
    this.#writer.close().catch(() => {});
    await this.#written;
  }

  abort(): void {
    // rejects if the stream has failed before
    this.#writer.abort().catch(() => {});
  }
}
