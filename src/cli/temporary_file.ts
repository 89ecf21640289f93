/**
 * Temporary files beside an output, and the removal of those that killed processes left behind.
 *
 * On Deno, a process holds a lock on its temporary file, which the system releases when the process
 * ends. Unlike a look at the process table, a lock needs no permission, and it is visible across
 * containers that share a folder. Node and Bun have no locks: there the name of the file also has
 * the machine, whose processes can be looked at.
 *
 * @module
 */

import { hasPermission } from "../platform/environment.ts";
import { isRunning } from "../platform/host.ts";
import {
  lstat,
  openToWrite,
  ownerName,
  ownerPid,
  readdir,
  unlink,
  type WritableFile,
} from "../platform/host_files.ts";

const NAME_REGEXP = /^\.sitetree-(.+)-[0-9a-f]{8}\.tmp$/;

/** A temporary file that is open for writing. */
export interface TemporaryFile {
  /** Path of the file, in the folder of its target. */
  readonly path: string;
  /** The open file. */
  readonly file: WritableFile;
}

/**
 * Creates a temporary file in the folder of its target, since a rename is atomic only within a file
 * system, and removes those of processes that are gone.
 */
export async function createTemporary(
  target: string,
  options: { readonly mode?: number } = {},
): Promise<TemporaryFile> {
  const folder = target.slice(0, Math.max(target.lastIndexOf("/"), target.lastIndexOf("\\")) + 1);
  while (true) {
    const path = `${folder}.sitetree-${ownerName()}-${crypto.randomUUID().slice(0, 8)}.tmp`;
    const file = await openToWrite(path, { ...options, createNew: true });
    const isLocked = await tryLock(file);
    const { nlink, uid } = await file.stat();
    // Another process may have taken it for a stale one before it was locked.
    if (isLocked !== false && nlink !== 0) {
      await removeStale(folder || ".", uid);
      return { path, file };
    }
    file.close();
  }
}

/** Removes the temporary files of a user whose processes are gone, as far as that is possible. */
async function removeStale(folder: string, uid: number | null): Promise<void> {
  // Reading without permission would prompt at a terminal.
  if (!hasPermission({ name: "read", path: folder })) return;
  try {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const owner = entry.isFile() ? NAME_REGEXP.exec(entry.name)?.[1] : undefined;
      const pid = owner === undefined ? undefined : ownerPid(owner);
      if (pid === undefined) continue;
      await removeAbandoned(`${folder}/${entry.name}`, pid, uid).catch(() => {});
    }
  } catch {
    // The folder cannot be listed, which the output does not need.
  }
}

async function removeAbandoned(path: string, pid: number, uid: number | null): Promise<void> {
  const running = isRunning(pid);
  if (running === true || (await lstat(path)).uid !== uid) return;
  const file = await openToWrite(path);
  try {
    const isLocked = file.tryLock === undefined ? running === false : await tryLock(file);
    if (isLocked) await unlink(path);
  } finally {
    file.close();
  }
}

/** Whether the lock was obtained; `undefined` where there are no locks. */
async function tryLock(file: WritableFile): Promise<boolean | undefined> {
  try {
    return await file.tryLock?.(true);
  } catch {
    return undefined;
  }
}
