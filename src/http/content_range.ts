/**
 * Partial responses (206): whether one is the whole body, the rest that was requested, or a part.
 *
 * @module
 */

import { lastCoding } from "../bytes/gunzip.ts";
import { excerpt } from "../data/text.ts";

export interface Rest {
  readonly offset: number;
  /** Strong entity tag of the body. */
  readonly etag: string;
  /** Number of bytes of the whole body, if known. */
  readonly total: number | undefined;
}

interface PartialBody {
  /** Whether it has all bytes, all from an offset on, or neither for certain. */
  readonly type: "whole" | "rest" | "part";
  /** Offset of its first byte; `undefined` if the body cannot be read from there, or from 0. */
  readonly offset: number | undefined;
  readonly length: number | undefined;
  readonly total: number | undefined;
  /** Its range as the server wrote it, for messages. */
  readonly text: string;
}

/** `bytes 0-9/10`; the unit is case-insensitive (RFC 9110 §14.1). */
const CONTENT_RANGE_REGEXP = /^bytes[ \t]+(\d{1,15})-(\d{1,15})\/(?:(\d{1,15})|\*)$/i;
const MULTIPART_REGEXP = /^multipart\//i;
const STRONG_ETAG_REGEXP = /^"[^"]*"$/;

/** Returns what a partial response has of the body that was requested: `rest` of it, or all. */
export function partialBody(headers: Headers, rest?: Rest): PartialBody {
  const contentType = headers.get("content-type") ?? "";
  if (MULTIPART_REGEXP.test(contentType)) {
    const text = `"${excerpt(contentType)}"`;
    return { type: "part", offset: undefined, length: undefined, total: undefined, text };
  }
  const contentRange = headers.get("content-range");
  const text = contentRange === null ? "no Content-Range" : `"${excerpt(contentRange)}"`;
  const range = parseContentRange(contentRange);
  if (range === undefined) {
    return { type: "part", offset: 0, length: undefined, total: undefined, text };
  }
  const { start, end, total } = range;
  const length = bodyLength(headers) ?? end - start;
  const toEnd = end === total && length === end - start;
  const isRest = rest !== undefined && start === rest.offset &&
    total === (rest.total ?? total) && strongEtag(headers) === rest.etag;
  const type = !toEnd ? "part" : start === 0 ? "whole" : isRest ? "rest" : "part";
  const isReadable = type !== "part" || start === 0;
  return { type, offset: isReadable ? start : undefined, length, total, text };
}

/** Returns the strong entity tag of an unencoded body, by which its rest can be requested. */
export function strongEtag(headers: Headers): string | undefined {
  const etag = headers.get("etag") ?? "";
  return !hasEncoding(headers) && STRONG_ETAG_REGEXP.test(etag) ? etag : undefined;
}

/** Whether a body has a Content-Encoding other than `identity`. */
export function hasEncoding(headers: Headers): boolean {
  return lastCoding(headers.get("content-encoding")) !== undefined;
}

export function bodyLength(headers: Headers): number | undefined {
  const length = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** `end` is exclusive. */
interface ContentRange {
  readonly start: number;
  readonly end: number;
  readonly total: number | undefined;
}

function parseContentRange(text: string | null): ContentRange | undefined {
  const [, first, last, all] = CONTENT_RANGE_REGEXP.exec(text?.trim() ?? "") ?? [];
  const [start, end] = [Number(first), Number(last) + 1];
  const total = all === undefined ? undefined : Number(all);
  return start < end && end <= (total ?? end) ? { start, end, total } : undefined;
}
