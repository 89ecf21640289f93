import { assertEquals } from "@std/assert";
import {
  countDisturbedWalks,
  type Disturbance,
  findEarlyRequests,
  findInterleavings,
  findOverlaps,
  findUnspacedRequests,
  isGhost,
  type LoggedRequest,
} from "../../tools/chaos/request_log.ts";
import type { Document } from "../../tools/chaos/sites.ts";

const PAGES: Document = { type: "pages", pages: [] };

/** A request of process `pid` in the walk of `site`, from and to milliseconds. */
function request(
  [pid, site, path, issued, ended]: [number, string, string, number, number],
  more: Partial<LoggedRequest> = {},
): LoggedRequest {
  const url = `http://${site}${path}`;
  const host = new URL(url).hostname;
  return {
    ...{ pid, site, url, host, issued, ended },
    ...{ arrived: issued, isServed: true, status: 200, document: PAGES },
    ...more,
  };
}

function stop(pid: number, from: number, to: number): Disturbance {
  return { type: "stop", pid, from, to };
}

Deno.test("findOverlaps() finds requests of two walks at one host at the same time", () => {
  const first = request([1, "a.test:1", "/robots.txt", 0, 100]);
  const cases: [string, LoggedRequest[], number][] = [
    ["another process", [first, request([2, "a.test:1", "/robots.txt", 99, 200])], 1],
    ["another site of the host", [first, request([1, "a.test:2", "/robots.txt", 50, 60])], 1],
    ["in any order", [request([2, "a.test:1", "/robots.txt", 99, 200]), first], 1],
    ["not only the last one", [
      first,
      request([1, "a.test:1", "/a.xml", 10, 20]),
      request([2, "a.test:1", "/robots.txt", 30, 40]),
    ], 1],
    ["by a redirect", [
      first,
      request([1, "b.test", "/", 50, 60], { host: "a.test", url: "http://a.test:1/s.xml" }),
    ], 1],
    ["one after another", [first, request([2, "a.test:1", "/robots.txt", 100, 200])], 0],
    ["other hosts", [first, request([2, "b.test:1", "/robots.txt", 50, 60])], 0],
    ["one walk", [first, request([1, "a.test:1", "/a.xml", 50, 60])], 0],
  ];
  for (const [name, log, count] of cases) {
    assertEquals([name, findOverlaps(log, [], 1).length], [name, count]);
    assertEquals([name, findOverlaps(log, [], 2)], [name, []]);
  }
});

Deno.test("findOverlaps() dates a request of a stopped process back to its start", () => {
  const late = request([1, "a.test:1", "/a.xml", 0, 15_100], { arrived: 15_000 });
  const other = request([2, "a.test:1", "/robots.txt", 12_000, 12_100]);
  assertEquals(isGhost(late, [stop(1, 3, 14_990)]), true);
  assertEquals(findOverlaps([late, other], [stop(1, 3, 14_990)], 1), []);
  assertEquals(findOverlaps([late, other], [stop(2, 3, 14_990)], 1).length, 1);
  // sent after the process was continued
  const zombie = request([1, "a.test:1", "/a.xml", 14_995, 15_100]);
  assertEquals(isGhost(zombie, [stop(1, 3, 14_990)]), false);
  const long = request([2, "a.test:1", "/robots.txt", 14_000, 15_000]);
  assertEquals(findOverlaps([zombie, long], [stop(1, 3, 14_990)], 1).length, 1);
});

Deno.test("findInterleavings() finds a walk that goes on after another one", () => {
  const log = [
    request([1, "a.test:1", "/robots.txt", 0, 1]),
    request([1, "a.test:1", "/a.xml", 2, 3]),
    request([2, "a.test:2", "/robots.txt", 4, 5]),
    request([1, "a.test:1", "/b.xml", 6, 7]),
  ];
  assertEquals(findInterleavings(log).length, 1);
  assertEquals(findInterleavings(log.toReversed()).length, 1);
  assertEquals(findInterleavings(log.toSpliced(2, 1)), []);
  const again = request([1, "a.test:1", "/robots.txt", 5.5, 5.6]);
  assertEquals(findInterleavings(log.toSpliced(3, 0, again)), [], "another attempt");
});

