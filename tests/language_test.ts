import { assertEquals } from "@std/assert";
import { textFiles } from "./support/text_files.ts";

/** Space between two words, or the end of a line with the comment mark of the next one. */
const GAP = String.raw`(?:[^\S\n]|\n\s*(?:\*|//|#)?\s?)+`;

/** Phrases that read as translated; see "Language" in docs/CONTRIBUTING.md. */
const PHRASES = [
  "told",
  "tells of",
  "nobody",
  "somebody",
  "whoever",
  "stands(?! for\\b)",
  "is no(?! (?:longer|more|less|fewer|better|worse|different)\\b)(?= [a-z])",
  "of one's own",
];
const PHRASE_REGEXP = new RegExp(
  `(?<![\\w-])(?:${PHRASES.join("|").replaceAll(" ", GAP)})(?![\\w-])`,
  "gi",
);

/** Returns the banned phrases of a text, each with its line number. */
function bannedPhrases(text: string): string[] {
  return [...text.matchAll(PHRASE_REGEXP)].map(({ 0: phrase, index }) =>
    `${text.slice(0, index).split("\n").length}: ${phrase.replace(/[\s*/#]+/g, " ")}`
  );
}

Deno.test("code, tests and docs use plain words", () => {
  const found = textFiles().flatMap(({ path, text }) =>
    path === "tests/language_test.ts"
      ? []
      : bannedPhrases(text).map((phrase) => `${path}:${phrase}`)
  );
  assertEquals(found, []);
});

Deno.test("bannedPhrases() finds each phrase as a whole word, with its line", () => {
  assertEquals(
    bannedPhrases(
      "It told\nus. Nobody, SOMEBODY: tells of\nwhoever stands\nis no URL, of one's own",
    ),
    [
      "1: told",
      "2: Nobody",
      "2: SOMEBODY",
      "2: tells of",
      "3: whoever",
      "3: stands",
      "4: is no",
      "4: of one's own",
    ],
  );
  assertEquals(bannedPhrases("/*\n * it tells\n * of it, and is\n   // no URL"), [
    "2: tells of",
    "3: is no",
  ]);
  const allowed = "untold, stands for, is no longer, is not, understands, this no";
  assertEquals(bannedPhrases(allowed), []);
});
