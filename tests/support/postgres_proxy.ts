/** A proxy before PostgreSQL that counts messages, breaks connections, or adds errors. @module */

import { concatenated } from "../bytes/read_all.ts";
import { isDisconnect } from "./fault_server.ts";

/** Types of messages of a client that the server answers with ReadyForQuery. */
const QUERY = 0x51, SYNC = 0x53;
/** Types of messages that name a statement: with its text, and with its values. */
const PARSE = 0x50, BIND = 0x42;
/** Type of the message that ends an answer. */
const READY = 0x5a;
/** Bytes of a statement that are looked at. */
const MAX_TEXT = 100_000;
/** Bytes of the type and length of a message. */
const HEADER = 5;

type Decision = "before" | "after" | void;

export interface ProxyRules {
  /**
   * Called for each message that is answered, with its number on the proxy, from 1, and its statement.
   * It is passed on when the result is there. If that is `before`, the connection is cut instead, and if
   * it is `after`, when the answer is there.
   */
  onMessage?: (number: number, text: string) => Decision | Promise<Decision>;
  /** Error that is added to the first ReadyForQuery of a connection, from its number. */
  fatal?: (connection: number) => boolean;
}

/** A proxy on a free port of loopback. */
export class PostgresProxy implements AsyncDisposable {
  readonly rules: ProxyRules;
  /** Number of messages that were answered. */
  messages = 0;
  connections = 0;
  /** Whether data is held back, in both directions. */
  isFrozen = false;
  readonly #url: string;
  readonly #listener: Deno.TcpListener;
  readonly #open = new Set<Deno.Conn>();
  readonly #ended: Promise<void>;
  readonly #pumps = new Set<Promise<void>>();

  /** Starts a proxy before a server, by its connection string. */
  constructor(url: string, rules: ProxyRules = {}) {
    this.rules = rules;
    this.#url = url;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#ended = this.#accept();
  }

  /** Connection string of the same database through the proxy. */
  get url(): string {
    const { pathname, search } = new URL(this.#url);
    return `postgres://postgres@127.0.0.1:${this.#listener.addr.port}${pathname}${search}`;
  }

  cut(): void {
    for (const connection of this.#open) close(connection);
    this.#open.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.isFrozen = false;
    this.cut();
    await this.#ended;
    await Promise.all(this.#pumps);
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      const number = ++this.connections;
      client.setNoDelay(true);
      let server: Deno.TcpConn;
      try {
        const { hostname, port } = new URL(this.#url);
        server = await Deno.connect({ hostname, port: Number(port) });
        server.setNoDelay(true);
      } catch {
        // the server is down
        close(client);
        continue;
      }
      this.#open.add(client).add(server);
      const link = new Link(this, client, server, this.rules.fatal?.(number) ?? false);
      const pump = link.run().finally(() => {
        for (const connection of [client, server]) {
          this.#open.delete(connection);
          close(connection);
        }
        this.#pumps.delete(pump);
      });
      this.#pumps.add(pump);
    }
  }
}

/** One connection through the proxy. */
class Link {
  readonly #proxy: PostgresProxy;
  readonly #client: Deno.Conn;
  readonly #server: Deno.Conn;
  #isFatal: boolean;
  #isCutAfter = false;
  /** Statements by name, and the last one that was sent. */
  readonly #statements = new Map<string, string>();
  #statement = "";

  constructor(proxy: PostgresProxy, client: Deno.Conn, server: Deno.Conn, isFatal: boolean) {
    this.#proxy = proxy;
    this.#client = client;
    this.#server = server;
    this.#isFatal = isFatal;
  }

  async run(): Promise<void> {
    const closeBoth = () => {
      close(this.#client);
      close(this.#server);
    };
    await Promise.all([
      // the first message of a client has no type
      pump(this.#client, this.#server, 0, (type, text) => this.#onSent(type, text), this.#proxy)
        .finally(closeBoth),
      pump(this.#server, this.#client, HEADER - 1, (type) => this.#onAnswer(type), this.#proxy)
        .finally(closeBoth),
    ]);
  }

  /** Returns whether a message of the client is passed on. */
  async #onSent(type: number, text: () => string): Promise<boolean> {
    const [first = "", second = ""] = type === SYNC ? [] : text().split("\0");
    if (type === PARSE) this.#statements.set(first, second);
    if (type === BIND) this.#statement = this.#statements.get(second) ?? "";
    if (type === QUERY) this.#statement = first;
    if (type !== QUERY && type !== SYNC) return true;
    const decision = await this.#proxy.rules.onMessage?.(++this.#proxy.messages, this.#statement);
    if (decision === "after") this.#isCutAfter = true;
    return decision !== "before";
  }

  /** Returns whether a message of the server is passed on, perhaps with another one. */
  #onAnswer(type: number): boolean | Uint8Array {
    if (type !== READY) return true;
    if (this.#isCutAfter) return false;
    if (!this.#isFatal) return true;
    this.#isFatal = false;
    return FATAL;
  }
}

/** An ErrorResponse as the server sends it when a connection is ended by an administrator. */
const FATAL = (() => {
  const fields = ["SFATAL", "VFATAL", "C57P01", "Mterminating connection"];
  const body = new TextEncoder().encode(`${fields.join("\0")}\0\0`);
  const message = new Uint8Array(HEADER + body.length);
  message[0] = "E".charCodeAt(0);
  new DataView(message.buffer).setUint32(1, body.length + HEADER - 1);
  message.set(body, HEADER);
  return message;
})();

/** Passes messages on, until one side ends or a message is not passed on. */
async function pump(
  from: Deno.Conn,
  to: Deno.Conn,
  firstTyped: number,
  onMessage: (type: number, text: () => string) => Promise<boolean> | boolean | Uint8Array,
  proxy: PostgresProxy,
): Promise<void> {
  let pending = new Uint8Array();
  let isTyped = firstTyped > 0;
  const buffer = new Uint8Array(65_536);
  try {
    for (;;) {
      const count = await from.read(buffer);
      if (count === null) return;
      while (proxy.isFrozen) await new Promise((resolve) => setTimeout(resolve, 20));
      pending = concatenated(pending, buffer.subarray(0, count));
      for (;;) {
        const header = isTyped ? HEADER : HEADER - 1;
        if (pending.length < header) break;
        const length = new DataView(pending.buffer).getUint32(header - 4) + header - 4;
        if (pending.length < length) break;
        const message = pending.slice(0, length);
        pending = pending.slice(length);
        const text = () => new TextDecoder().decode(message.subarray(header, header + MAX_TEXT));
        const passed = isTyped ? await onMessage(message[0]!, text) : true;
        isTyped = true;
        if (passed === false) return;
        await write(to, passed === true ? message : concatenated(message, passed));
      }
    }
  } catch (error) {
    if (!isDisconnect(error)) throw error;
  }
}

async function write(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    // it is closed already
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
