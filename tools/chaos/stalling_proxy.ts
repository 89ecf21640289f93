/**
 * A connection to PostgreSQL that can hang or break, as on a network that fails for a while.
 *
 * @module
 */

/** Forwards connections to a server. */
export class StallingProxy implements AsyncDisposable {
  readonly #listener: Deno.TcpListener;
  readonly #target: Deno.ConnectOptions;
  readonly #connections = new Set<Deno.Conn>();
  /** Resolves when bytes are forwarded. */
  #open: Promise<void> = Promise.resolve();
  readonly #accepting: Promise<void>;

  /** Listens at a free port, before the server of a connection string. */
  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#target = { hostname, port: Number(port) };
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#accepting = this.#accept();
  }

  /** Port that it listens at. */
  get port(): number {
    return this.#listener.addr.port;
  }

  /** Forwards nothing for some time. Nothing is lost. */
  async stall(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    resolve();
  }

  /** Breaks all connections. */
  cut(): void {
    for (const connection of this.#connections) close(connection);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.cut();
    await this.#accepting;
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) void this.#forward(client);
  }

  async #forward(client: Deno.Conn): Promise<void> {
    this.#connections.add(client);
    try {
      await this.#open;
      const server = await Deno.connect(this.#target);
      this.#connections.add(server);
      await Promise.all([this.#pump(client, server), this.#pump(server, client)]);
      this.#connections.delete(server);
    } catch {
      // the database is down
      close(client);
    }
    this.#connections.delete(client);
  }

  /** Forwards one direction until an end closes. */
  async #pump(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    try {
      for await (const bytes of from.readable) {
        await this.#open;
        for (let start = 0; start < bytes.length;) start += await to.write(bytes.subarray(start));
      }
    } catch {
      // the other end has closed
    } finally {
      await this.#open;
      close(from);
      close(to);
    }
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    // it was closed already
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
