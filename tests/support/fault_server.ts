/**
 * A misbehaving server on raw TCP: it can truncate bodies and headers and reset connections.
 *
 * One request per connection, so that open connections are open requests.
 *
 * @module
 */

import { pause } from "./pause.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("latin1");

/** Small reads leave a part of the request unread, so that closing resets the connection. */
const FIRST_LINE_PIECE = 16;
const MAX_HEAD = 64 * 1024;

/** Answers one request; the connection is closed when it returns. */
export type Answer = (wire: Wire) => void | Promise<void>;

/** Answers by path with query; several are used in order, the last one repeatedly; `*` matches all other paths. */
export type FaultSite = Readonly<Record<string, Answer | readonly Answer[]>>;

export interface WireRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** Headers; empty if the answer did not read them. */
  headers: Headers;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
}

export class Wire {
  readonly origin: string;
  readonly request: WireRequest;
  readonly #connection: Deno.Conn;
  readonly #stop: AbortSignal;
  #head: string;

  constructor(
    connection: Deno.Conn,
    request: WireRequest,
    head: string,
    origin: string,
    stop: AbortSignal,
  ) {
    this.#connection = connection;
    this.request = request;
    this.#head = head;
    this.origin = origin;
    this.#stop = stop;
  }

  /** Reads the rest of the request; without this, closing resets the connection. */
  async listen(): Promise<void> {
    const piece = new Uint8Array(4096);
    while (!this.#head.includes("\r\n\r\n") && this.#head.length < MAX_HEAD) {
      const length = await this.#connection.read(piece);
      if (length === null) break;
      this.#head += DECODER.decode(piece.subarray(0, length));
    }
    for (const line of this.#head.split("\r\n").slice(1)) {
      const colon = line.indexOf(":");
      if (colon > 0) this.request.headers.append(line.slice(0, colon), line.slice(colon + 1));
    }
  }

  /** Sends bytes, or text with `{{origin}}` replaced. */
  async send(content: string | Uint8Array): Promise<void> {
    const bytes = bodyOf(content, this.origin);
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }

