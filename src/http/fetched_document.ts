/** What a request results in: a document, or a redirect to follow. @module */

import type { ByteSource } from "../bytes/byte_source.ts";
import type { Rest } from "./content_range.ts";

export interface ResponseUrls {
  readonly requestedUrl: URL;
  /** URL of the response; another one only if `fetch` followed redirects by itself. */
  readonly url: URL;
}

/** A response with a document whose first bytes have arrived. */
export interface FetchedDocument extends ResponseUrls {
  readonly status: number;
  readonly isNotModified: boolean;
  readonly headers: Headers;
  readonly body: ByteSource;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  /** Whether it was requested as `identity`. */
  readonly isUnencoded: boolean;
  /** Content-Encoding of an earlier response whose body could not be decoded. */
  readonly misencoded: string | undefined;
  /** Whether the runtime is known not to have decompressed the body. */
  readonly isRaw: boolean;
  /** Offset of its first byte in the whole body. */
  readonly offset: number;
  /** Its entity tag, if the rest of the body can be requested with it. */
  readonly etag: string | undefined;
  readonly total: number | undefined;
  readonly redirects: number;
  readonly waited: () => number;
}

interface Redirection extends ResponseUrls {
  readonly redirect: URL;
}

export type FetchResult = FetchedDocument | Redirection;

export function isDocument(result: FetchResult): result is FetchedDocument {
  return "body" in result && result.url === result.requestedUrl;
}

/** Form in which a body is requested. Attempts that fail change it for the next one. */
export interface BodyForm {
  /** Whether the body is requested without any encoding and range. */
  isUnencoded: boolean;
  misencoded?: string | undefined;
  /** Whether a part was received instead of all, or none. The next part is read as truncated. */
  wasPart: boolean;
  rest?: Rest | undefined;
}
