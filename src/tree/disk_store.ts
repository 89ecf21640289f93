import { SpillBuffer } from "../bytes/spill_buffer.ts";
import type { TemporaryFileOptions } from "../platform/temporary_file.ts";
import type { PageStore } from "./page_store.ts";

const WRITE_SIZE = 256 * 1024;

/** Throws if the file cannot be created. */
export function diskStore(options?: TemporaryFileOptions): PageStore {
  const store = new SpillBuffer(WRITE_SIZE, options);
  store.openFile();
  return store;
}
