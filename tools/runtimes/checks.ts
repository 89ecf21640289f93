/**
 * Checks that run on any runtime, and their results as JSON.
 *
 * @module
 */

/** A check: throws an error if it fails. */
export type Check = () => void | Promise<void>;

/** Outcome of a check. */
export interface CheckResult {
  readonly name: string;
  /** Absent if it passed. */
  readonly problem?: string;
}

/** Runs checks one after the other. */
export async function runChecks(checks: Readonly<Record<string, Check>>): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      results.push({ name });
    } catch (error) {
      results.push({ name, problem: problemOf(error) });
    }
  }
  return results;
}

/** Returns the message of an error and where it was thrown. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [place = ""] = error.stack?.match(/^\s+at .*/m) ?? [];
  return `${error.name}: ${error.message}\n${place}`;
}

/** Throws unless both values are the same JSON. */
export function assertSame(got: unknown, expected: unknown, what: string): void {
  const [gotJson, expectedJson] = [JSON.stringify(got), JSON.stringify(expected)];
  if (gotJson === expectedJson) return;
  throw new Error(`${what}: expected ${expectedJson.slice(0, 300)}, got ${gotJson.slice(0, 300)}`);
}

/** Throws an error with all failures among the results; returns the number of checks. */
export function assertPassed(results: readonly CheckResult[]): number {
  const failed = results.filter(({ problem }) => problem !== undefined);
  const lines = failed.map(({ name, problem }) => `${name}: ${problem}`);
  if (failed.length > 0) throw new Error(lines.slice(0, MAX_SHOWN).join("\n"));
  if (results.length === 0) throw new Error("No checks were run");
  return results.length;
}

/** Failures that a message names. */
const MAX_SHOWN = 20;

/** Waits for a promise; throws a {@linkcode LimitError} if that takes too many milliseconds. */
export async function withLimit<T>(promise: Promise<T>, limit: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LimitError(`No result after ${limit / 1000} s`)), limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A promise that took too long. */
export class LimitError extends Error {
  override name = "LimitError";
}
