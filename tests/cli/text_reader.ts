/** Reads text of a stream up to a word, and then the rest. */
export class TextReader {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Returns the text up to the chunk with `word`, or to the end. */
  async until(word: string): Promise<string> {
    while (!this.#text.includes(word)) {
      const { value, done } = await this.#reader.read();
      if (done) break;
      this.#text += value;
    }
    return this.#text;
  }

  all(): Promise<string> {
    return this.until("\0");
  }
}
