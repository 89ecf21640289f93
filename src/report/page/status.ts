/// <reference lib="dom" />
/**
 * The status page of a fleet: replaces the parts that have changed.
 *
 * @module
 */

interface StatusView {
  readonly title: string;
  readonly state: string;
  /** Sentence for those who hear the page. */
  readonly summary: string;
  /** HTML by the ids of elements, in which the server has escaped all values. */
  readonly parts: Readonly<Record<string, string>>;
}

const INTERVAL = 1000, TIMEOUT = 20_000, SUMMARY_INTERVAL = 30_000;

class StatusPage {
  readonly #shown = new Map<string, string>();
  #state = "";
  #summarized = 0;

  async update(): Promise<void> {
    try {
      const response = await fetch("view.json", { signal: AbortSignal.timeout(TIMEOUT) });
      this.#show(await response.json());
      this.#put("connection", "");
    } catch {
      this.#put("connection", "Connection lost; trying to reconnect");
    }
    setTimeout(() => this.update(), INTERVAL);
  }

  #show({ title, state, summary, parts }: StatusView): void {
    document.title = title;
    for (const [id, html] of Object.entries(parts)) this.#put(id, html);
    if (state === this.#state && Date.now() - this.#summarized < SUMMARY_INTERVAL) return;
    this.#state = state;
    this.#summarized = Date.now();
    document.getElementById("summary")!.textContent = summary;
  }

  #put(id: string, html: string): void {
    if (this.#shown.get(id) === html) return;
    document.getElementById(id)!.innerHTML = html;
    this.#shown.set(id, html);
  }
}

new StatusPage().update();
