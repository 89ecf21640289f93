/**
 * Several generators at once, whichever has something first.
 *
 * @module
 */

interface Running<T> {
  readonly generator: AsyncGenerator<T, unknown, void>;
  readonly result: IteratorResult<T, unknown>;
}

/**
 * Runs up to `most` of the generators at once and yields what they yield, as it comes. Each is asked
 * for its next item only when the one before has been taken.
 */
export async function* merged<T>(
  generators: AsyncIterator<AsyncGenerator<T, unknown, void>>,
  most: number,
): AsyncGenerator<T, void, void> {
  const running = new Map<AsyncGenerator<T, unknown, void>, Promise<Running<T>>>();
  const advance = (generator: AsyncGenerator<T, unknown, void>): void => {
    const step = generator.next().then((result) => ({ generator, result }));
    // met again where the race is awaited
    step.catch(() => {});
    running.set(generator, step);
  };
  let exhausted = false;
  try {
    for (;;) {
      while (!exhausted && running.size < most) {
        const { value, done } = await generators.next();
        if (done) exhausted = true;
        else advance(value);
      }
      if (running.size === 0) return;
      const { generator, result } = await Promise.race(running.values());
      if (result.done) {
        running.delete(generator);
        continue;
      }
      yield result.value;
      advance(generator);
    }
  } finally {
    await Promise.allSettled([...running.keys()].map((generator) => generator.return(undefined)));
  }
}
