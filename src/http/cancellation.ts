/**
 * Giving up: one request, one document, or the whole walk.
 *
 * @module
 */

/** Told once, when something is given up. */
export type CancelCallback = (reason: unknown) => void;

/**
 * Something that can be given up, at once and for good. Unlike an `AbortSignal` it is cheap enough to
 * have one for each document, and costs its parent nothing while nobody waits for it.
 */
export class Cancellation {
  readonly #parent: Cancellation | undefined;
  readonly #callbacks = new Set<CancelCallback>();
  #forgetParent: (() => void) | undefined;
  #cancelled: { readonly reason: unknown } | undefined;

  /** What is given up with its parent, and may be given up alone. */
  constructor(parent?: Cancellation) {
    this.#parent = parent;
  }

  /** Whether it was given up. */
  get cancelled(): boolean {
    return this.#cancelled !== undefined || this.#parent?.cancelled === true;
  }

  /** Why it was given up. */
  get reason(): unknown {
    return this.#cancelled === undefined ? this.#parent?.reason : this.#cancelled.reason;
  }

  /** Throws the reason, if it was given up. */
  throwIfCancelled(): void {
    if (this.cancelled) throw this.reason;
  }

  /** Gives it up. The first reason counts. */
  cancel(reason?: unknown): void {
    if (this.cancelled) return;
    this.#cancelled = { reason };
    const callbacks = [...this.#callbacks];
    this.#callbacks.clear();
    this.#letParentGo();
    for (const callback of callbacks) callback(reason);
  }

  /** Calls back when it is given up, unless the answer is called before. */
  onCancel(callback: CancelCallback): () => void {
    if (this.#callbacks.size === 0) {
      this.#forgetParent = this.#parent?.onCancel((reason) => this.#pass(reason));
    }
    this.#callbacks.add(callback);
    return () => {
      if (this.#callbacks.delete(callback) && this.#callbacks.size === 0) this.#letParentGo();
    };
  }

  /** The outcome of a promise, or a rejection as soon as it is given up. */
  race<T>(promise: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.cancelled) return reject(this.reason);
      const forget = this.onCancel(reject);
      promise.then((value) => {
        forget();
        resolve(value);
      }, (error) => {
        forget();
        reject(error);
      });
    });
  }

  #pass(reason: unknown): void {
    this.#forgetParent = undefined;
    const callbacks = [...this.#callbacks];
    this.#callbacks.clear();
    for (const callback of callbacks) callback(reason);
  }

  #letParentGo(): void {
    this.#forgetParent?.();
    this.#forgetParent = undefined;
  }
}
