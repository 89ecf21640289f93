/**
 * Bodies that are requested again when they break off.
 *
 * ```
 *            error, or fewer bytes than announced
 *  reading ───────────────────────────────────────► reopen
 *     ▲                                               │
 *     ├──────────── the rest (206) ◄──────────────────┤
 *     ├─ RestartError: read again, skip ◄─ whole body ┤
 *     └─ the error: the body is cut ◄─── no retry left ┘
 * ```
 *
 * @module
 */

import type { ByteSource, Chunk } from "../bytes/byte_source.ts";
import type { SitemapResponse } from "../data/events.ts";
import type { FetchedDocument } from "../http/fetched_document.ts";
import { BufferedBody } from "./buffered_body.ts";

type ResponsePart = "contentType" | "contentEncoding" | "misencoded" | "isRaw" | "body" | "offset";

export interface DocumentSource extends Pick<FetchedDocument, ResponsePart> {
  /** Final URL; relative addresses are resolved against it. */
  readonly url: string;
  readonly response?: SitemapResponse | undefined;
  readonly waited?: () => number;
  readonly reopen?: Reopen;
}

/** Requests a body again that broke off after so many bytes; `undefined` if that is not possible. */
type Reopen = (received: number, error: unknown) => Promise<DocumentSource | undefined>;

/** A body broke off, and the response to another request has all of it. */
export class RestartError extends Error {
  readonly source: DocumentSource;

  constructor(source: DocumentSource, cause: unknown) {
    super("Body starts again", { cause });
    this.name = "RestartError";
    this.source = source;
  }
}

/**
 * Bytes of a resumed body that are read ahead of the consumer. The first body may have broken off
 * because its consumer was too slow for the server. The protocol allows sitemaps of 50 MB.
 */
const MAX_AHEAD = 64 * 1024 * 1024;

/** Returns a body that is resumed after it broke off, or rejects with a {@linkcode RestartError}. */
export function resumableBody(first: ByteSource, reopen: Reopen): ByteSource {
  let body = first, received = 0;
  /** Whether it is not requested again: it was cancelled, or that has failed. */
  let isFinal = false;
  const read = async (): Promise<Chunk> => {
    try {
      const chunk = await body.read();
      received += chunk?.length ?? 0;
      return chunk;
    } catch (error) {
      const source = isFinal ? undefined : await reopen(received, error);
      if (source === undefined) {
        isFinal = true;
        throw error;
      }
      const rest = new BufferedBody(source.body, MAX_AHEAD);
      rest.fill();
      if (isFinal) rest.cancel();
      if (source.offset !== received) throw new RestartError({ ...source, body: rest }, error);
      body = rest;
      return await read();
    }
  };
  const cancel = (reason?: unknown) => {
    isFinal = true;
    body.cancel(reason);
  };
  return { read, cancel };
}
