import { hasPermission } from "../platform/environment.ts";
import { isPermissionError } from "../platform/process.ts";
import { SourceError } from "./source_error.ts";

const PERMISSIONS = ["net", "read", "write", "env"] as const;

export function isDatabase(word: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(word);
}

/** Opens a database of PostgreSQL; throws a {@linkcode SourceError} without permission. */
export async function opening<T>(open: () => Promise<T>): Promise<T> {
  const missing = PERMISSIONS.filter((name) => !hasPermission({ name }));
  if (missing.length > 0) throw refused(`no permission for ${missing.join(", ")}`);
  try {
    return await open();
  } catch (error) {
    if (!isPermissionError(error)) throw error;
    throw refused((error as Error).message);
  }
}

function refused(reason: string): SourceError {
  return new SourceError("permission", `Cannot open the database: ${reason}`);
}
