/**
 * Extensions of urlset entries for the table of shapes: alternates, images, news and videos.
 *
 * @module
 */

import { FOREIGN_WORDS, LANGUAGES, phrase, SITE, timeOf, WORDS } from "./document_parts.ts";
import type { Random } from "../../tests/support/random.ts";
import { cdata, element, type MakeValue, pathOf, timestamp } from "./shape_entries.ts";

/** The namespaces of the extensions by their conventional prefixes. */
export const NAMESPACES: Readonly<Record<"image" | "news" | "video" | "xhtml", string>> = {
  image: "http://www.google.com/schemas/sitemap-image/1.1",
  news: "http://www.google.com/schemas/sitemap-news/0.9",
  video: "http://www.google.com/schemas/sitemap-video/1.1",
  xhtml: "http://www.w3.org/1999/xhtml",
};

/** The lines of an extension, indented as the fields of an entry. */
function block(name: string, ...lines: readonly string[]): string {
  return `<${name}>\n      ${lines.join("\n      ")}\n    </${name}>`;
}

function title(random: Random): string {
  return phrase(random, WORDS, " ");
}

// -------------------------------------------------------------------------------------- alternates

/** One `xhtml:link` of its language and its address. */
export type MakeLink = (hreflang: string, href: string) => string;

/** Five alternates. */
export function alternates(makeLink: MakeLink, ending = ".html"): MakeValue {
  return (random, number) =>
    LANGUAGES.slice(0, 5)
      .map((language) =>
        makeLink(language, `${SITE}/${language}${pathOf(random, number)}${ending}`)
      )
      .join("\n    ");
}

/** `rel`, `hreflang`, `href`, as most sites have it. */
export function usualLink(hreflang: string, href: string): string {
  return `<xhtml:link rel="alternate" hreflang="${hreflang}" href="${href}"/>`;
}

// ------------------------------------------------------------------------------------------ images

/** An image of its fields. */
function image(random: Random, number: number, ...fields: readonly string[]): string {
  return block(
    "image:image",
    element("image:loc", `${SITE}/images${pathOf(random, number)}.jpg`),
    ...fields,
  );
}

/** One image with a title made of `words`. */
export function titledImage(words: readonly string[], wrap: (text: string) => string): MakeValue {
  return (random, number) =>
    image(random, number, element("image:title", wrap(phrase(random, words, " "))));
}

/** Three images with titles. */
export function threeImages(random: Random, number: number): string {
  const one = titledImage(WORDS, (text) => text);
  return [one, one, one].map((make) => make(random, number)).join("\n    ");
}

/** An image with every field there is. */
export function fullImage(random: Random, number: number): string {
  return image(
    random,
    number,
    element("image:caption", `${title(random)}, ${title(random)}`),
    element("image:geo_location", "Limerick, Ireland"),
    element("image:title", title(random)),
    element("image:license", `${SITE}/licenses/${random.pick(WORDS)}.html`),
  );
}

/** An image with attributes, which mean nothing here. */
export function imageWithAttributes(random: Random, number: number): string {
  return titledImage(WORDS, (text) => text)(random, number)
    .replace("<image:image>", `<image:image id="i${number}">`)
    .replace("<image:loc>", '<image:loc type="image/jpeg">')
    .replace("<image:title>", '<image:title xml:lang="en">');
}

/** An image that declares the namespace of its prefix. */
export function declaringImage(random: Random, number: number): string {
  return titledImage(WORDS, (text) => text)(random, number)
    .replace("<image:image>", `<image:image xmlns:image="${NAMESPACES.image}">`);
}

// -------------------------------------------------------------------------------------------- news

function publication(random: Random): string {
  return `<news:publication>\n        <news:name>The Example Times</news:name>\n        ` +
    element("news:language", random.pick(LANGUAGES).slice(0, 2)) + "\n      </news:publication>";
}

/** A story with the fields that are required. */
export function news(random: Random): string {
  return block(
    "news:news",
    publication(random),
    element("news:publication_date", timestamp(random)),
    element("news:title", `${title(random)} &amp; ${title(random)}`),
  );
}

/** A story with every field there is. */
export function fullNews(random: Random): string {
  return block(
    "news:news",
    publication(random),
    element("news:access", random.pick(["Subscription", "Registration"])),
    element("news:genres", random.pick(["PressRelease, Blog", "Opinion", "UserGenerated,OpEd"])),
    element("news:publication_date", timestamp(random)),
    element("news:title", title(random)),
    element("news:keywords", phrase(random, WORDS, ", ")),
    element("news:stock_tickers", "NASDAQ:A, NASDAQ:B"),
  );
}

// ------------------------------------------------------------------------------------------ videos

/** The fields that most videos have. */
function commonVideoFields(random: Random, number: number): string[] {
  return [
    element("video:thumbnail_loc", `${SITE}/thumbs${pathOf(random, number)}.jpg`),
    element("video:title", title(random)),
    element("video:description", `${title(random)}. ${title(random)}.`),
    element("video:content_loc", `${SITE}/videos${pathOf(random, number)}.mp4`),
    element("video:duration", String(1 + random.below(9000))),
    element("video:publication_date", timestamp(random)),
  ];
}

/** A video with its common fields. */
export function video(random: Random, number: number): string {
  return block("video:video", ...commonVideoFields(random, number));
}

/** A video with every field there is, and some that are obsolete. */
export function fullVideo(random: Random, number: number): string {
  const yesNo = () => random.pick(["yes", "no"]);
  return block(
    "video:video",
    ...commonVideoFields(random, number),
    `<video:player_loc allow_embed="yes">${SITE}/player?video=${number}</video:player_loc>`,
    element("video:expiration_date", timeOf(random).toISOString().slice(0, 10)),
    element("video:rating", (random.below(51) / 10).toFixed(1)),
    element("video:view_count", String(random.below(1e6))),
    element("video:family_friendly", yesNo()),
    '<video:restriction relationship="allow">IE GB US CA</video:restriction>',
    `<video:platform relationship="${random.pick(["allow", "deny"])}">web tv</video:platform>`,
    '<video:price currency="EUR">1.99</video:price>',
    element("video:requires_subscription", yesNo()),
    `<video:uploader info="${SITE}/users/${random.pick(WORDS)}">${
      random.pick(WORDS)
    }</video:uploader>`,
    element("video:live", yesNo()),
    ...[0, 1, 2].map(() => element("video:tag", random.pick(WORDS))),
    element("video:category", random.pick(WORDS)),
    `<video:gallery_loc title="${random.pick(WORDS)}">${SITE}/gallery</video:gallery_loc>`,
  );
}

/** Titles that are not in ASCII, on an image and a video. */
export function nonAsciiTitles(random: Random, number: number): string {
  const foreign = () => phrase(random, FOREIGN_WORDS, " ");
  return titledImage(FOREIGN_WORDS, (text) => text)(random, number) + "\n    " +
    block(
      "video:video",
      element("video:title", foreign()),
      element("video:description", foreign()),
    );
}

/** A title with markup in a CDATA section. */
export function markedUpTitle(text: string): string {
  return cdata(`${text} & <b>more</b>`);
}
