/**
 * What the video extension says about a page.
 *
 * @module
 */

import { type DatePrecision, PRECISION_MASK, precisionOf, TO_TIME } from "./calendar.ts";
import { inspectAs, shownDate } from "./inspect.ts";
import { isoDate } from "./date.ts";
import { type Time, toDate, toMilliseconds } from "./calendar.ts";

/** A list of countries or platforms where a video may or may not be shown. */
export interface VideoRestriction {
  /** Whether the list allows or denies. */
  readonly relationship: "allow" | "deny";
  /** Country codes, or `web`, `mobile`, `tv`. */
  readonly values: readonly string[];
}

/** Who put a video up. */
export interface VideoUploader {
  /** Name of the uploader. */
  readonly name: string;
  /** Address of a page about the uploader. */
  readonly info?: string;
}

/** What a {@linkcode SitemapVideo} is made of. */
export interface SitemapVideoFields {
  /** Address of a thumbnail. */
  readonly thumbnailLoc?: string;
  /** Title of the video. */
  readonly title?: string;
  /** What it shows. */
  readonly description?: string;
  /** Address of the video file. */
  readonly contentLoc?: string;
  /** Address of a player. */
  readonly playerLoc?: string;
  /** Length in seconds. */
  readonly duration?: number;
  /** When it will be gone. */
  readonly expirationDate?: Time | undefined;
  /** Rating from 0 to 5. */
  readonly rating?: number;
  /** How often it was seen. */
  readonly viewCount?: number;
  /** When it was published. */
  readonly publicationDate?: Time | undefined;
  /** Whether it may be shown with safe search. */
  readonly familyFriendly?: boolean;
  /** Countries where it may or may not be shown. */
  readonly restriction?: VideoRestriction;
  /** Platforms where it may or may not be shown. */
  readonly platform?: VideoRestriction;
  /** Whether it takes a subscription. */
  readonly requiresSubscription?: boolean;
  /** Who put it up. */
  readonly uploader?: VideoUploader;
  /** Whether it is a live stream. */
  readonly live?: boolean;
  /** Tags. */
  readonly tags?: readonly string[];
}

/** Reads the private flags of a video; set by its class. */
let readFlags: (video: SitemapVideo) => number;

/** Place of the publication date's precision among the flags; that of the other date is first. */
const PUBLICATION_SHIFT = 2;

/**
 * A video of a page, by the video extension.
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
  /** Address of a thumbnail. */
  declare readonly thumbnailLoc?: string;
  /** Title of the video. */
  declare readonly title?: string;
  /** What it shows. */
  declare readonly description?: string;
  /** Address of the video file. */
  declare readonly contentLoc?: string;
  /** Address of a player. */
  declare readonly playerLoc?: string;
  /** Length in seconds. */
  declare readonly duration?: number;
  /** When it will be gone, in milliseconds since 1970. */
  declare readonly expirationTime?: number;
  /** Rating from 0 to 5. */
  declare readonly rating?: number;
  /** How often it was seen. */
  declare readonly viewCount?: number;
  /** When it was published, in milliseconds since 1970. */
  declare readonly publicationTime?: number;
  /** Whether it may be shown with safe search. */
  declare readonly familyFriendly?: boolean;
  /** Countries where it may or may not be shown. */
  declare readonly restriction?: VideoRestriction;
  /** Platforms where it may or may not be shown. */
  declare readonly platform?: VideoRestriction;
  /** Whether it takes a subscription. */
  declare readonly requiresSubscription?: boolean;
  /** Who put it up. */
  declare readonly uploader?: VideoUploader;
  /** Whether it is a live stream. */
  declare readonly live?: boolean;
  /** Tags. */
  declare readonly tags?: readonly string[];
  readonly #flags: number;

  static {
    readFlags = (video) => #flags in video ? video.#flags : TO_TIME;
    inspectAs(this, "SitemapVideo", describeVideo);
  }

  /** Makes a video of its fields. */
  constructor(fields: SitemapVideoFields);
  constructor(
    fields: SitemapVideoFields,
    flags: number = packPrecision(
      precisionOf(fields.expirationDate),
      precisionOf(fields.publicationDate),
    ),
  ) {
    this.#flags = flags;
    const { expirationDate, publicationDate } = fields;
    const source = fields as Readonly<Record<string, unknown>>;
    const target = this as Record<string, unknown>;
    for (const name in source) {
      if (name !== "expirationDate" && name !== "publicationDate") target[name] = source[name];
    }
    const expirationTime = toMilliseconds(expirationDate);
    if (expirationTime === expirationTime) this.expirationTime = expirationTime;
    const publicationTime = toMilliseconds(publicationDate);
    if (publicationTime === publicationTime) this.publicationTime = publicationTime;
  }

  /** When it will be gone; a new `Date` at each call. */
  get expirationDate(): Date | undefined {
    return toDate(this.expirationTime);
  }

  /** When it was published; a new `Date` at each call. */
  get publicationDate(): Date | undefined {
    return toDate(this.publicationTime);
  }

  /** The video as plain data, dates as ISO strings. */
  toJSON(): SitemapVideoFields {
    return videoToJson(this);
  }
}

/** The constructor as parsers and stores call it. */
const FlaggedVideo = SitemapVideo as new (
  fields: SitemapVideoFields,
  flags: number,
) => SitemapVideo;

/** Makes a video whose dates have the precision that `packPrecision()` packs. */
export function createVideo(fields: SitemapVideoFields, flags: number): SitemapVideo {
  return new FlaggedVideo(fields, flags);
}

/** Packs the precision of the dates of a video. */
export function packPrecision(expiration: DatePrecision, publication: DatePrecision): number {
  return expiration | publication << PUBLICATION_SHIFT;
}

/** Returns the packed precision of the dates of a video, for {@linkcode createVideo}. */
export function videoFlags(video: SitemapVideo): number {
  return readFlags(video);
}

/** Returns the precision of the expiration date of a video. */
export function expirationPrecision(video: SitemapVideo): DatePrecision {
  return (readFlags(video) & PRECISION_MASK) as DatePrecision;
}

/** Returns the precision of the publication date of a video. */
export function publicationPrecision(video: SitemapVideo): DatePrecision {
  return (readFlags(video) >> PUBLICATION_SHIFT) as DatePrecision;
}

function videoToJson(video: SitemapVideo): SitemapVideoFields {
  const { expirationTime, publicationTime, ...rest } = video;
  return {
    ...rest,
    ...(expirationTime === undefined ? {} : { expirationDate: isoDate(expirationTime) }),
    ...(publicationTime === undefined ? {} : { publicationDate: isoDate(publicationTime) }),
  };
}

function describeVideo(video: SitemapVideo): object {
  const { expirationTime, publicationTime, ...rest } = video;
  return {
    ...rest,
    ...(expirationTime === undefined
      ? {}
      : { expirationDate: shownDate(expirationTime, expirationPrecision(video)) }),
    ...(publicationTime === undefined
      ? {}
      : { publicationDate: shownDate(publicationTime, publicationPrecision(video)) }),
  };
}
