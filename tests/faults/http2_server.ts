/**
 * An HTTP/2 server that misbehaves, on raw frames over TLS (RFC 9113): servers of libraries do not
 * send an early END_STREAM, a reset in the middle of a body or a body that differs from its
 * Content-Length.
 *
 * Header blocks of requests are not decoded: every request gets the next answer, whatever its path.
 *
 * @module
 */

import { isDisconnect } from "../support/fault_server.ts";
import { concatenated } from "../bytes/read_all.ts";
import type { SelfSigned } from "../support/self_signed.ts";

/** Error codes of RST_STREAM and GOAWAY, each at the index that is its number (RFC 9113, 7). */
export const ERROR_CODES = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
] as const;

export type ErrorCode = typeof ERROR_CODES[number];

/** How a response ends after the last DATA frame. */
export type Ending =
  /** END_STREAM on the last DATA frame, or on an empty one of its own. */
  | { readonly type: "end-stream"; readonly separate?: boolean }
  /** RST_STREAM without END_STREAM. */
  | { readonly type: "reset"; readonly code: ErrorCode }
  /** GOAWAY that covers the stream, then the end of the connection. */
  | { readonly type: "goaway"; readonly code: ErrorCode }
  /** The end of the connection, without any frame. */
  | { readonly type: "close" };

export interface Http2Answer {
  /** Status code. Default: 200. */
  readonly status?: number;
  /** Header fields by name in lower case. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The part of the body that is sent. */
  readonly body: Uint8Array;
  readonly ending: Ending;
}

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** Frame types. */
const DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, PING = 6, GOAWAY = 7;
const WINDOW_UPDATE = 8, CONTINUATION = 9;

/** Frame flags; ACK of SETTINGS and PING has the bit of END_STREAM. */
const END_STREAM = 1, ACK = 1, END_HEADERS = 4;

const SETTINGS_INITIAL_WINDOW_SIZE = 4;
const INITIAL_WINDOW = 65_535;
/** Largest DATA payload that is sent; 16,384 is the largest that every client accepts. */
export const MAX_DATA = 8192;
const FRAME_HEAD = 9;

const ENCODER = new TextEncoder();

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

/** A running server. `await using` stops it and closes its connections. */
export class Http2FaultServer implements AsyncDisposable {
  /** The homepage, with its slash. */
  readonly url: string;
  requests = 0;

  readonly #answers: readonly Http2Answer[];
  readonly #listener: Deno.TlsListener;
  readonly #connections = new Set<Http2Connection>();
  readonly #accepting: Promise<void>;
  #stopped = false;

  /** Starts a server that gives `answers` in turn, the last one repeated. */
  constructor(certificate: SelfSigned, answers: readonly Http2Answer[]) {
    this.#answers = answers;
    const { cert, key } = certificate;
    this.#listener = Deno.listenTls({
      hostname: "127.0.0.1",
      port: 0,
      cert,
      key,
      alpnProtocols: ["h2"],
    });
    this.url = `https://localhost:${this.#listener.addr.port}/`;
    this.#accepting = this.#accept();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    this.#listener.close();
    for (const connection of this.#connections) connection.close();
    await this.#accepting;
    await Promise.all([...this.#connections].map(({ done }) => done));
  }

  async #accept(): Promise<void> {
    for (;;) {
      let socket: Deno.TlsConn;
      try {
        socket = await this.#listener.accept();
      } catch (error) {
        if (this.#stopped) return;
        throw error;
      }
      this.#connections.add(new Http2Connection(socket, () => this.#nextAnswer()));
    }
  }

  #nextAnswer(): Http2Answer {
    return this.#answers[Math.min(this.requests++, this.#answers.length - 1)]!;
  }
}

/** One connection: reads frames, and answers each stream that is opened. */
class Http2Connection {
  /** Resolves when the connection is closed and nothing more is sent. */
  readonly done: Promise<void>;

