/**
 * Temporary files beside an output, and the removal of those that killed processes left behind.
 *
 * A process holds a lock on its temporary file, which the system releases when the process ends.
 * Unlike a look at the process table, a lock needs no permission of Deno, and it is visible across
 * containers that share a folder.
 *
 * @module
 */

import { kill } from "node:process";

const NAME_REGEXP = /^\.sitetree-(\d+)-[0-9a-f]{8}\.tmp$/;

/** A temporary file that is open for writing. */
export interface TemporaryFile {
  /** Path of the file, in the folder of its target. */
  readonly path: string;
  /** The open file. */
  readonly file: Deno.FsFile;
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
    const path = `${folder}.sitetree-${Deno.pid}-${crypto.randomUUID().slice(0, 8)}.tmp`;
    const file = await Deno.open(path, { ...options, write: true, createNew: true });
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
  const { state } = await Deno.permissions.query({ name: "read", path: folder });
  if (state !== "granted") return;
  try {
    for await (const { name, isFile } of Deno.readDir(folder)) {
      const pid = isFile ? NAME_REGEXP.exec(name)?.[1] : undefined;
      if (pid === undefined || isRunning(Number(pid))) continue;
      await removeUnlocked(`${folder}/${name}`, uid).catch(() => {});
    }
  } catch {
    // The folder cannot be listed, which the output does not need.
  }
}

async function removeUnlocked(path: string, uid: number | null): Promise<void> {
  if ((await Deno.lstat(path)).uid !== uid) return;
  using file = await Deno.open(path, { write: true });
  if (await tryLock(file)) await Deno.remove(path);
}

/** Whether the lock was obtained; `undefined` on a file system without locks. */
async function tryLock(file: Deno.FsFile): Promise<boolean | undefined> {
  try {
    return await file.tryLock(true);
  } catch {
    return undefined;
  }
}

/** Whether a process is known to be running; only the permission to run programs shows that. */
function isRunning(pid: number): boolean {
  if (Deno.permissions.querySync({ name: "run" }).state !== "granted") return false;
  try {
    return kill(pid, 0);
  } catch (error) {
    // A process of another user cannot be signalled.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
