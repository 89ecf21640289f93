/**
 * Several things that go on at once.
 *
 * @module
 */

/** Tasks that go on at once. The first failure counts, and is told before the others are through. */
export class Tasks {
  readonly #running = new Set<Promise<void>>();
  readonly #onFailure: (error: unknown) => void;
  #failure: { readonly error: unknown } | undefined;

  /** `onFailure` is told of the first failure at once. */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Takes a task that has begun. */
  add(task: Promise<unknown>): void {
    const running = task.then(() => {}, (error) => this.fail(error)).then(() => {
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  /** Something failed that is no task. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#onFailure(error);
  }

  /** Waits until all are through. Rejects with the first failure then. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
