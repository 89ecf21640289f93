/**
 * The time of a core that processes and threads have used, on Linux.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import process from "node:process";

/** Ticks of a second in `/proc`. */
const TICKS = 100;
/** Milliseconds in which processes end whose connection was closed. */
const SETTLE_TIME = 500;

/**
 * Returns the seconds in which this thread has run, to compare readers on a machine that does other
 * things as well; on other systems than Linux, those that have passed.
 */
export function threadTime(): number {
  // without it, the kernel shows the time up to its last tick, 4 ms or more ago
  process.cpuUsage();
  try {
    return Number.parseInt(readFileSync("/proc/thread-self/schedstat", "latin1")) / 1e9;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return performance.now() / 1000;
    throw error;
  }
}

/** Returns the seconds of all processes that this one has started and that have ended. */
export async function endedTime(): Promise<number> {
  const [user, system] = (await statOf("self"))!.slice(13, 15);
  return (Number(user) + Number(system)) / TICKS;
}

/** Returns the seconds of a server and its processes, of those that have ended too. */
export async function serverTime(pid: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_TIME));
  let ticks = 0;
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = await statOf(name);
    if (fields === undefined) continue;
    const isServer = Number(name) === pid;
    if (!isServer && Number(fields[1]) !== pid) continue;
    // of itself, and of its children that have ended
    const times = fields.slice(11, isServer ? 15 : 13);
    ticks += times.reduce((sum, time) => sum + Number(time), 0);
  }
  return ticks / TICKS;
}

/** Returns the fields of a process after its name; `undefined` if it has ended. */
async function statOf(pid: string): Promise<string[] | undefined> {
  try {
    const text = await Deno.readTextFile(`/proc/${pid}/stat`);
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
