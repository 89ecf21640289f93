/**
 * Entries of urlsets for the table of shapes: the standard fields, in the forms that sites write.
 *
 * @module
 */

import {
  address,
  CHANGE_FREQUENCIES,
  FOREIGN_WORDS,
  isoDateTime,
  mailDate,
  phrase,
  SECTIONS,
  SITE,
  timeOf,
  WORDS,
} from "./document_parts.ts";
import type { Random } from "../../tests/support/random.ts";

/** Makes one entry of a document; the number makes its address unique. */
export type MakeEntry = (random: Random, number: number) => string;

/** Makes one value of an entry. */
export type MakeValue = (random: Random, number: number) => string;

/** An element with text. */
export function element(name: string, value: string): string {
  return `<${name}>${value}</${name}>`;
}

/** Text as a CDATA section. */
export function cdata(text: string): string {
  return `<![CDATA[${text}]]>`;
}

/** A `url` with one field a line. */
export function record(...fields: readonly string[]): string {
  return `  <url>\n    ${fields.join("\n    ")}\n  </url>\n`;
}

// ------------------------------------------------------------------------------------------ values

/** `2024-05-06T07:08:09+00:00` */
export function timestamp(random: Random): string {
  return isoDateTime(timeOf(random));
}

function frequency(random: Random): string {
  return random.pick(CHANGE_FREQUENCIES);
}

function priority(random: Random): string {
  return (random.below(11) / 10).toFixed(1);
}

/** `https://www.example.com/…/river-stone-17` */
export function pathOf(random: Random, number: number, words: readonly string[] = WORDS): string {
  return `/${random.pick(SECTIONS)}/${phrase(random, words, "-")}-${number}`;
}

/** An address of the usual kind. */
export function plainAddress(random: Random, number: number): string {
  return address(random, number, WORDS);
}

/** An address with a query, its `&` as given. */
export function queryAddress(ampersand: string): MakeValue {
  return (random, number) =>
    `${SITE}${pathOf(random, number)}?page=${random.below(9)}${ampersand}sort=new`;
}

/** An address with a query of five parameters, its `&` as given. */
export function longQueryAddress(ampersand: string): MakeValue {
  return (random, number) =>
    [
      queryAddress(ampersand)(random, number),
      `color=${random.pick(WORDS)}`,
      `size=${random.below(50)}`,
      "view=list",
    ].join(ampersand);
}

/** An address with four references of three kinds. */
export function addressWithReferences(random: Random, number: number): string {
  return `${SITE}${pathOf(random, number)}?q=${random.pick(WORDS)}&apos;s&amp;page=${
    random.below(9)
  }&#38;sort=new&#x26;view=list`;
}

/** An address of more than 300 bytes. */
export function longAddress(random: Random, number: number): string {
  let path = pathOf(random, number);
  while (path.length < 300) path += "/" + phrase(random, WORDS, "-");
  return SITE + path;
}

/** An address in Cyrillic, Greek and Japanese, as browsers escape it. */
export function escapedAddress(random: Random, number: number): string {
  return SITE + encodeURI(pathOf(random, number, FOREIGN_WORDS));
}

/** The same, not escaped. */
export function nonAsciiAddress(random: Random, number: number): string {
  return SITE + pathOf(random, number, FOREIGN_WORDS);
}

/** An address on one of some hosts, in turn. */
export function addressOn(hosts: readonly string[]): MakeValue {
  return (random, number) => `https://${hosts[number % hosts.length]}${pathOf(random, number)}`;
}

/** Two hosts, in turn. */
export const TWO_HOSTS: readonly string[] = ["www.example.com", "shop.example.com"];

/** A hundred hosts. */
export const HUNDRED_HOSTS: readonly string[] = Array.from(
  { length: 100 },
  (_, at) => `${WORDS[at % WORDS.length]}${at}.example.com`,
);

/** Hosts that are not in ASCII. */
export const IDN_HOSTS: readonly string[] = ["bücher.example", "пример.example", "例え.example"];

/** An address on a host of its own. */
export function ownHostAddress(random: Random, number: number): string {
  return `https://site-${number}.example.com${pathOf(random, number)}`;
}

