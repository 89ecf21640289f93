/** Controllers of signals that count their listeners. @module */

export class CountingAbort extends AbortController {
  readonly #listeners = new Set<unknown>();

  constructor() {
    super();
    const { addEventListener, removeEventListener } = this.signal;
    this.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      this.#listeners.add(args[1]);
      addEventListener.apply(this.signal, args);
    };
    this.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      this.#listeners.delete(args[1]);
      removeEventListener.apply(this.signal, args);
    };
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}
