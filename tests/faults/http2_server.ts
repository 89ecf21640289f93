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

type ErrorCode = typeof ERROR_CODES[number];

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

/** Frame flags; ACK of SETTINGS and PING has the bit of END_STREAM. */
const END_STREAM = 1, ACK = 1, END_HEADERS = 4;

/** Largest DATA payload that is sent; 16,384 is the largest that every client accepts. */
export const MAX_DATA = 8192;
const FRAME_HEAD = 9;

const ENCODER = new TextEncoder();

interface Frame {
  readonly type: number;
  /** Default: none. */
  readonly flags?: number;
  /** Default: 0, the connection. */
  readonly stream?: number;
  /** Default: empty. */
  readonly payload?: Uint8Array;
}

/** A running server. `await using` stops it and closes its connections. */
export class Http2FaultServer implements AsyncDisposable {
  /** The homepage, with its slash. */
  readonly url: string;
  requests = 0;

  readonly #answers: readonly Http2Answer[];
  readonly #listener: Deno.TlsListener;
  readonly #connections: Http2Connection[] = [];
  readonly #accepting: Promise<void>;

  /** Starts a server that gives `answers` in turn, the last one repeated. */
  constructor(certificate: SelfSigned, answers: readonly Http2Answer[]) {
    this.#answers = answers;
    const where = { hostname: "127.0.0.1", port: 0, alpnProtocols: ["h2"] };
    this.#listener = Deno.listenTls({ ...where, ...certificate });
    this.url = `https://localhost:${this.#listener.addr.port}/`;
    this.#accepting = this.#accept();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#connections) connection.close();
    await this.#accepting;
    await Promise.all(this.#connections.map(({ done }) => done));
  }

  async #accept(): Promise<void> {
    for await (const socket of this.#listener) {
      this.#connections.push(new Http2Connection(socket, () => this.#nextAnswer()));
    }
  }

  #nextAnswer(): Http2Answer {
    return this.#answers[Math.min(this.requests++, this.#answers.length - 1)]!;
  }
}

/**
 * One connection: answers streams in the order in which they are opened. Bodies are smaller than the
 * windows of `fetch()`, so that WINDOW_UPDATE does not matter.
 */
class Http2Connection {
  /** Resolves when the connection is closed. */
  readonly done: Promise<void>;

  readonly #socket: Deno.TlsConn;
  readonly #nextAnswer: () => Http2Answer;
  /** Bytes that were received and not yet read as a frame. */
  #received = new Uint8Array(0);
  #closed = false;

  constructor(socket: Deno.TlsConn, nextAnswer: () => Http2Answer) {
    this.#socket = socket;
    this.#nextAnswer = nextAnswer;
    this.done = this.#run();
  }

  close(): void {
    if (!this.#closed) this.#socket.close();
    this.#closed = true;
  }

  async #run(): Promise<void> {
    try {
      await this.#readFrames();
    } catch (error) {
      if (!this.#closed && !isDisconnect(error)) throw error;
    } finally {
      this.close();
    }
  }

  async #readFrames(): Promise<void> {
    const preface = await this.#take(PREFACE.length);
    if (preface === undefined) return;
    if (new TextDecoder().decode(preface) !== PREFACE) throw new Error("Invalid HTTP/2 preface");
    await this.#send({ type: SETTINGS });
    for (let head; (head = await this.#take(FRAME_HEAD)) !== undefined;) {
      const view = viewOf(head), type = view.getUint8(3);
      const isAck = (view.getUint8(4) & ACK) !== 0;
      const payload = await this.#take(view.getUint32(0) >>> 8);
      if (payload === undefined) return;
      if (type === HEADERS) await this.#respond(view.getUint32(5) & 0x7fff_ffff);
      if (type === SETTINGS && !isAck) await this.#send({ type, flags: ACK });
      if (type === PING && !isAck) await this.#send({ type, flags: ACK, payload });
      // see #end()
      if (type === PING && isAck) return;
    }
  }

  async #respond(stream: number): Promise<void> {
    const { status = 200, fields = {}, body, ending } = this.#nextAnswer();
    const payload = headerBlock({ ":status": String(status), ...fields });
    await this.#send({ type: HEADERS, flags: END_HEADERS, stream, payload });
    const isInLast = body.length > 0 && ending.type === "end-stream" && ending.separate !== true;
    for (let at = 0; at < body.length; at += MAX_DATA) {
      const flags = isInLast && at + MAX_DATA >= body.length ? END_STREAM : 0;
      await this.#send({ type: DATA, flags, stream, payload: body.subarray(at, at + MAX_DATA) });
    }
    if (!isInLast) await this.#end(stream, ending);
  }

  async #end(stream: number, ending: Ending): Promise<void> {
    switch (ending.type) {
      case "end-stream":
        return await this.#send({ type: DATA, flags: END_STREAM, stream });
      case "reset":
        return await this.#send({ type: RST_STREAM, stream, payload: words(ending.code) });
      case "goaway":
        await this.#send({ type: GOAWAY, payload: words(stream, ending.code) });
    }
    // closed when it is acknowledged: a close could overtake the frames before it
    await this.#send({ type: PING, payload: new Uint8Array(8) });
  }

  async #send({ type, flags = 0, stream = 0, payload = new Uint8Array(0) }: Frame): Promise<void> {
    const head = new Uint8Array(FRAME_HEAD);
    const view = viewOf(head);
    view.setUint32(0, payload.length << 8 | type);
    view.setUint8(4, flags);
    view.setUint32(5, stream);
    const bytes = concatenated(head, payload);
    for (let at = 0; at < bytes.length;) at += await this.#socket.write(bytes.subarray(at));
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
