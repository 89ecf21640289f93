/**
 * Faults in the protections of a fleet, each of which the chaos test must find. They are made in a
 * copy of the source.
 *
 * @module
 */

import { type Action, ACTIONS } from "./round.ts";

/** A fault: a text of a file, which occurs once, and its replacement. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly search: string;
  readonly replacement: string;
  /** Disturbances against which the protection is. */
  readonly actions: readonly Action[];
}

/** The protections of a fleet, each taken away. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "no lease",
    file: "src/fleet/lease.ts",
    search: "return count === 1;",
    replacement: "return count >= 0;",
    actions: ACTIONS,
  },
  {
    name: "no local deadline",
    file: "src/fleet/visit.ts",
    search: "return SYSTEM_CLOCK.elapsed() > this.#deadline.elapsed ||",
    replacement: "return SYSTEM_CLOCK.elapsed() === this.#deadline.elapsed &&",
    actions: ["stall", "stop and crash", "terminate"],
  },
  {
    name: "no fence",
    file: "src/fleet/settle.ts",
    search: 'if (count !== 1) throw new LostError("another attempt has begun");',
    replacement: "",
    actions: ["stall", "terminate"],
  },
];

/** Files that workers need, besides `src`. */
const FILES = ["deno.json", "deno.lock", "tests/chaos/worker.ts", "tests/chaos/mapped_fetch.ts"];
const ROOT = new URL("../../", import.meta.url);

/** Returns the source of a file with a fault; throws unless its text occurs once. */
export function mutate(source: string, { name, file, search, replacement }: Mutation): string {
  const parts = source.split(search);
  if (parts.length === 2) return parts.join(replacement);
  const times = parts.length - 1;
  throw new Error(`Cannot apply "${name}": the text occurs ${times} times in "${file}"`);
}

/** Returns the source of the file of a mutation. */
export function sourceOf({ file }: Mutation): string {
  return Deno.readTextFileSync(new URL(file, ROOT));
}

/** Copies what workers need to a directory, with a fault. Returns the program of the workers. */
export async function copyWithFault(directory: string, mutation: Mutation): Promise<URL> {
  const base = new URL(`file://${directory}/`);
  await copyFolder(new URL("src/", ROOT), new URL("src/", base));
  await Deno.mkdir(new URL("tests/chaos/", base), { recursive: true });
  for (const file of FILES) await Deno.copyFile(new URL(file, ROOT), new URL(file, base));
  await Deno.writeTextFile(new URL(mutation.file, base), mutate(sourceOf(mutation), mutation));
  return new URL("tests/chaos/worker.ts", base);
}

async function copyFolder(from: URL, to: URL): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(new URL(`${name}/`, from), new URL(`${name}/`, to));
    else await Deno.copyFile(new URL(name, from), new URL(name, to));
  }
}
