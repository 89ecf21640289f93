import { assertWorker } from "./growth.ts";

Deno.test("no document takes quadratic time", () =>
  assertWorker(new URL("documents_worker.ts", import.meta.url), 15_000));
