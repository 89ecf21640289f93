/**
 * Google Images: `image:image`.
 *
 * @module
 */

import type { SitemapImage } from "../../page.ts";
import type { ElementSpec } from "../record_format.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What the image extension gathers. */
export interface ImageDraft {
  /** The image that is being read. */
  image?: Mutable<Partial<SitemapImage>>;
  /** The images that were complete. */
  images?: SitemapImage[];
}

function field(name: keyof SitemapImage): ElementSpec<ImageDraft> {
  return { value: (draft, value) => draft.image && (draft.image[name] = value) };
}

/** `image:image` in an entry: without `loc` it is dropped. */
export const IMAGE: ElementSpec<ImageDraft> = {
  open: (draft) => void (draft.image = {}),
  children: new Map<string, ElementSpec<ImageDraft>>([
    ["image:loc", field("loc")],
    ["image:caption", field("caption")],
    ["image:geo_location", field("geoLocation")],
    ["image:title", field("title")],
    ["image:license", field("license")],
  ]),
  close(draft, warn) {
    const { image } = draft;
    delete draft.image;
    if (image?.loc === undefined) warn("bad-image", "Image without address left out");
    else (draft.images ??= []).push({ ...image, loc: image.loc });
  },
};