Deno.test("findInterleavings() allows other hosts to be asked again", () => {
  const elsewhere = { host: "b.test", url: "http://b.test/s.xml" };
  const log = [
    request([1, "a.test:1", "/robots.txt", 0, 1]),
    request([1, "a.test:1", "/s.xml", 2, 3], elsewhere),
    request([2, "b.test", "/robots.txt", 4, 5]),
    request([1, "a.test:1", "/s.xml", 6, 7], elsewhere),
  ];
  assertEquals(findInterleavings(log), []);
  const own = request([2, "b.test", "/s.xml", 8, 9]);
  assertEquals(findInterleavings([...log, own]).length, 1);
});

Deno.test("findUnspacedRequests() finds hosts that are asked too often", () => {
  const spaced = (milliseconds: number, host = "h5.test") =>
    Array.from(
      { length: 8 },
      (_, at) => request([at % 2, `${host}:8001`, "/a.xml", at * milliseconds, at * milliseconds]),
    );
  assertEquals(findUnspacedRequests(spaced(400)), []);
  assertEquals(findUnspacedRequests(spaced(200)).length, 4);
  assertEquals(findUnspacedRequests(spaced(200, "h50.test")), []);
});

Deno.test("findEarlyRequests() finds requests before the end of a pause, by any walk", () => {
  const busy = request([1, "a.test:1", "/a.xml", 0, 100], {
    document: { type: "busy", seconds: 3 },
  });
  const after = (at: number, site = "a.test:1", pid = 1) => [
    busy,
    request([pid, site, "/a.xml", at, at + 1]),
  ];
  assertEquals(findEarlyRequests(after(3079), []).length, 1);
  assertEquals(findEarlyRequests(after(3080), []), []);
  assertEquals(findEarlyRequests(after(1200, "a.test:2", 2), []).length, 1);
  assertEquals(findEarlyRequests(after(900, "a.test:2", 2), []), [], "not known yet");
  assertEquals(findEarlyRequests(after(1200, "b.test:1"), []), []);
  const kill: Disturbance = { type: "kill", pid: 1, from: 90, to: 90 };
  assertEquals(findEarlyRequests(after(2000), [kill]), [], "the pause was not reported");
  assertEquals(findEarlyRequests(after(2000), [{ ...kill, pid: 2 }]).length, 1);
  assertEquals(findEarlyRequests(after(2000), [{ ...kill, from: 5000 }]).length, 1);
});

Deno.test("countDisturbedWalks() counts the last walks that were disturbed", () => {
  const walks = [
    request([1, "a.test", "/robots.txt", 0, 100]),
    request([2, "a.test", "/robots.txt", 1000, 1100]),
    request([2, "a.test", "/a.xml", 1200, 1300]),
    request([1, "a.test", "/robots.txt", 2000, 2100]),
  ];
  const cases: [string, Disturbance[], number][] = [
    ["none", [], 0],
    ["all", [stop(1, 10, 20), stop(2, 1250, 1260), stop(1, 2500, 2600)], 3],
    ["not the first", [stop(2, 1250, 1260), stop(1, 2500, 2600)], 2],
    ["not the last", [stop(1, 10, 20), stop(2, 1250, 1260)], 0],
    ["another process", [stop(3, 2010, 2020)], 0],
    ["before it", [stop(1, 1500, 1900)], 0],
    ["the database", [{ type: "crash", from: 900, to: 5000 }], 3],
  ];
  for (const [name, disturbances, count] of cases) {
    assertEquals(countDisturbedWalks("a.test", walks, disturbances), count, name);
  }
  assertEquals(countDisturbedWalks("b.test", walks, [stop(1, 0, 9000)]), 0, "another site");
});
