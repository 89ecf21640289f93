import { assert, assertEquals } from "@std/assert";
import type { Fleet } from "../../src/fleet/mod.ts";
import { type Answer, type Script, ScriptedFetch, status } from "../http/scripted_fetch.ts";
import { index, robots, siteOf, urlset } from "./documents.ts";
import {
  checkRun,
  delay,
  pagesOf,
  startWorker,
  testFleets,
  until,
  verdictsOf,
} from "./with_fleets.ts";

/** Milliseconds by which a timer may fire early, and clocks may differ. */
const TOLERANCE = 10;

const now = () => performance.now();

async function drain(...fleets: readonly Fleet[]): Promise<void> {
  await Promise.all(fleets.map((fleet) => fleet.work({ slots: 4, drain: true })));
}

/** Returns sites with one page each. */
function sites(...homes: readonly string[]): Script {
  return Object.assign({}, ...homes.map((home) => siteOf(home, { a: ["page"] })));
}

/** Returns the homepages of sites on one host. */
function neighbours(host: string, ports: readonly number[]): string[] {
  return ports.map((port) => `http://${host}:${port}/`);
}

/** Returns a response that drips until its request is aborted. */
function dripping(start: string, onAborted: () => void = () => {}): Answer {
  return () => {
    let timer: ReturnType<typeof setInterval>;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(start));
        timer = setInterval(() => controller.enqueue(new TextEncoder().encode(" ")), 100);
      },
      cancel() {
        clearInterval(timer);
        onAborted();
      },
    });
    return new Response(body);
  };
}

