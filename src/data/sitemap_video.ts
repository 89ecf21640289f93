/**
 * Video of a page, by the video extension.
 *
 * @module
 */

import { toDate } from "./calendar.ts";
import { isoDate } from "./date.ts";
import { inspectAs, shownDate } from "./inspect.ts";
import {
  assignFields,
  dateFlags,
  defineFlags,
  plainFields,
  type SitemapVideoFields,
  VIDEO,
} from "./page_schema.ts";

/** Fields of a video, with its dates in milliseconds since 1970. */
export interface SitemapVideo
  extends Readonly<Omit<SitemapVideoFields, "expirationDate" | "publicationDate">> {
  /** Time after which it is unavailable, in milliseconds since 1970. */
  readonly expirationTime?: number;
  /** Time of publication in milliseconds since 1970. */
  readonly publicationTime?: number;
}

/**
 * Video of a page, by the video extension.
 *
 * @example
 * ```ts
 * import { SitemapVideo } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const video = new SitemapVideo({ title: "Bread", duration: 600 });
 * assertEquals(JSON.stringify(video), '{"title":"Bread","duration":600}');
 * ```
 */
export class SitemapVideo {
  #flags: number;

  static {
    defineFlags<SitemapVideo>(this, (video, flags) => {
      if (!(#flags in video)) return undefined;
      return flags === undefined ? video.#flags : video.#flags = flags;
    });
    inspectAs(this, "SitemapVideo", (video) => plainFields(video, VIDEO, shownDate));
  }

  /** Creates a video from its fields. */
  constructor(fields: SitemapVideoFields);
  constructor(fields: SitemapVideoFields, flags: number = dateFlags(fields, VIDEO)) {
    this.#flags = flags;
    assignFields(this, fields, VIDEO);
  }

  /** Date after which it is unavailable; a new `Date` at each call. */
  get expirationDate(): Date | undefined {
    return toDate(this.expirationTime);
  }

  /** Date of publication; a new `Date` at each call. */
  get publicationDate(): Date | undefined {
    return toDate(this.publicationTime);
  }

  /** Returns the video as plain data, dates as ISO strings. */
  toJSON(): SitemapVideoFields {
    return plainFields<SitemapVideoFields>(this, VIDEO, (time) => isoDate(time));
  }
}

/** The constructor with its internal parameter. */
const FlaggedVideo = SitemapVideo as new (
  fields: SitemapVideoFields,
  flags: number,
) => SitemapVideo;

/** Creates a video whose dates have the precision in `flags`. */
export function createVideo(fields: SitemapVideoFields, flags: number): SitemapVideo {
  return new FlaggedVideo(fields, flags);
}
