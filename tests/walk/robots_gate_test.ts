import { assertEquals } from "@std/assert";
import type { Pace } from "../../src/http/pace.ts";
import { RobotsGate } from "../../src/walk/robots_gate.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { newPace, turnOf } from "../http/turns.ts";
import { bytes } from "../http/scripted_fetch.ts";

const HOME = new URL("https://a.test/robots.txt");
const OPTIONS = {
  respectRobots: true,
  userAgent: "sitetree/1",
  headers: undefined,
};

function pace(): Pace {
  return newPace(new FakeClock());
}

function judged(gate: RobotsGate, ...urls: string[]): boolean[] {
  return urls.map((url) => gate.allows(url));
}

Deno.test("RobotsGate without respectRobots allows everything", () => {
  const gate = new RobotsGate({ ...OPTIONS, respectRobots: false });
  gate.add(bytes("User-agent: *\nDisallow: /"), [HOME], pace());
  assertEquals(gate.allows(HOME.href), true);
  gate.disallowAll(HOME);
  assertEquals(gate.allows(HOME.href), true);
});

Deno.test("RobotsGate applies rules to the origin requested and to the final one", async () => {
  const gate = new RobotsGate(OPTIONS);
  assertEquals(judged(gate, "https://a.test/x"), [true], "not read yet");
  const clock = new FakeClock();
  const kept = newPace(clock);
  const rules = bytes("User-agent: *\nDisallow: /ü\nDisallow: /x");
  gate.add(rules, [HOME, new URL("https://www.a.test/robots.txt")], kept);
  const urls = ["https://a.test/x", "https://www.a.test/x", "https://a.test/%C3%BC"];
  assertEquals(judged(gate, ...urls, "https://a.test/y"), [false, false, false, true]);
  assertEquals(judged(gate, "https://b.test/x", "http://a.test/x"), [true, true]);
  await turnOf(kept, "a.test");
  assertEquals(clock.waited, [], "no Crawl-delay");
});

Deno.test("RobotsGate obeys a Crawl-delay up to a maximum", async () => {
  const clock = new FakeClock();
  const kept = newPace(clock, { maxRetryDelay: 5000 });
  const gate = new RobotsGate(OPTIONS);
  gate.add(bytes("User-agent: sitetree\nCrawl-delay: 3600"), [HOME], kept);
  const start = clock.time;
  await clock.run(turnOf(kept, "a.test"));
  assertEquals(clock.time - start, 5000);
});

Deno.test("RobotsGate disallows everything if robots.txt is unreachable", () => {
  const gate = new RobotsGate(OPTIONS);
  gate.disallowAll(HOME);
  assertEquals(judged(gate, "https://a.test/", "https://a.test/x", "https://b.test/"), [
    false,
    false,
    true,
  ]);
});
