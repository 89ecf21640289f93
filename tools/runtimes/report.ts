/**
 * Prints checks as they end, and a table of all of them.
 *
 * @module
 */

import { table } from "../bench/table.ts";

type Outcome = "passed" | "failed" | "skipped";

/** The outcomes of all checks, by the runtime and the name of the check. */
export class Report {
  readonly #outcomes = new Map<string, Map<string, Outcome>>();

  /**
   * Runs a check; returns its result, or undefined if it failed.
   *
   * @param work throws an error if the check fails
   */
  async check<T>(
    runtime: string,
    name: string,
    work: () => T | Promise<T>,
  ): Promise<T | undefined> {
    const start = performance.now();
    try {
      const result = await work();
      this.#add(runtime, name, "passed", start);
      return result;
    } catch (error) {
      this.#add(
        runtime,
        name,
        "failed",
        start,
        error instanceof Error ? error.message : String(error),
      );
      return undefined;
    }
  }

  /** Records all checks of a runtime as skipped. */
  skip(runtime: string, reason: string): void {
    this.#add(runtime, "install", "skipped", performance.now(), reason);
  }

  #add(runtime: string, name: string, outcome: Outcome, start: number, message?: string): void {
    const outcomes = this.#outcomes.get(runtime) ?? new Map<string, Outcome>();
    this.#outcomes.set(runtime, outcomes.set(name, outcome));
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${outcome.padEnd(7)} ${runtime.padEnd(11)} ${name} (${seconds} s)`);
    if (message !== undefined) console.log(message.trimEnd().replaceAll(/^/gm, "        "));
  }

  /** Returns the number of checks with an outcome. */
  count(outcome: Outcome): number {
    return [...this.#outcomes.values()].flatMap((outcomes) => [...outcomes.values()])
      .filter((each) => each === outcome).length;
  }

  /** Returns a row for each runtime: the number of passed checks, and the names of the others. */
  table(): string {
    const rows = [...this.#outcomes].map(([runtime, outcomes]) => {
      const named = (outcome: Outcome) =>
        [...outcomes].filter((entry) => entry[1] === outcome).map((entry) => entry[0]);
      const skipped = named("skipped").length > 0 ? "skipped" : "";
      return [runtime, String(named("passed").length), named("failed").join(", ") || skipped];
    });
    return table(["", "passed", "failed"], rows);
  }
}
