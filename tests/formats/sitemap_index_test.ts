import { assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "../../src/data/limits.ts";
import { assertReadsAlike, documentBytes } from "./reading.ts";
import { type Rules, testRules } from "./rules.ts";

function wrapped(entries: string): string {
  return `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</sitemapindex>`;
}

const [A, B] = ["https://site.test/a.xml", "https://site.test/b.xml"];

const RULES: Rules = {
  "each loc of an entry is a child": [`<sitemap><loc>${A}</loc><loc>${B}</loc></sitemap>`, [A, B]],
  "an unusable loc of an entry does not affect the others": [
    `<sitemap><loc>${A}</loc><loc>mailto:x</loc><loc/><loc>${B}</loc></sitemap>`,
    { urls: [A, B], warnings: ["bad-address"] },
  ],
  "the text of an entry is its address if it has no loc": [
    `<sitemap>\n ${A}\n</sitemap>`,
    { urls: [A], warnings: ["misplaced-element"] },
  ],
  "the text of an entry may be CDATA or in pieces": [
    `<sitemap><![CDATA[${A}]]><!-- -->&#63;</sitemap>`,
    { urls: [`${A}?`], warnings: ["misplaced-element"] },
  ],
  "text beside a loc is ignored": [`<sitemap>${B}<loc>${A}</loc></sitemap>`, [A]],
  "text that is not an absolute URL is not an address": [
    "<sitemap>/a.xml</sitemap>",
    { urls: [], warnings: ["no-address"] },
  ],
  "text of one entry does not count for the next": [
    `<sitemap>x</sitemap><sitemap>${A}</sitemap>`,
    { urls: [A], warnings: ["no-address", "misplaced-element"] },
  ],
  "addresses are repaired": [
    "<sitemap><loc>www.site.test/a</loc><loc>https:/site.test/b.xml</loc></sitemap>",
    {
      urls: ["https://www.site.test/a", B],
      warnings: ["address-repaired", "address-repaired"],
    },
  ],
  "an entry is recognised in an unexpected position": [
    `<x><sitemap><loc>${A}</loc></sitemap></x>`,
    { urls: [A], warnings: ["misplaced-element", "misplaced-element"] },
  ],
  "xml:base is ignored": [
    '<sitemap xml:base="https://other.test/"><loc>b</loc></sitemap>',
    { urls: ["https://site.test/dir/b"], warnings: ["relative-address"] },
  ],
  "a foreign loc is never an address": [
    `<sitemap><x:loc xmlns:x="urn:x">${A}</x:loc></sitemap>`,
    { urls: [], warnings: ["no-address"] },
  ],
};

testRules("sitemapindex", RULES, wrapped);

testRules("sitemapindex", {});

Deno.test("sitemapindex: children that are dropped are counted", () => {
  const limits = { ...DEFAULT_LIMITS, maxValueLength: 60 };
  const long = `<sitemap><loc>https://site.test/${"x".repeat(60)}</loc></sitemap>`;
  const { children, dropped } = assertReadsAlike(
    documentBytes(
      wrapped(`<sitemap><loc>ftp://x/</loc><loc>${A}</loc></sitemap><sitemap/>${long}`)
        .replace(/ xmlns="[^"]*"/, ""),
    ),
    [],
    { limits },
  );
  assertEquals([children, dropped], [[A], 3]);
});
