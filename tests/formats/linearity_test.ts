import { assert, assertEquals } from "@std/assert";

/** Milliseconds after which a case counts as hanging: each takes seconds at most, on any machine. */
const HANG = 600_000;

Deno.test("no input takes quadratic time", async () => {
  const worker = new Worker(new URL("linearity_worker.ts", import.meta.url), { type: "module" });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let cases = 0, last = "", timer: ReturnType<typeof setTimeout> | undefined;
  worker.onmessage = ({ data }: MessageEvent<string | null>) => {
    clearTimeout(timer);
    if (data === null) return resolve(undefined);
    cases++;
    last = data;
    timer = setTimeout(() => resolve(`Hangs with ${last}`), HANG);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    resolve(`${event.message} with ${last}`);
  };
  worker.postMessage("begin");
  const failure = await promise;
  clearTimeout(timer);
  worker.terminate();
  assertEquals(failure, undefined);
  assert(cases > 15_000, `${cases} cases`);
});