testFleets("the workers of a fleet", {
  ...Object.fromEntries([1, 2, 3].map((perHost) => [
    `are at most ${perHost} on a host with "perHost" ${perHost}`,
    async (database) => {
      let open = 0, most = 0;
      const met = Promise.withResolvers<void>();
      const respond: Answer = async () => {
        most = Math.max(most, ++open);
        if (most === perHost) met.resolve();
        await met.promise;
        // the others get time to come
        await delay(100);
        open--;
        return new Response(null, { status: 404 });
      };
      const homes = neighbours("host.test", [1, 2, 3, 4, 5]);
      const script = Object.fromEntries(homes.map((home) => [`${home}robots.txt`, respond]));
      const { fetch } = new ScriptedFetch(script);
      const one = await database.open({ perHost, walk: { fetch } });
      const other = await database.open({ perHost, walk: { fetch } });
      await one.enqueue("run", homes);
      await drain(one, other);
      assertEquals(most, perHost);
      await checkRun(database);
    },
  ])),

  "obey Retry-After, all of them": async (database) => {
    const script = new ScriptedFetch({
      ...sites(...neighbours("host.test", [1, 2, 3])),
      "http://host.test:1/robots.txt": [
        status(429, { "retry-after": "2" }),
        robots("http://host.test:1/a"),
      ],
    }, now);
    // a walk does not wait for so long, so that the host is left to others
    const walk = { maxRetryDelay: 100, fetch: script.fetch };
    const [one, other] = [await database.open({ walk }), await database.open({ walk })];
    await one.enqueue("first", ["http://host.test:1/"]);
    await one.enqueue("second", ["http://host.test:2/", "http://host.test:3/"]);
    await drain(one, other);
    const refused = script.requests.find(({ url }) => url === "http://host.test:1/robots.txt")!;
    const early = script.requests.filter(({ at }) =>
      at > refused.at && at < refused.at + 2000 - TOLERANCE
    );
    assertEquals(early.map(({ url }) => url), []);
    assertEquals(await verdictsOf(one, "first"), { "http://host.test:1/": "complete" });
    assertEquals(Object.values(await verdictsOf(one, "second")), ["complete", "complete"]);
  },

  "obey Retry-After of a host that another site has named": async (database) => {
    const script = new ScriptedFetch({
      ...sites("http://cdn.test:1/"),
      "http://a.test/robots.txt": robots("http://cdn.test/a"),
      "http://cdn.test/a": [status(429, { "retry-after": "2" }), urlset("http://a.test/page")],
    }, now);
    const walk = { maxRetryDelay: 100, hosts: "any" as const, fetch: script.fetch };
    const [one, other] = [await database.open({ walk }), await database.open({ walk })];
    await one.enqueue("first", ["http://a.test/"]);
    const working = one.work({ drain: true });
    await until(() => script.urls.includes("http://cdn.test/a"));
    // the pause is written after the response
    await until(async () => (await database.query("select from sitetree.host")).length > 0);
    await other.enqueue("second", ["http://cdn.test:1/"]);
    await Promise.all([working, other.work({ drain: true })]);
    const [refused, next] = script.requests.filter(({ url }) => url.startsWith("http://cdn.test"));
    assert(next!.at - refused!.at > 2000 - TOLERANCE, `${next!.url} ${next!.at - refused!.at}`);
    assertEquals(await pagesOf(one, "first"), ["http://cdn.test/a http://a.test/page"]);
  },

  "keep a pause that was written while they claimed the host": async (database) => {
    const script = new ScriptedFetch(sites("http://host.test:1/"), now);
    const fleet = await database.open({ walk: { fetch: script.fetch } });
    await fleet.enqueue("run", ["http://host.test:1/"]);
    await database.query(
      "insert into sitetree.host values ('host.test', clock_timestamp() + interval '0.8 s')",
    );
    const start = now();
    await drain(fleet);
    assert(script.requests[0]!.at - start > 800 - 100, "a claimed site waits for its host");
  },

  "walk other sites while a host is paused": async (database) => {
    const script = new ScriptedFetch(sites("http://paused.test:1/", "http://free.test:1/"));
    const fleet = await database.open({ walk: { fetch: script.fetch } });
    await fleet.enqueue("run", ["http://paused.test:1/"]);
    await fleet.enqueue("run", ["http://free.test:1/"]);
    await database.query(
      "insert into sitetree.host values ('paused.test', clock_timestamp() + interval '5 s')",
    );
    await fleet.work({ slots: 1, drain: true });
    assertEquals(script.urls.map((url) => new URL(url).hostname), [
      ...["free.test", "free.test", "paused.test", "paused.test"],
    ]);
  },

  "share the wait between requests": async (database) => {
    const wait = 300;
    const homes = neighbours("host.test", [1, 2, 3, 4]);
    const script = new ScriptedFetch(sites(...homes), now);
    const options = { perHost: 2, walk: { wait, fetch: script.fetch } };
    const [one, other] = [await database.open(options), await database.open(options)];
    await one.enqueue("run", homes);
    await drain(one, other);
    const times = script.requests.map(({ at }) => at).sort((a, b) => a - b);
    assertEquals(times.length, 8);
    // the time of a turn is reserved at the server; a timer may be late, and the next one is not then
    assert(times.at(-1)! - times[0]! > 7 * wait - 100, `${times}`);
    const gaps = times.slice(1).map((time, at) => time - times[at]!);
    assert(gaps.filter((gap) => gap > wait / 2).length >= 6, `${gaps}`);
    await checkRun(database);
  },

  "share the pace that a refusal has lowered": async (database) => {
    const paths = ["0", "1", "2", "3", "4", "5", "6", "7"];
    const script = new ScriptedFetch({
      ...sites("http://host.test:2/"),
      ...siteOf("http://host.test:1/", Object.fromEntries(paths.map((path) => [path, [path + 1]]))),
      "http://host.test:1/0": [status(429, { "retry-after": "1" }), urlset("http://host.test:1/p")],
    }, now);
    const options = { perHost: 2, walk: { retries: 2, concurrency: 1, fetch: script.fetch } };
    const [one, other] = [await database.open(options), await database.open(options)];
    await one.enqueue("run", ["http://host.test:1/"]);
    const working = one.work({ drain: true });
    await until(async () => (await database.query("select from sitetree.host")).length > 0);
    await other.enqueue("second", ["http://host.test:2/"]);
    await Promise.all([working, drain(other)]);
    const refused = script.requests.find(({ url }) => url === "http://host.test:1/0")!;
    const early = script.requests.filter(({ at }) =>
      at > refused.at && at < refused.at + 1000 - TOLERANCE
    );
    assertEquals(early.map(({ url }) => url), []);
    assertEquals((await pagesOf(one)).length, paths.length);
  },
});

