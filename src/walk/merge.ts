/**
 * Several generators at once, whichever has something first.
 *
 * @module
 */

/** Something that has come, and who may be asked for more then; or a failure. */
type Step<T> =
  | { readonly item: T; readonly from: AsyncGenerator<T, unknown, void> }
  | { readonly error: unknown };

/**
 * Runs generators at once, each as soon as `generators` hands it out, and yields what they yield as
 * it comes. Each is asked for its next item only when the one before has been taken. When one fails,
 * `onFailure` is told before the others are closed.
 */
export async function* merged<T>(
  generators: AsyncIterable<AsyncGenerator<T, unknown, void>>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<T, void, void> {
  const merge = new Merge<T>(generators);
  try {
    for (let step = await merge.next(); step !== undefined; step = await merge.next()) {
      if ("error" in step) {
        onFailure(step.error);
        throw step.error;
      }
      yield step.item;
      merge.ask(step.from);
    }
  } finally {
    await merge.close();
  }
}

/** Generators that are running, and what they have come up with. */
class Merge<T> {
  readonly #running = new Set<AsyncGenerator<T, unknown, void>>();
  readonly #ready: Step<T>[] = [];
  readonly #starting: Promise<void>;
  #started = false;
  #closed = false;
  #wake = (): void => {};

  constructor(generators: AsyncIterable<AsyncGenerator<T, unknown, void>>) {
    this.#starting = this.#start(generators);
  }

  /** What comes next, `undefined` when nothing will. */
  async next(): Promise<Step<T> | undefined> {
    while (this.#ready.length === 0 && (!this.#started || this.#running.size > 0)) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    return this.#ready.shift();
  }

  /** Asks a generator for its next item. */
  ask(generator: AsyncGenerator<T, unknown, void>): void {
    this.#running.add(generator);
    generator.next().then(({ value, done }) => {
      if (done) this.#running.delete(generator);
      else this.#ready.push({ item: value, from: generator });
    }, (error) => {
      this.#running.delete(generator);
      this.#ready.push({ error });
    }).then(() => this.#wake());
  }

  /** Closes all that are running, and starts no more. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#running].map((generator) => generator.return(undefined)));
    await this.#starting;
  }

  async #start(generators: AsyncIterable<AsyncGenerator<T, unknown, void>>): Promise<void> {
    try {
      for await (const generator of generators) {
        if (this.#closed) break;
        this.ask(generator);
      }
    } catch (error) {
      this.#ready.push({ error });
    }
    this.#started = true;
    this.#wake();
  }
}