  readonly #socket: Deno.TlsConn;
  readonly #nextAnswer: () => Http2Answer;
  readonly #responses: Promise<void>[] = [];
  /** Bytes that the client accepts by stream; stream 0 is the connection. */
  readonly #windows = new Map([[0, INITIAL_WINDOW]]);
  #initialWindow = INITIAL_WINDOW;
  /** Bytes that were received and not yet read as a frame. */
  #received = new Uint8Array(0);
  /** Frames are written one after another. */
  #writing: Promise<void> = Promise.resolve();
  /** Resolved when a window grows, a PING is acknowledged, or the connection ends. */
  #change = Promise.withResolvers<void>();
  #pings = 0;
  #acknowledgedPings = 0;
  #closed = false;

  constructor(socket: Deno.TlsConn, nextAnswer: () => Http2Answer) {
    this.#socket = socket;
    this.#nextAnswer = nextAnswer;
    this.done = this.#run();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
    this.#notify();
  }

  async #run(): Promise<void> {
    try {
      await this.#readFrames();
    } catch (error) {
      if (!this.#closed && !isDisconnect(error)) throw error;
    } finally {
      this.close();
      await Promise.all(this.#responses);
    }
  }

  async #readFrames(): Promise<void> {
    const preface = await this.#take(PREFACE.length);
    if (preface === undefined) return;
    if (new TextDecoder().decode(preface) !== PREFACE) throw new Error("Invalid HTTP/2 preface");
    await this.#send({ type: SETTINGS, flags: 0, stream: 0, payload: new Uint8Array(0) });
    for (;;) {
      const frame = await this.#nextFrame();
      if (frame === undefined) return;
      await this.#handle(frame);
    }
  }

