/** Serves at port 80 as a user without privileges, and prints the error with its hint. @module */

import process from "node:process";
import { serve } from "../../src/cli/run/serve.ts";
import type { Failure } from "../../src/cli/failure.ts";
import { USER } from "./unprivileged_process.ts";

if (process.getuid?.() === 0) process.setuid!(USER);
const { signal } = new AbortController();
try {
  await serve({
    ...{ hostname: "127.0.0.1", port: 80, signal },
    problem: () => undefined,
    metrics: () => "",
  });
  console.log("no error");
} catch (error) {
  const { message, hint } = error as Failure;
  console.log(`${message}\n${hint}`);
}
Deno.exit();
