/**
 * A service worker that runs the checks against the origin in a message, and answers at its port.
 *
 * @module
 */

import { smoke } from "./web.ts";

/** A message to a service worker, which is not in the types of Deno. */
interface ServiceWorkerMessage extends MessageEvent<string> {
  waitUntil(work: Promise<unknown>): void;
}

globalThis.addEventListener("message", (event) => {
  const message = event as ServiceWorkerMessage;
  const [port] = message.ports;
  message.waitUntil(smoke(message.data).then((results) => port!.postMessage(results)));
});