/** A point in time with a zone, with and without seconds and fractions. */
export function zonedTimestamp(random: Random): string {
  const time = timeOf(random).toISOString().slice(0, 19);
  switch (random.below(5)) {
    case 0:
      return `${time}+02:00`;
    case 1:
      return `${time}.${100 + random.below(900)}Z`;
    case 2:
      return `${time}.${100_000 + random.below(900_000)}-07:00`;
    case 3:
      return `${time.slice(0, 16)}+05:30`;
    default:
      return `${time}Z`;
  }
}

/** A date that is valid, though no sitemap should write it so. */
export function oddDate(random: Random): string {
  const time = timeOf(random);
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth() + 1, time.getUTCDate()];
  const mail = mailDate(time);
  switch (random.below(8)) {
    case 0:
      return `${year}-${month}-${day}`;
    case 1:
      return `${year}/${String(month).padStart(2, "0")}/${String(day).padStart(2, "0")}`;
    case 2:
      return `${year}/${month}/${day} ${time.getUTCHours()}:${mail.slice(20, 22)}`;
    case 3:
      return mail;
    case 4:
      return mail.replace("GMT", "+0200");
    case 5:
      return mail.slice(5, 16);
    case 6:
      return `${mail.slice(8, 11)} ${day}, ${year}`;
    default:
      return time.toISOString().slice(0, 19).replace("T", " ");
  }
}

const ODD_PRIORITIES = ["0.75", "1", ".5", "0", "1.", "0.64", "1.00", "5e-1", "+0.3"];

// ----------------------------------------------------------------------------------------- entries

/** The four standard fields around an address. */
function fieldsOf(random: Random, loc: string): string[] {
  return [
    element("loc", loc),
    element("lastmod", timestamp(random)),
    element("changefreq", frequency(random)),
    element("priority", priority(random)),
  ];
}

/** An entry with the four standard fields and more behind them. */
export function entryWith(makeAddress: MakeValue, ...extensions: readonly MakeValue[]): MakeEntry {
  return (random, number) =>
    record(
      ...fieldsOf(random, makeAddress(random, number)),
      ...extensions.map((make) => make(random, number)),
    );
}

/** An entry with the four standard fields. */
export const plainEntry: MakeEntry = entryWith(plainAddress);

/** The plain entry, changed. */
export function plainWith(change: (entry: string, number: number) => string): MakeEntry {
  return (random, number) => change(plainEntry(random, number), number);
}

/** An entry with more in front of its second field. */
export function plainAround(make: MakeValue): MakeEntry {
  return (random, number) =>
    plainEntry(random, number).replace(
      "    <lastmod>",
      `    ${make(random, number)}\n    <lastmod>`,
    );
}

/** An entry without optional fields. */
export function bareEntry(random: Random, number: number): string {
  return record(element("loc", plainAddress(random, number)));
}

/** An entry in which each optional field is present or not. */
export function sparseEntry(random: Random, number: number): string {
  const [loc, ...optional] = fieldsOf(random, plainAddress(random, number));
  return record(loc!, ...optional.filter(() => random.below(2) === 0));
}

/** An entry with its fields in any order. */
export function shuffledEntry(random: Random, number: number): string {
  const fields = fieldsOf(random, plainAddress(random, number));
  for (let at = fields.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [fields[at], fields[other]] = [fields[other]!, fields[at]!];
  }
  return record(...fields);
}

/** An entry with every value in a CDATA section. */
export function cdataEntry(random: Random, number: number): string {
  return record(
    element("loc", cdata(queryAddress("&")(random, number))),
    element("lastmod", cdata(timestamp(random))),
    element("changefreq", cdata(frequency(random))),
    element("priority", cdata(priority(random))),
  );
}

/** An entry with white space around every value. */
export function padded(makeEntry: MakeEntry): MakeEntry {
  return (random, number) =>
    makeEntry(random, number).replaceAll(
      /<(\w+)>((?:[^<\s]|<!\[)(?:[^<]|<!\[)*)<\/\1>/g,
      "<$1>\n      $2\n    </$1>",
    );
}

/** An entry whose `lastmod` is made by a function. */
export function datedEntry(makeDate: MakeValue): MakeEntry {
  return (random, number) => {
    const [loc, , ...others] = fieldsOf(random, plainAddress(random, number));
    return record(loc!, element("lastmod", makeDate(random, number)), ...others);
  };
}

/** An entry with a priority in one of many forms. */
export function oddPriorityEntry(random: Random, number: number): string {
  const fields = fieldsOf(random, plainAddress(random, number)).slice(0, -1);
  return record(...fields, element("priority", random.pick(ODD_PRIORITIES)));
}
