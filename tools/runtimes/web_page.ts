/**
 * Runs the checks in a page, or in its service worker, when the driver calls a function.
 *
 * @module
 */

import type { CheckResult } from "./checks.ts";
import { conformance, smoke } from "./web.ts";

/** Registers a service worker and has it run the checks. */
async function serviceWorker(url: string, type: "classic" | "module"): Promise<CheckResult[]> {
  // not in the types of Deno
  // deno-lint-ignore no-explicit-any
  const container = (navigator as any).serviceWorker;
  const registration = await container.register(url, { type, scope: `/${type}/` });
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  const { port1, port2 } = new MessageChannel();
  const results = new Promise<CheckResult[]>((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
  });
  worker.postMessage(location.origin, [port2]);
  return await results;
}

Object.assign(globalThis, { conformance, serviceWorker, smoke });