testFleets("a site that names the hosts of others", {
  "does not hold them up, even if it drips": async (database) => {
    const others = Array.from({ length: 8 }, (_, at) => `http://other${at}.test/`);
    let isAborted = false;
    const named = others.map((home) => `${home}hostile`);
    const script = new ScriptedFetch({
      ...sites(...others),
      "http://hostile.test/robots.txt": robots(...named, "http://hostile.test/drip"),
      ...Object.fromEntries(named.map((url, at) => [url, urlset(`http://hostile.test/${at}`)])),
      "http://hostile.test/drip": dripping("<urlset>", () => isAborted = true),
    });
    const fleet = await database.open({ walk: { hosts: "any", fetch: script.fetch } });
    await fleet.enqueue("hostile", ["http://hostile.test/"]);
    const stop = startWorker(fleet, { slots: 2 });
    await until(() => script.urls.includes("http://hostile.test/drip"));
    await fleet.enqueue("others", others);
    for await (const { done } of fleet.progress("others", { interval: 50 })) {
      if (done === others.length) break;
    }
    assertEquals(isAborted, false, "the other sites are done while it drips");
    assertEquals(await verdictsOf(fleet, "hostile"), { "http://hostile.test/": undefined });
    await stop();
    assertEquals(isAborted, true);
    const verdicts = Object.values(await verdictsOf(fleet, "others"));
    assertEquals(verdicts, others.map(() => "complete"));
  },

  "has them for its requests only, and is never on one with another": async (database) => {
    let open = 0, most = 0;
    const counted = (answer: Answer): Answer => async (url, init) => {
      most = Math.max(most, ++open);
      await delay(150);
      open--;
      return await answer(url, init);
    };
    const homes = ["a", "b", "c"].map((name) => `http://${name}.test`);
    const script = new ScriptedFetch({
      ...Object.fromEntries(homes.flatMap((home, at) => [
        [`${home}/robots.txt`, robots(`http://cdn.test/${at}`)],
        [`http://cdn.test/${at}`, counted(index(`http://cdn.test/${at}/1`))],
        [`http://cdn.test/${at}/1`, counted(urlset(`${home}/page`))],
      ])),
      "http://cdn.test/robots.txt": counted(status(404)),
    });
    const walk = { hosts: "any" as const, fetch: script.fetch };
    const [one, other] = [await database.open({ walk }), await database.open({ walk })];
    await one.enqueue("run", [...homes, "http://cdn.test/"]);
    await drain(one, other);
    assertEquals(most, 1);
    assertEquals((await pagesOf(one)).length, 3);
    await checkRun(database);
  },

  "gives its slot away while it waits for one of them": async (database) => {
    const gate = Promise.withResolvers<void>();
    const script = new ScriptedFetch({
      "http://busy.test/robots.txt": async () => {
        await gate.promise;
        return new Response(null, { status: 404 });
      },
      "http://a.test/robots.txt": robots("http://busy.test/a"),
      "http://busy.test/a": urlset("http://a.test/page"),
      ...sites("http://b.test/"),
    });
    const walk = { hosts: "any" as const, fetch: script.fetch };
    const [one, other] = [await database.open({ walk }), await database.open({ walk })];
    await one.enqueue("busy", ["http://busy.test/"]);
    const holding = one.work({ slots: 1, drain: true });
    await until(() => script.urls.includes("http://busy.test/robots.txt"));
    await other.enqueue("waiting", ["http://a.test/"]);
    await other.pause("busy");
    const working = other.work({ slots: 1, drain: true });
    await until(() => script.urls.includes("http://a.test/robots.txt"));
    await other.enqueue("free", ["http://b.test/"]);
    for await (const { done } of other.progress("free", { interval: 50 })) if (done === 1) break;
    const waiting = await other.active("waiting");
    assertEquals(waiting.map(({ host }) => host), ["a.test"], "it was not put off");
    gate.resolve();
    await Promise.all([holding, working]);
    assertEquals(await pagesOf(other, "waiting"), ["http://busy.test/a http://a.test/page"]);
    const crashes = await database.query("select crashes, tries from sitetree.fleet_site");
    assertEquals(crashes.every(({ crashes, tries }) => crashes === 0 && tries === 0), true);
  },
});
