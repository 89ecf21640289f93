/** Interruptible waiting. @module */

/** Resolves after some milliseconds or when the signal is aborted. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", done);
    resolve();
  };
  const timer = setTimeout(done, milliseconds);
  if (signal.aborted) done();
  else signal.addEventListener("abort", done);
  return promise;
}
