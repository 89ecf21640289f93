/**
 * Words, addresses and dates that generated documents are made of.
 *
 * @module
 */

import type { Random } from "../../tests/support/random.ts";

/** Origin of the URLs in documents. */
export const SITE = "https://www.example.com";
/** First line of documents. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
/** Namespace declaration of sitemaps. */
export const SITEMAP_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** First parts of paths. */
export const SECTIONS: readonly string[] = [
  "shop",
  "news",
  "recipes",
  "guides",
  "travel",
  "garden",
  "music",
  "archive",
];
/** Words for addresses and titles. */
export const WORDS: readonly string[] = [
  ..."river stone bridge winter lamp copper kettle bread market harbour signal".split(" "),
  ..."oak paper window silver morning valley engine cotton ladder mirror basket".split(" "),
  ..."summer anchor velvet hammer garden candle saddle barrel meadow thunder".split(" "),
];
/** Words outside ASCII. */
export const FOREIGN_WORDS: readonly string[] = [
  ..."река камень мост зима лампа хлеб рынок гавань".split(" "),
  ..."ποτάμι πέτρα γέφυρα χειμώνας ψωμί αγορά".split(" "),
  ..."川 石 橋 冬 パン 市場 港 朝".split(" "),
  ..."über straße brücke frühling café crème niño façade".split(" "),
];
/** Values of `changefreq`. */
export const CHANGE_FREQUENCIES: readonly string[] = [
  "hourly",
  "daily",
  "weekly",
  "monthly",
  "yearly",
  "never",
];
/** Values of `hreflang`. */
export const LANGUAGES: readonly string[] = ["en", "de", "fr", "es", "ja", "pt-BR"];
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** 2012 to 2024, in milliseconds since 1970. */
const FIRST_TIME = Date.UTC(2012, 0, 1);
const SECONDS_OF_TIMES = 12 * 365 * 86400;

/** An instant from 2012 to 2023, to the second. */
export function timeOf(random: Random): Date {
  return new Date(FIRST_TIME + random.below(SECONDS_OF_TIMES) * 1000);
}

/** `2024-05-06T07:08:09+00:00` */
export function isoDateTime(time: Date): string {
  return time.toISOString().slice(0, 19) + "+00:00";
}

/** `Mon, 06 May 2024 07:08:09 GMT` */
export function mailDate(time: Date): string {
  const day = String(time.getUTCDate()).padStart(2, "0");
  return `${WEEKDAYS[time.getUTCDay()]}, ${day} ${MONTHS[time.getUTCMonth()]} ` +
    `${time.getUTCFullYear()} ${time.toISOString().slice(11, 19)} GMT`;
}

/** Three to six words. */
export function phrase(random: Random, words: readonly string[], glue: string): string {
  let text = random.pick(words);
  for (let more = 2 + random.below(4); more > 0; more--) text += glue + random.pick(words);
  return text;
}

/** An address as XML, different for each number; one of fifty has a query with an escaped `&`. */
export function address(random: Random, number: number, words: readonly string[]): string {
  const path = `${SITE}/${random.pick(SECTIONS)}/${phrase(random, words, "-")}-${number}`;
  return random.below(50) === 0 ? `${path}?page=${random.below(9)}&amp;sort=new` : `${path}.html`;
}
