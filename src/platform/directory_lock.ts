/**
 * Directories that one process uses at a time.
 *
 * @module
 */

import { builtin } from "./environment.ts";
import { acquireLock, closeDatabase, sqliteFault } from "./sqlite.ts";

/** Process that uses a directory, as it says itself. */
export interface DirectoryOwner {
  readonly pid: number;
  /** Address that it serves, if any. */
  readonly url?: string;
}

/** A directory that this process uses. */
export interface DirectoryLock {
  /** Publishes the address that this process serves. */
  announce(url: string): void;
  /** Lets other processes use the directory. */
  release(): void;
}

/** A directory that another process uses. */
export interface UsedDirectory {
  /** That process; `undefined` if it has not said yet. */
  readonly owner: DirectoryOwner | undefined;
}

/**
 * Creates a directory unless it exists, and locks it until it is released or the process ends.
 *
 * @throws {Error} if the directory cannot be created or locked
 */
export function lockDirectory(directory: string): DirectoryLock | UsedDirectory {
  const fs = builtin("node:fs")!;
  const ownerFile = `${directory}/owner.json`;
  fs.mkdirSync(directory, { recursive: true });
  let lock: ReturnType<typeof acquireLock>;
  try {
    lock = acquireLock(`${directory}/lock`);
  } catch (error) {
    if (sqliteFault(error) !== "locked") throw error;
    return { owner: readOwner(ownerFile) };
  }
  const { pid } = builtin("node:process")!;
  const announce = (owner: DirectoryOwner) => {
    // renamed, so that no reader sees half of it
    fs.writeFileSync(`${ownerFile}.new`, JSON.stringify(owner));
    fs.renameSync(`${ownerFile}.new`, ownerFile);
  };
  announce({ pid });
  return {
    announce: (url) => announce({ pid, url }),
    release() {
      fs.rmSync(ownerFile, { force: true });
      closeDatabase(lock);
    },
  };
}

function readOwner(file: string): DirectoryOwner | undefined {
  try {
    return JSON.parse(builtin("node:fs")!.readFileSync(file, "utf8"));
  } catch {
    // it has only just locked the directory, or is about to release it
    return undefined;
  }
}
