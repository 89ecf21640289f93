/**
 * Google Video: `video:video`.
 *
 * @module
 */

import { parseDate } from "../../date.ts";
import {
  SitemapVideo,
  type SitemapVideoFields,
  type VideoRestriction,
} from "../../sitemap_video.ts";
import { trimSpace } from "../../url.ts";
import type { XmlElement } from "../../xml/element.ts";
import { quoted } from "../entries.ts";
import type { ElementSpec } from "../record_format.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Fields = Mutable<SitemapVideoFields>;

/** What the video extension gathers. */
export interface VideoDraft {
  /** The video that is being read. */
  video?: Fields;
  /** Its tags. */
  tags?: string[];
  /** The videos that were complete. */
  videos?: SitemapVideo[];
}

const NUMBER_REGEXP = /^\d+(?:\.\d+)?$/;

type StringField = "thumbnailLoc" | "title" | "description" | "contentLoc" | "playerLoc";

/** Keeps what `read` makes of the text; `undefined` means that it cannot be read. */
function field<K extends keyof Fields>(
  name: K,
  read: (value: string, element: XmlElement) => Fields[K] | undefined,
): ElementSpec<VideoDraft> {
  return {
    value({ video }, value, element, warn) {
      const result = read(value, element);
      if (result === undefined) {
        warn("bad-video", `Video field "${element.local}" ${quoted(value)} cannot be read`);
      } else if (video) video[name] = result;
    },
  };
}

function text(name: StringField): ElementSpec<VideoDraft> {
  return field(name, (value) => value);
}

function number(value: string): number | undefined {
  return NUMBER_REGEXP.test(value) ? Number(value) : undefined;
}

function yesNo(value: string): boolean | undefined {
  const word = value.toLowerCase();
  if (word === "yes" || word === "true") return true;
  return word === "no" || word === "false" ? false : undefined;
}

function date(value: string): number | undefined {
  const time = parseDate(value);
  return time === time ? time : undefined;
}

function restriction(value: string, { attributes }: XmlElement): VideoRestriction | undefined {
  const relationship = trimSpace(attributes.get("relationship") ?? "").toLowerCase();
  if (relationship !== "allow" && relationship !== "deny") return undefined;
  return { relationship, values: value.split(/\s+/) };
}

/** `video:video` in an entry: what is absent or unreadable is left out. */
export const VIDEO: ElementSpec<VideoDraft> = {
  open(draft) {
    draft.video = {};
    delete draft.tags;
  },
  children: new Map<string, ElementSpec<VideoDraft>>([
    ["video:thumbnail_loc", text("thumbnailLoc")],
    ["video:title", text("title")],
    ["video:description", text("description")],
    ["video:content_loc", text("contentLoc")],
    ["video:player_loc", text("playerLoc")],
    ["video:duration", field("duration", number)],
    ["video:expiration_date", field("expirationDate", date)],
    ["video:rating", field("rating", number)],
    ["video:view_count", field("viewCount", number)],
    ["video:publication_date", field("publicationDate", date)],
    ["video:family_friendly", field("familyFriendly", yesNo)],
    ["video:restriction", { ...field("restriction", restriction), separator: " " }],
    ["video:platform", { ...field("platform", restriction), separator: " " }],
    ["video:requires_subscription", field("requiresSubscription", yesNo)],
    ["video:uploader", field("uploader", uploader)],
    ["video:live", field("live", yesNo)],
    // gathered in place: a copy for each tag would cost the square of their number
    ["video:tag", { value: (draft, value) => void (draft.tags ??= []).push(value) }],
  ]),
  close(draft) {
    const { video, tags } = draft;
    delete draft.video;
    if (video && tags) video.tags = tags;
    if (video) (draft.videos ??= []).push(new SitemapVideo(video));
  },
};

function uploader(name: string, { attributes }: XmlElement): Fields["uploader"] {
  const info = trimSpace(attributes.get("info") ?? "");
  return info === "" ? { name } : { name, info };
}
