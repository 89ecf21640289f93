/**
 * Entries of RSS and Atom feeds for the table of shapes.
 *
 * @module
 */

import { isoDateTime, mailDate, phrase, SITE, timeOf, WORDS } from "./document_parts.ts";
import type { Random } from "../../tests/support/random.ts";
import { cdata, element, pathOf, plainAddress, timestamp } from "./shape_entries.ts";

function lines(name: string, ...fields: readonly string[]): string {
  return `  <${name}>\n    ${fields.join("\n    ")}\n  </${name}>\n`;
}

function words(random: Random): string {
  return phrase(random, WORDS, " ");
}

function html(random: Random): string {
  return `<p>${words(random)} &amp; ${words(random)}</p><img src="/${random.pick(WORDS)}.jpg"/>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The fields that every RSS item has. */
export function rssItem(random: Random, number: number): string {
  const link = plainAddress(random, number);
  return lines(
    "item",
    element("title", words(random)),
    element("link", link),
    `<guid isPermaLink="true">${link}</guid>`,
    element("pubDate", mailDate(timeOf(random))),
    element("description", words(random)),
  );
}

/** An item as WordPress writes it, with media. */
export function richRssItem(random: Random, number: number): string {
  const link = SITE + pathOf(random, number);
  return lines(
    "item",
    element("title", cdata(`${words(random)} &amp; ${random.pick(WORDS)}`)),
    element("link", link),
    element("comments", `${link}#comments`),
    element("dc:creator", cdata(random.pick(WORDS))),
    element("pubDate", mailDate(timeOf(random)).replace("GMT", "+0000")),
    element("category", cdata(random.pick(WORDS))),
    element("category", cdata(random.pick(WORDS))),
    `<guid isPermaLink="false">${SITE}/?p=${number}</guid>`,
    element("description", cdata(html(random))),
    element("content:encoded", cdata(html(random) + html(random) + html(random))),
    `<media:group><media:content url="${link}.mp4" type="video/mp4" medium="video">` +
      `<media:title type="plain">${words(random)}</media:title>` +
      `<media:thumbnail url="${link}.jpg"/></media:content></media:group>`,
    `<enclosure url="${link}.mp3" length="${number}" type="audio/mpeg"/>`,
  );
}

/** An item of RSS 1.0. */
export function rdfItem(random: Random, number: number): string {
  const link = plainAddress(random, number);
  return lines(
    "item",
    element("title", words(random)),
    element("link", link),
    element("description", words(random)),
    element("dc:date", isoDateTime(timeOf(random))),
    element("dc:creator", random.pick(WORDS)),
    element("dc:subject", random.pick(WORDS)),
  ).replace("<item>", `<item rdf:about="${link}">`);
}

/** The fields that every Atom entry has. */
export function atomEntry(random: Random, number: number): string {
  const link = plainAddress(random, number);
  return lines(
    "entry",
    element("title", words(random)),
    `<link rel="alternate" type="text/html" href="${link}"/>`,
    element("id", link),
    element("published", timestamp(random)),
    element("updated", timestamp(random)),
    element("summary", words(random)),
  );
}

/** An entry as Blogger writes it: several links, an author, content as XHTML. */
export function linkedAtomEntry(random: Random, number: number): string {
  const link = SITE + pathOf(random, number);
  return lines(
    "entry",
    element("id", `tag:example.com,2024:post-${number}`),
    element("published", timestamp(random)),
    element("updated", timestamp(random)),
    `<category scheme="${SITE}/ns#" term="${random.pick(WORDS)}"/>`,
    `<title type="text">${words(random)}</title>`,
    `<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><h1>${words(random)}</h1>` +
      `<p>${words(random)} <a href="${SITE}/">${words(random)}</a><br/>${words(random)}</p>` +
      "</div></content>",
    `<link rel="replies" type="application/atom+xml" href="${link}/comments" title="Comments"/>`,
    `<link rel="edit" href="${SITE}/feeds/${number}"/>`,
    `<link rel="self" type="application/atom+xml" href="${SITE}/feeds/${number}"/>`,
    `<link rel="alternate" type="text/html" href="${link}" title="${words(random)}"/>`,
    `<author><name>${random.pick(WORDS)}</name><uri>${SITE}/${random.pick(WORDS)}</uri></author>`,
  );
}

/** An entry with escaped HTML in its texts; one of ten has no title. */
export function htmlAtomEntry(random: Random, number: number): string {
  const title = random.below(10) === 0
    ? []
    : [`<title type="html">${escaped(`${words(random)} &amp; <b>${words(random)}</b>`)}</title>`];
  return lines(
    "entry",
    ...title,
    `<link href="${SITE}${pathOf(random, number)}"/>`,
    element("id", `urn:post:${number}`),
    element("updated", timestamp(random)),
    `<summary type="html">${escaped(html(random))}</summary>`,
    `<content type="html">${cdata(html(random) + html(random))}</content>`,
  );
}
