/**
 * What stands around packed data.
 *
 * @module
 */

import type { Compression } from "../platform/inflater.ts";
import type { ByteInput } from "./byte_input.ts";

/** Reads what stands around deflate streams, and checks it. */
export interface Framing {
  /** Compression of the streams. */
  readonly compression: Compression;
  /** Reads up to the next deflate stream: whether there is one. */
  begin(input: ByteInput): Promise<boolean>;
  /** Learns of a piece that was unpacked. */
  unpacked(piece: Uint8Array): void;
  /** Reads what follows a deflate stream. */
  end(input: ByteInput): Promise<void>;
}
