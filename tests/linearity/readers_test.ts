import { assertWorker } from "./growth.ts";

Deno.test("no header, address, rule or page takes quadratic time", () =>
  assertWorker(new URL("readers_worker.ts", import.meta.url), 4000));
