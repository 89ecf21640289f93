import { assertEquals } from "@std/assert";
import { Watchdog, type Watched } from "../../src/http/clock.ts";
import { FakeClock } from "./fake_clock.ts";

/** Tells when its time is up. */
class Task implements Watched {
  readonly deadline: number;
  readonly #log: string[];
  readonly #name: string;

  constructor(name: string, deadline: number, log: string[]) {
    this.#name = name;
    this.deadline = deadline;
    this.#log = log;
  }

  expire(): void {
    this.#log.push(this.#name);
  }
}

interface Setting {
  readonly clock: FakeClock;
  readonly watchdog: Watchdog;
  readonly log: string[];
  /** A task whose time is up after so many milliseconds. */
  task(name: string, milliseconds: number): Task;
}

function setting(): Setting {
  const clock = new FakeClock();
  const log: string[] = [];
  return {
    clock,
    watchdog: new Watchdog(clock),
    log,
    task: (name, milliseconds) => new Task(name, clock.time + milliseconds, log),
  };
}

Deno.test("Watchdog rings when the time of each is up, the earliest first, with one timer", () => {
  const { clock, watchdog, log, task } = setting();
  const start = clock.time;
  for (const [name, milliseconds] of [["b", 200], ["c", 300], ["a", 100], ["b2", 200]] as const) {
    watchdog.watch(task(name, milliseconds));
    assertEquals(clock.pending, 1);
  }
  assertEquals([clock.jump(), log, clock.time - start], [true, ["a"], 100]);
  assertEquals([clock.jump(), log, clock.time - start], [true, ["a", "b", "b2"], 200]);
  assertEquals([clock.jump(), log.at(-1), clock.time - start], [true, "c", 300]);
  assertEquals(clock.running, 0);
});

Deno.test("Watchdog lets those alone that were forgotten, and nobody waits for a timer for nobody", () => {
  const { clock, watchdog, log, task } = setting();
  const [first, second] = [task("first", 100), task("second", 200)];
  watchdog.watch(first);
  watchdog.watch(second);
  watchdog.forget(first);
  watchdog.forget(first);
  assertEquals([clock.jump(), log, clock.pending], [true, [], 1], "it rings for nothing once");
  watchdog.forget(second);
  assertEquals([clock.pending, clock.running], [0, 1], "the timer is left alone");
  watchdog.watch(second);
  assertEquals([clock.pending, clock.running], [1, 1], "and used again");
  watchdog.forget(second);
  clock.after(500, () => log.push("other"));
  assertEquals([clock.jump(), log, clock.running], [true, ["other"], 0], "it rings for nobody");
  watchdog.watch(task("third", 50));
  assertEquals([clock.jump(), log.at(-1), clock.running], [true, "third", 0]);
});

Deno.test("Watchdog lets go of its timer when it is stopped", () => {
  const { clock, watchdog, task } = setting();
  watchdog.watch(task("first", 100));
  watchdog.stop();
  watchdog.stop();
  assertEquals(clock.running, 0);
});

Deno.test("Watchdog never rings for what has time for ever", () => {
  const { clock, watchdog, task } = setting();
  const patient = task("patient", Infinity);
  watchdog.watch(patient);
  assertEquals(clock.running, 0);
  watchdog.watch(task("hasty", 10));
  assertEquals([clock.jump(), clock.running], [true, 0]);
  watchdog.forget(patient);
});

Deno.test("Watchdog may be told of others while it rings", () => {
  const { clock, watchdog, log, task } = setting();
  const other = task("other", 100);
  const again = task("again", 150);
  watchdog.watch({
    deadline: clock.time + 100,
    expire() {
      log.push("first");
      watchdog.forget(other);
      watchdog.watch(again);
    },
  });
  watchdog.watch(other);
  clock.jump();
  assertEquals([log, clock.pending], [["first"], 1], "what was forgotten meanwhile is left alone");
  clock.jump();
  assertEquals([log, clock.pending], [["first", "again"], 0]);
});
