/**
 * The worker processes of the chaos test, and what is done to them.
 *
 * @module
 */

import type { Disturbance } from "./request_log.ts";
import type { StallingProxy } from "./stalling_proxy.ts";

/** Exit code of a worker that a site has ended. */
const POISONED = 137;
/** Characters of messages that are kept of a worker. */
const MAX_MESSAGES = 4000;
/** Milliseconds in which a worker must end after SIGTERM. */
const MAX_SHUTDOWN = 30_000;

/** Where workers are started, one after the other. */
export interface Lane {
  /** Connection to the database. */
  readonly proxy: StallingProxy;
  /** Program and arguments. */
  readonly command: readonly [program: string, ...args: string[]];
}

/** A running worker. */
interface Member {
  readonly child: Deno.ChildProcess;
  /** Its connection to the database. */
  readonly proxy: StallingProxy;
  messages: string;
  isStopped: boolean;
  /** What was done to end it. */
  end: Disturbance | undefined;
}

/** Worker processes that are started again whenever they end. */
export class Crew {
  /** What was done to workers. */
  readonly disturbances: Disturbance[] = [];
  /** Workers that ended by themselves, or did not end. */
  readonly faults: string[] = [];
  /** Number of workers that a site has ended. */
  poisoned = 0;
  /** Longest shutdown, in milliseconds. */
  slowest = 0;
  readonly #members = new Set<Member>();
  readonly #lanes: Promise<void>[] = [];
  #isEnding = false;

  /** Starts a worker in each lane. */
  constructor(lanes: readonly Lane[]) {
    for (const lane of lanes) this.#lanes.push(this.#keepRunning(lane));
  }

  /** Workers that were neither stopped nor ended. */
  get #free(): Member[] {
    return [...this.#members].filter(({ isStopped, end }) => !isStopped && end === undefined);
  }

  /** Kills a worker. Returns false if there is none. */
  kill(choose: <T>(items: readonly T[]) => T): boolean {
    return this.#end(choose, "kill");
  }

  /** Asks a worker to end. Returns false if there is none. */
  terminate(choose: <T>(items: readonly T[]) => T): boolean {
    return this.#end(choose, "terminate");
  }

  #end(choose: <T>(items: readonly T[]) => T, type: "kill" | "terminate"): boolean {
    const member = this.#free.length === 0 ? undefined : choose(this.#free);
    if (member === undefined) return false;
    const { child } = member;
    const from = Date.now();
    member.end = { type, pid: child.pid, from, to: from };
    this.disturbances.push(member.end);
    signal(child, type === "kill" ? "SIGKILL" : "SIGTERM");
    return true;
  }

  /**
   * Stops a worker for some time. Returns false if fewer than two are running. `onContinue` may
   * continue it later.
   */
  stop(
    choose: <T>(items: readonly T[]) => T,
    milliseconds: number,
    onContinue: (proceed: () => void) => void = (proceed) => proceed(),
  ): boolean {
    const free = this.#free;
    if (free.length < 2) return false;
    const member = choose(free);
    const { child } = member;
    const from = Date.now();
    const disturbance: Disturbance = { type: "stop", pid: child.pid, from, to: Infinity };
    this.disturbances.push(disturbance);
    member.isStopped = true;
    signal(child, "SIGSTOP");
    const proceed = () => {
      disturbance.to = Date.now();
      member.isStopped = false;
      signal(child, "SIGCONT");
    };
    setTimeout(() => onContinue(proceed), milliseconds);
    return true;
  }

  /** Lets the connections of a worker to the database hang. Returns false if there is none. */
  stall(choose: <T>(items: readonly T[]) => T, milliseconds: number): boolean {
    const free = this.#free;
    if (free.length < 2) return false;
    const member = choose(free);
    const disturbance: Disturbance = {
      ...{ type: "stall", pid: member.child.pid, from: Date.now(), to: Infinity },
    };
    this.disturbances.push(disturbance);
    // it is left alone, as if it were stopped
    member.isStopped = true;
    void member.proxy.stall(milliseconds).then(() => {
      disturbance.to = Date.now();
      member.isStopped = false;
    });
    return true;
  }

  /** Breaks the connections of a worker to the database. Returns false if there is none. */
  cut(choose: <T>(items: readonly T[]) => T): boolean {
    const free = this.#free;
    if (free.length === 0) return false;
    const { child, proxy } = choose(free);
    const now = Date.now();
    this.disturbances.push({ type: "cut", pid: child.pid, from: now, to: now });
    proxy.cut();
    return true;
  }

  /** Resolves when no worker is stopped. */
  async continued(): Promise<void> {
    while ([...this.#members].some(({ isStopped }) => isStopped)) await wait(100);
  }

  /** Ends all workers. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.continued();
    while (this.terminate(([first]) => first!));
    await Promise.all(this.#lanes);
  }

  async #keepRunning({ proxy, command: [program, ...args] }: Lane): Promise<void> {
    while (!this.#isEnding) {
      const command = new Deno.Command(program, {
        args,
        // a worker ends with this process
        stdin: "piped",
        stdout: "null",
        stderr: "piped",
      });
      const member: Member = {
        child: command.spawn(),
        proxy,
        messages: "",
        isStopped: false,
        end: undefined,
      };
      this.#members.add(member);
      const limit = setInterval(() => this.#killIfStuck(member), 1000);
      await Promise.all([member.child.status, collect(member)]);
      clearInterval(limit);
      await member.child.stdin.close().catch(() => {});
      this.#members.delete(member);
      this.#judge(member, await member.child.status);
    }
  }

  #killIfStuck(member: Member): void {
    const { end, child } = member;
    if (end?.type !== "terminate" || Date.now() - end.from < MAX_SHUTDOWN) return;
    signal(child, "SIGKILL");
  }

  #judge({ child, end, messages }: Member, { code, signal }: Deno.CommandStatus): void {
    const now = Date.now();
    // before it listens to signals, a worker ends by the signal
    if (end?.type === "terminate" && (code === 0 || signal === "SIGTERM")) {
      this.slowest = Math.max(this.slowest, now - end.from);
    } else if (end?.type === "kill" && signal === "SIGKILL") return;
    else if (code === POISONED && signal === null) {
      this.poisoned++;
      this.disturbances.push({ type: "kill", pid: child.pid, from: now, to: now });
    } else {
      const how = `ended with code ${code}${end === undefined ? "" : ` after "${end.type}"`}`;
      this.faults.push(`Worker ${child.pid} ${how}: ${messages}`);
    }
  }
}

async function collect(member: Member): Promise<void> {
  for await (const text of member.child.stderr.pipeThrough(new TextDecoderStream())) {
    member.messages = (member.messages + text).slice(-MAX_MESSAGES);
  }
}

function signal(child: Deno.ChildProcess, name: Deno.Signal): void {
  try {
    child.kill(name);
  } catch (error) {
    // it has ended already
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
