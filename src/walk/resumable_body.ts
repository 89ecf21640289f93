/**
 * Bodies that are asked for again when they break off.
 *
 * ```
 *            error, or fewer bytes than announced
 *  reading ───────────────────────────────────────► reopen
 *     ▲                                               │
 *     ├──────────── the rest (206) ◄──────────────────┤
 *     ├─ RestartError: read again, skip ◄─ whole body ┤
 *     └─ the error: the body is cut ◄──── no try left ┘
 * ```
 *
 * @module
 */

import type { ByteSource, Chunk } from "../bytes/byte_source.ts";

/** A document to be read. */
export interface DocumentSource {
  /** Where it came from in the end; relative addresses are resolved against it. */
  readonly url: string;
  /** Its Content-Type. */
  readonly contentType: string | null;
  /** Its Content-Encoding. */
  readonly contentEncoding: string | null;
  /** Whether it was not encoded as it claimed. */
  readonly misencoded: boolean;
  /** Whether no runtime has decompressed the body. */
  readonly isRaw: boolean;
  /** Its bytes. */
  readonly body: ByteSource;
  /** Offset of the first of them in the whole body. */
  readonly offset: number;
  /** Asks for it again when its body breaks off. */
  readonly reopen?: Reopen;
}

/** Asks again for a body that broke off after so many bytes; `undefined` if that is of no use. */
export type Reopen = (received: number, error: unknown) => Promise<DocumentSource | undefined>;

/** A body broke off, and the whole of it comes again. */
export class RestartError extends Error {
  /** The same document, from its beginning. */
  readonly source: DocumentSource;

  constructor(source: DocumentSource, cause: unknown) {
    super("Body starts again", { cause });
    this.name = "RestartError";
    this.source = source;
  }
}

/** A body that goes on after it broke off, or rejects with a {@linkcode RestartError}. */
export class ResumableBody implements ByteSource {
  readonly #reopen: Reopen;
  #body: ByteSource;
  #received = 0;
  #isCancelled = false;

  constructor(body: ByteSource, reopen: Reopen) {
    this.#body = body;
    this.#reopen = reopen;
  }

  get ready(): boolean {
    return this.#body.ready === true;
  }

  read(): Chunk | Promise<Chunk> {
    try {
      const next = this.#body.read();
      return next instanceof Promise ? this.#readLater(next) : this.#count(next);
    } catch (error) {
      return this.#goOn(error);
    }
  }

  cancel(reason?: unknown): void {
    this.#isCancelled = true;
    this.#body.cancel(reason);
  }

  async #readLater(next: Promise<Chunk>): Promise<Chunk> {
    try {
      return this.#count(await next);
    } catch (error) {
      return await this.#goOn(error);
    }
  }

  #count(chunk: Chunk): Chunk {
    this.#received += chunk?.length ?? 0;
    return chunk;
  }

  async #goOn(error: unknown): Promise<Chunk> {
    const source = this.#isCancelled ? undefined : await this.#reopen(this.#received, error);
    if (source === undefined) throw error;
    const body = new EagerBody(source.body);
    if (this.#isCancelled) body.cancel();
    if (source.offset !== this.#received) throw new RestartError({ ...source, body }, error);
    this.#body = body;
    return await this.read();
  }
}

/** Bytes that are read ahead of their consumer. The protocol allows sitemaps of 50 MB. */
const MAX_AHEAD = 64 * 1024 * 1024;

/**
 * Reads a body as fast as it comes. One that broke off may have done so because its consumer was too
 * slow for the server, and would again.
 */
class EagerBody implements ByteSource {
  readonly #source: ByteSource;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #end: { readonly error?: unknown } | undefined;
  #reading = false;
  #wake: (() => void) | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
    this.#fill();
  }

  get ready(): boolean {
    return this.#chunks.length > 0 || this.#end !== undefined;
  }

  read(): Chunk | Promise<Chunk> {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#length -= chunk.length;
      this.#fill();
      return chunk;
    }
    if (this.#end === undefined) return this.#next();
    if ("error" in this.#end) throw this.#end.error;
    return undefined;
  }

  cancel(reason?: unknown): void {
    this.#finish({});
    this.#chunks.length = 0;
    this.#source.cancel(reason);
  }

  async #next(): Promise<Chunk> {
    await new Promise<void>((resolve) => this.#wake = resolve);
    return await this.read();
  }

  async #fill(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#end === undefined && this.#length < MAX_AHEAD) {
        const chunk = await this.#source.read();
        if (chunk === undefined) this.#finish({});
        else if (this.#end === undefined) this.#keep(chunk.slice());
      }
    } catch (error) {
      this.#finish({ error });
    }
    this.#reading = false;
  }

  #keep(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#wakeUp();
  }

  #finish(end: { readonly error?: unknown }): void {
    this.#end ??= end;
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
