import { assert, assertEquals } from "@std/assert";
import { checkRun, delay, pagesOf, testFleets, until, verdictsOf } from "./with_fleets.ts";
import { WorkerChild } from "./worker_child.ts";

const SITEMAPS = 30;
/** Milliseconds before each response. */
const LATENCY = 50;
const ETAG = '"1"';

class SlowSite implements AsyncDisposable {
  /** User agents of all requests, and the statuses of their responses. */
  readonly requests: { readonly agent: string; readonly status: number }[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(options, async (request) => {
      const { pathname } = new URL(request.url);
      const isKnown = request.headers.get("if-none-match") === ETAG;
      const status = isKnown ? 304 : 200;
      this.requests.push({ agent: request.headers.get("user-agent") ?? "", status });
      await delay(LATENCY);
      const headers = { etag: ETAG };
      if (isKnown) return new Response(null, { status, headers });
      if (pathname === "/robots.txt") {
        const sitemaps = Array.from({ length: SITEMAPS }, (_, at) => `Sitemap: ${this.url}s${at}`);
        return new Response(sitemaps.join("\n"), { headers });
      }
      return new Response(`${this.url}page${pathname}`, { headers });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  /** Statuses of the responses to a worker. */
  of(agent: string): readonly number[] {
    return this.requests.filter((request) => request.agent === agent).map(({ status }) => status);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

const walkOf = (userAgent: string) => ({ userAgent, concurrency: 1 });

testFleets("a worker", {
  "that is stopped for longer than its lease sends no request afterwards": async (database) => {
    await using site = new SlowSite();
    const other = await database.open({ leaseSeconds: 3, walk: walkOf("other") });
    await other.enqueue("run", [site.url]);
    await using child = new WorkerChild(database.plainUrl, {
      leaseSeconds: 3,
      walk: walkOf("child"),
    });
    await until(() => site.of("child").length > 5);
    child.kill("SIGSTOP");
    // requests that the system has
    await delay(2 * LATENCY);
    const before = site.of("child").length;
    const working = other.work({ drain: true });
    await until(() => site.of("other").length > 5);
    child.kill("SIGCONT");
    await working;
    assertEquals((await child.ended()).status.code, 0);
    assertEquals(site.of("child").length, before);
    assertEquals((await pagesOf(other)).length, SITEMAPS);
    assertEquals(Object.values(await verdictsOf(other)), ["complete"]);
    await checkRun(database);
  },

  "that is killed leaves nothing undone, and what it has written costs a 304": async (
    database,
  ) => {
    await using site = new SlowSite();
    const other = await database.open({ leaseSeconds: 3, walk: walkOf("other") });
    await other.enqueue("run", [site.url]);
    await using child = new WorkerChild(database.url, { leaseSeconds: 3, walk: walkOf("child") });
    await until(() => site.of("child").length > SITEMAPS / 2);
    child.kill("SIGKILL");
    await other.work({ drain: true });
    assertEquals((await pagesOf(other)).length, SITEMAPS);
    const unchanged = site.of("other").filter((status) => status === 304).length;
    assert(unchanged > SITEMAPS / 4, `${unchanged} sitemaps`);
    await checkRun(database);
  },

  "that is killed by a site each time is not by others, and gives it up": async (database) => {
    const fleet = await database.open();
    const homes = Array.from({ length: 20 }, (_, at) => `http://site${at}.test/`);
    await fleet.enqueue("run", [...homes.slice(0, 10), "http://poison.test/", ...homes.slice(10)]);
    let kills = 0;
    for (;;) {
      await using child = new WorkerChild(database.url, { leaseSeconds: 1, connections: 2 });
      const { status, stderr } = await child.ended();
      if (status.success) break;
      assertEquals(status.signal, "SIGKILL", stderr);
      kills++;
    }
    assertEquals(kills, 5);
    const verdicts = await verdictsOf(fleet);
    assertEquals(verdicts, {
      ...Object.fromEntries(homes.map((home) => [home, "complete"])),
      "http://poison.test/": "failed",
    });
    await checkRun(database);
  },
});
