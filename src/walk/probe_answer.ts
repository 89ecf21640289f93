/**
 * How a request for a known path was answered, to be compared with another one.
 *
 * @module
 */

import { chunkSource, peek } from "../bytes/byte_source.ts";
import { mediaTypeOf } from "../bytes/detect_encoding.ts";
import { decompress } from "../bytes/gunzip.ts";
import { addressKey } from "../data/url.ts";
import type { FetchedDocument } from "../http/fetched_document.ts";
import type { DocumentRequest } from "./prefetch.ts";

const COMPARED_BYTES = 1024;

export class ProbeAnswer {
  readonly url: URL;
  /** Last target of redirects, if there were any. */
  redirect: URL | undefined;
  status: number | undefined;
  #contentType: string | null = null;
  #contentEncoding: string | null = null;
  #head = new Uint8Array(0);

  constructor(url: URL) {
    this.url = url;
  }

  /** Returns a request that it observes; `check` is called with each target of a redirect. */
  request(retries: number, check: (target: URL) => void): DocumentRequest {
    const observed = (target: URL) => {
      this.redirect = target;
      check(target);
    };
    const redirects = { check: observed };
    return { url: this.url, retries, followsAhead: true, redirects, observe: this.#observe };
  }

  readonly #observe = async (document: FetchedDocument): Promise<FetchedDocument> => {
    const { head, source } = await peek(document.body, COMPARED_BYTES);
    this.status = document.status;
    this.#contentType = document.contentType;
    this.#contentEncoding = document.contentEncoding;
    this.#head = head.slice(0, COMPARED_BYTES);
    return { ...document, body: source };
  };

  isRedirectedLike({ redirect }: ProbeAnswer): boolean {
    return redirect !== undefined && this.redirect !== undefined &&
      addressKey(redirect.href) === addressKey(this.redirect.href);
  }

  /** Whether it is the same as another one, apart from the name that was requested. */
  async isLike(other: ProbeAnswer): Promise<boolean> {
    if (this.isRedirectedLike(other)) return true;
    if (this.status !== other.status || this.#place !== other.#place) return false;
    if (mediaTypeOf(this.#contentType) !== mediaTypeOf(other.#contentType)) return false;
    const [text, otherText] = [await this.#text(), await other.#text()];
    const [short, long] = text.length < otherText.length ? [text, otherText] : [otherText, text];
    // the name may be longer in one of them, so that less of the rest was received
    const isCut = (short === text ? this : other).#head.length === COMPARED_BYTES;
    return long.startsWith(short) && (isCut || short.length === long.length);
  }

  /** URL that it was redirected to without the name requested; empty if it was not redirected. */
  get #place(): string {
    return this.#withoutName(this.redirect?.href ?? "");
  }

  async #text(): Promise<string> {
    const contentEncoding = this.#contentEncoding;
    const body = chunkSource([this.#head]);
    const { source } = await decompress(body, { warn: () => {}, contentEncoding });
    const { head } = await peek(source, COMPARED_BYTES);
    return this.#withoutName(new TextDecoder("latin1").decode(head.subarray(0, COMPARED_BYTES)));
  }

  #withoutName(text: string): string {
    return text.replaceAll(this.url.pathname.slice(1), "");
  }
}