  /** Sends one byte per interval in milliseconds until the client disconnects. */
  async drip(bytes: Uint8Array, every: number): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#stop.aborted; at++) {
      await this.send(bytes.subarray(at, at + 1));
      await pause(every, this.#stop);
    }
  }

  /** Waits, at most until the server stops. */
  pause(milliseconds: number): Promise<void> {
    return pause(milliseconds, this.#stop);
  }

  /** Sends nothing until the client disconnects. */
  async hang(): Promise<void> {
    const piece = new Uint8Array(4096);
    while (await this.#connection.read(piece) !== null);
  }
}

export type TlsFault = "alert" | "close" | "garbage" | "silence";

export interface FaultServerOptions {
  /** Reaction to a TLS handshake. Default: "garbage", like HTTP servers. */
  readonly tls?: TlsFault;
  /** Certificate for TLS handshakes. Default: none. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** A running server. `await using` stops it and closes its connections. */
export class FaultServer implements AsyncDisposable {
  /** Homepage with its trailing slash. */
  readonly url: string;
  readonly requests: WireRequest[] = [];
  /** Number of accepted connections. */
  accepted = 0;
  /** Answers by path; may be changed at any time. */
  site: FaultSite;

  readonly #listener: Deno.Listener;
  readonly #options: FaultServerOptions;
  readonly #stop = new AbortController();
  readonly #open = new Map<Deno.Conn, string>();
  readonly #turns = new Map<string, number>();
  readonly #handlers = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;

  constructor(site: FaultSite, options: FaultServerOptions = {}) {
    this.site = site;
    this.#options = options;
    const where = { hostname: "127.0.0.1", port: 0 };
    this.#listener = options.certificate === undefined
      ? Deno.listen(where)
      : Deno.listenTls({ ...where, ...options.certificate });
    const { port } = this.#listener.addr as Deno.NetAddr;
    this.url = `${options.certificate === undefined ? "http" : "https"}://127.0.0.1:${port}/`;
    this.#accepting = this.#accept();
  }

  get origin(): string {
    return this.url.slice(0, -1);
  }

  /** Number of open connections. */
  get open(): number {
    return this.#open.size;
  }

  /** Number of requests per path. */
  get counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { path } of this.requests) counts[path] = (counts[path] ?? 0) + 1;
    return counts;
  }

  /** Resolves once no connection is open; rejects if one stays open. */
  async idle(within = 20_000): Promise<void> {
    const until = Date.now() + within;
    while (this.#open.size > 0) {
      if (Date.now() > until) {
        throw new Error(`Connections left open: "${[...this.#open.values()].join('", "')}"`);
      }
      await pause(2, this.#stop.signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#listener.close();
    for (const connection of this.#open.keys()) close(connection);
    await this.#accepting;
    await Promise.all(this.#handlers);
  }

  async #accept(): Promise<void> {
    for (;;) {
      let connection: Deno.Conn;
      try {
        connection = await this.#listener.accept();
      } catch (error) {
        // a failed handshake must not stop the server
        if (this.#stop.signal.aborted || error instanceof Deno.errors.BadResource) return;
        continue;
      }
      this.accepted++;
      this.#open.set(connection, "(no request yet)");
      const handler = this.#handle(connection);
      this.#handlers.add(handler);
      handler.then(() => this.#handlers.delete(handler));
    }
  }

  async #handle(connection: Deno.Conn): Promise<void> {
    try {
      const head = await firstLine(connection);
      if (head === undefined) return;
      if (head.charCodeAt(0) === 0x16) return await this.#answerHandshake(connection);
      const [method = "", path = ""] = head.split(" ");
      this.#open.set(connection, path);
      const request: WireRequest = { method, path, headers: new Headers(), at: Date.now() };
      this.requests.push(request);
      const wire = new Wire(connection, request, head, this.origin, this.#stop.signal);
      await this.#answerTo(path)(wire);
    } catch (error) {
      if (!isGone(error)) throw error;
    } finally {
      this.#open.delete(connection);
      close(connection);
    }
  }

  #answerTo(path: string): Answer {
    const found = Object.hasOwn(this.site, path) ? this.site[path] : this.site["*"];
    if (found === undefined) return status(404);
    if (typeof found === "function") return found;
    const turn = this.#turns.get(path) ?? 0;
    this.#turns.set(path, turn + 1);
    return found[Math.min(turn, found.length - 1)]!;
  }

  async #answerHandshake(connection: Deno.Conn): Promise<void> {
    switch (this.#options.tls ?? "garbage") {
      case "alert":
        // TLS 1.2 alert, fatal, handshake_failure
        await connection.write(new Uint8Array([0x15, 3, 3, 0, 2, 2, 40]));
        return;
      case "garbage":
        await connection.write(ENCODER.encode("HTTP/1.1 400 Bad Request\r\n\r\n"));
        return;
      case "silence":
        while (await connection.read(new Uint8Array(4096)) !== null);
    }
  }
}

/** Parses the request; undefined without a request line. */
async function firstLine(connection: Deno.Conn): Promise<string | undefined> {
  const piece = new Uint8Array(FIRST_LINE_PIECE);
  let head = "";
  while (!head.includes("\r\n") && head.length < MAX_HEAD) {
    const length = await connection.read(piece);
    if (length === null) return undefined;
    head += DECODER.decode(piece.subarray(0, length));
    if (head.charCodeAt(0) === 0x16) return head;
  }
  return head;
}

/** Whether an error only means that the client, or this side, disconnected; also inside of TLS. */
function isGone(error: unknown): boolean {
  return isDisconnect(error) || error instanceof Deno.errors.InvalidData;
}

/** Whether an error only means that the client, or this side, disconnected. */
export function isDisconnect(error: unknown): boolean {
  const { errors } = Deno;
  return [
    errors.BadResource,
    errors.BrokenPipe,
    errors.ConnectionAborted,
    errors.ConnectionReset,
    errors.Interrupted,
    errors.NotConnected,
    errors.UnexpectedEof,
  ].some((kind) => error instanceof kind);
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

// ------------------------------------------------------------------------------------- answers

export type Fields = Readonly<Record<string, string>>;

/** A status line and headers, with the empty line after them. */
export function head(code: number, fields: Fields = {}): string {
  const all = { "Connection": "close", ...fields };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${code} ${code === 200 ? "OK" : "Other"}\r\n${lines.join("")}\r\n`;
}

/** Bytes of a body, with `{{origin}}` in text replaced by the origin of the server. */
export function bodyOf(content: string | Uint8Array, origin: string): Uint8Array {
  return typeof content === "string"
    ? ENCODER.encode(content.replaceAll("{{origin}}", origin))
    : content;
}

export function ok(content: string | Uint8Array, fields: Fields = {}): Answer {
  return status(200, fields, content);
}

export function status(
  code: number,
  fields: Fields = {},
  content: string | Uint8Array = "",
): Answer {
  return async (wire) => {
    await wire.listen();
    const body = bodyOf(content, wire.origin);
    const length: Fields = code === 204 || code === 304
      ? {}
      : { "Content-Length": String(body.length) };
    await wire.send(head(code, { ...length, ...fields }));
    await wire.send(body);
  };
}

export function redirect(location: string, code = 302): Answer {
  return async (wire) => {
    await wire.listen();
    const target = location.replaceAll("{{origin}}", wire.origin);
    await wire.send(head(code, { "Location": target, "Content-Length": "0" }));
  };
}

/** Sends raw bytes, then closes the connection. */
export function raw(...pieces: (string | Uint8Array)[]): Answer {
  return async (wire) => {
    await wire.listen();
    for (const piece of pieces) await wire.send(piece);
  };
}

/** Sends raw bytes, then resets the connection by closing it with the request unread. */
export function reset(...pieces: (string | Uint8Array)[]): Answer {
  return async (wire) => {
    for (const piece of pieces) await wire.send(piece);
    // the bytes must arrive before the reset
    if (pieces.length > 0) await wire.pause(20);
  };
}

/** Sends raw bytes, then nothing, with the connection open. */
export function silence(...pieces: (string | Uint8Array)[]): Answer {
  return async (wire) => {
    await wire.listen();
    for (const piece of pieces) await wire.send(piece);
    await wire.hang();
  };
}

const PATIENT_PIECE = 64 * 1024;

/** Sends a valid 200 response, closed if the client takes longer than `patience` ms for a piece. */
export function impatient(content: Uint8Array, patience: number, fields: Fields = {}): Answer {
  return async (wire) => {
    await wire.listen();
    await wire.send(head(200, { "Content-Length": String(content.length), ...fields }));
    for (let at = 0; at < content.length; at += PATIENT_PIECE) {
      const sending = wire.send(content.subarray(at, at + PATIENT_PIECE)).then(() => true);
      // closing the connection ends it
      sending.catch(() => {});
      if (!await Promise.race([sending, wire.pause(patience).then(() => false)])) return;
    }
  };
}
