/**
 * Giving up: one request, one document, or the whole walk.
 *
 * @module
 */

/** Something that can be given up. */
export interface Cancellable {
  /** Told once, when it is given up. */
  cancel(reason: unknown): void;
}

/**
 * Something that can be given up, at once and for good. Unlike an `AbortSignal` it is cheap enough to
 * have one for each document, and costs its parent nothing while nobody waits for it.
 */
export class Cancellation implements Cancellable {
  readonly #parent: Cancellation | undefined;
  /** What is given up with it; mostly one. */
  #dependents: Cancellable[] = [];
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

  /** Gives it up, and all that depends on it. The first reason counts. */
  cancel(reason?: unknown): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = { reason: this.#parent?.cancelled ? this.#parent.reason : reason };
    const dependents = this.#dependents;
    if (dependents.length === 0) return;
    this.#dependents = [];
    this.#parent?.remove(this);
    for (const dependent of dependents) dependent.cancel(this.#cancelled.reason);
  }

  /** Gives this up too when it is given up. */
  add(dependent: Cancellable): void {
    if (this.#dependents.push(dependent) === 1) this.#parent?.add(this);
  }

  /** Leaves this alone from now on. */
  remove(dependent: Cancellable): void {
    const at = this.#dependents.lastIndexOf(dependent);
    if (at < 0) return;
    this.#dependents.splice(at, 1);
    if (this.#dependents.length === 0) this.#parent?.remove(this);
  }

  /** The outcome of a promise, or a rejection as soon as it is given up. */
  race<T>(promise: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.cancelled) return reject(this.reason);
      const interruption = { cancel: reject };
      this.add(interruption);
      promise.then((value) => {
        this.remove(interruption);
        resolve(value);
      }, (error) => {
        this.remove(interruption);
        reject(error);
      });
    });
  }
}