  async #handle({ type, flags, stream, payload }: Frame): Promise<void> {
    switch (type) {
      case HEADERS:
      case CONTINUATION:
        if ((flags & END_HEADERS) !== 0) this.#responses.push(this.#respond(stream));
        break;
      case SETTINGS:
        if ((flags & ACK) !== 0) break;
        this.#applySettings(payload);
        await this.#send({ type: SETTINGS, flags: ACK, stream: 0, payload: new Uint8Array(0) });
        break;
      case PING:
        if ((flags & ACK) !== 0) this.#acknowledgedPings++;
        else await this.#send({ type: PING, flags: ACK, stream: 0, payload });
        break;
      case WINDOW_UPDATE:
        this.#grow(stream, viewOf(payload).getUint32(0) & 0x7fff_ffff);
        break;
      case RST_STREAM:
        this.#windows.delete(stream);
    }
    this.#notify();
  }

  #applySettings(payload: Uint8Array): void {
    const view = viewOf(payload);
    for (let at = 0; at < payload.length; at += 6) {
      if (view.getUint16(at) !== SETTINGS_INITIAL_WINDOW_SIZE) continue;
      const size = view.getUint32(at + 2);
      for (const stream of this.#windows.keys()) {
        if (stream !== 0) this.#grow(stream, size - this.#initialWindow);
      }
      this.#initialWindow = size;
    }
  }

  #grow(stream: number, increment: number): void {
    const window = this.#windows.get(stream);
    if (window !== undefined) this.#windows.set(stream, window + increment);
  }

  async #respond(stream: number): Promise<void> {
    this.#windows.set(stream, this.#initialWindow);
    const { status = 200, fields = {}, body, ending } = this.#nextAnswer();
    try {
      const payload = headerBlock({ ":status": String(status), ...fields });
      await this.#send({ type: HEADERS, flags: END_HEADERS, stream, payload });
      const endStream = ending.type === "end-stream" && ending.separate !== true;
      await this.#sendBody(stream, body, endStream);
      await this.#end(stream, ending);
    } catch (error) {
      if (!this.#closed && !isDisconnect(error)) throw error;
    } finally {
      this.#windows.delete(stream);
    }
  }

  async #sendBody(stream: number, body: Uint8Array, endStream: boolean): Promise<void> {
    let at = 0;
    do {
      const length = Math.min(MAX_DATA, body.length - at);
      if (!await this.#reserve(stream, length)) return;
      const isLast = at + length === body.length;
      const flags = isLast && endStream ? END_STREAM : 0;
      await this.#send({ type: DATA, flags, stream, payload: body.subarray(at, at + length) });
      at += length;
    } while (at < body.length);
  }

  /** Waits until the client accepts `length` bytes; false if the stream or the connection ended. */
  async #reserve(stream: number, length: number): Promise<boolean> {
    for (;;) {
      const connectionWindow = this.#windows.get(0)!, window = this.#windows.get(stream);
      if (this.#closed || window === undefined) return false;
      if (length <= connectionWindow && length <= window) {
        this.#windows.set(0, connectionWindow - length).set(stream, window - length);
        return true;
      }
      await this.#change.promise;
    }
  }

  async #end(stream: number, ending: Ending): Promise<void> {
    switch (ending.type) {
      case "end-stream":
        if (ending.separate === true) await this.#sendBody(stream, new Uint8Array(0), true);
        break;
      case "reset":
        await this.#send({ type: RST_STREAM, flags: 0, stream, payload: words(ending.code) });
        break;
      case "goaway":
        await this.#send({
          type: GOAWAY,
          flags: 0,
          stream: 0,
          payload: words(stream, ending.code),
        });
        await this.#roundTrip();
        this.close();
        break;
      case "close":
        await this.#roundTrip();
        this.close();
    }
  }

  /** Waits until the client has read every frame so far: a close could overtake them otherwise. */
  async #roundTrip(): Promise<void> {
    const ping = ++this.#pings;
    await this.#send({ type: PING, flags: 0, stream: 0, payload: new Uint8Array(8) });
    while (!this.#closed && this.#acknowledgedPings < ping) await this.#change.promise;
  }

  #notify(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }

  #send(frame: Frame): Promise<void> {
    const bytes = frameBytes(frame);
    const written = this.#writing.then(async () => {
      for (let at = 0; at < bytes.length;) at += await this.#socket.write(bytes.subarray(at));
    });
    this.#writing = written.catch(() => {});
    return written;
  }

  async #nextFrame(): Promise<Frame | undefined> {
    const head = await this.#take(FRAME_HEAD);
    if (head === undefined) return undefined;
    const view = viewOf(head);
    const payload = await this.#take(view.getUint32(0) >>> 8);
    if (payload === undefined) return undefined;
    const stream = view.getUint32(5) & 0x7fff_ffff;
    return { type: view.getUint8(3), flags: view.getUint8(4), stream, payload };
  }

  /** Reads exactly `length` bytes; `undefined` at the end of the connection. */
  async #take(length: number): Promise<Uint8Array | undefined> {
    const piece = new Uint8Array(16 * 1024);
    while (this.#received.length < length) {
      const count = await this.#socket.read(piece);
      if (count === null) return undefined;
      this.#received = concatenated(this.#received, piece.subarray(0, count));
    }
    const taken = this.#received.slice(0, length);
    this.#received = this.#received.slice(length);
    return taken;
  }
}

function frameBytes({ type, flags, stream, payload }: Frame): Uint8Array {
  const head = new Uint8Array(FRAME_HEAD);
  const view = viewOf(head);
  view.setUint32(0, payload.length << 8 | type);
  view.setUint8(4, flags);
  view.setUint32(5, stream);
  return concatenated(head, payload);
}

/** A payload of 32-bit numbers; an error code is given by its name. */
function words(...values: readonly (number | ErrorCode)[]): Uint8Array {
  const payload = new Uint8Array(4 * values.length);
  for (const [at, value] of values.entries()) {
    const number = typeof value === "number" ? value : ERROR_CODES.indexOf(value);
    viewOf(payload).setUint32(4 * at, number);
  }
  return payload;
}

/** Encodes literal fields with new names, not indexed and without Huffman (RFC 7541, 6.2.2). */
function headerBlock(fields: Readonly<Record<string, string>>): Uint8Array {
  const pieces = Object.entries(fields).flatMap(([name, value]) => [
    new Uint8Array([0]),
    stringLiteral(name),
    stringLiteral(value),
  ]);
  return concatenated(...pieces);
}

function stringLiteral(text: string): Uint8Array {
  const bytes = ENCODER.encode(text);
  // longer ones need a length of several bytes
  if (bytes.length >= 127) throw new RangeError(`Header text "${text}" is too long`);
  return concatenated(new Uint8Array([bytes.length]), bytes);
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
