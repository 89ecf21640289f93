import { assertEquals } from "@std/assert";
import { decodeHTML } from "entities";
import { diffMarkdown } from "../../src/sync/diff_markdown.ts";
import { codeSpan, inertText } from "../../src/write/markdown.ts";

/** What GitHub makes of a text: links when it is parsed, the rest of it where it shows HTML. */
const LIVE: readonly RegExp[] = [
  /[a-z]+:\/\//i,
  /www\.[^\s]/i,
  /[\w.+-]@[\w-]/,
  /(?:mailto|xmpp):\S/i,
  /@\w/,
  /#\d/,
  /\b[a-z]+-\d/i,
  /\b[\da-f]{7,40}\b/i,
  /:[\w+-]+:/,
  /\$.*\$/,
];

/** Texts that GitHub makes something of. */
const TEXTS: readonly string[] = [
  ...["https://evil.example/", "HTTP://evil.example", "ftp://evil.example", "a://b://c"],
  ...["www.evil.example", "(WWW.evil.example)", "awww.evil.example", "www.www.www."],
  ...["call-us@evil.example", "a@b@c.example", "a.b+c@evil.example.", "a\\@evil.example"],
  ...["mailto:a@evil.example", "xmpp:a@evil.example/x", "a&#64;evil.example", "a&commat;b.example"],
  ...["@octocat", "@octo/team", "x @octocat", "@@octocat", "-@octocat-"],
  ...["#1", "octo/cat#1", "GH-1", "gh-12", "TICKET-123", "octo/cat@0a1b2c3d"],
  ...["0a1b2c3", "0123456789abcdef0123456789ABCDEF01234567", "1234567", "x 0a1b2c3d4 x"],
  ...[":tada:", ":+1:", ":100:", "a:b:c", "$x$", "$$x$$"],
];

/** Returns the texts of a cell without those of code spans, each without any tag in it. */
function textsOf(markdown: string): string[] {
  return markdown.replace(/`[^`|\\]+`/g, "<code></code>").split(/<[^<>]*>/).map(decodeHTML);
}

/** Returns what is live in a cell. */
function liveIn(markdown: string): string[] {
  return textsOf(markdown).filter((text) => LIVE.some((regexp) => regexp.test(text)));
}

for (const text of TEXTS) {
  Deno.test(`${JSON.stringify(text)} is inert in Markdown, and shown as it is`, () => {
    assertEquals(liveIn(text), [decodeHTML(text)]);
    // a code span in which nothing is live, and one that is HTML
    for (const given of [text, `${text}|`, `\`${text}`, ` ${text} ${text} `]) {
      for (const written of [inertText(given), codeSpan(given)]) {
        assertEquals(liveIn(written), [], written);
        assertEquals(/[|*_~[\]@!$\\]/.test(written.replace(/^`[^`]+`$/, "")), false, written);
      }
      assertEquals(textsOf(inertText(given)).join(""), given);
    }
  });
}

Deno.test("the Markdown of a comparison is inert", () => {
  for (const text of TEXTS) {
    const verdicts = { verdictA: "partial", verdictB: "complete" } as const;
    const counts = { added: 1, changed: 1, removed: 0, unchanged: 0 };
    const { write, end } = diffMarkdown(() => ({
      a: text,
      b: `\`${text}`,
      ...verdicts,
      ...counts,
    }));
    const names = { sitemap: `${text}|`, site: text };
    const page = { url: `|${text}`, lastModified: text };
    write({ type: "incomplete", side: "a", site: text, verdict: "partial" });
    write({ type: "added", page, ...names });
    write({
      type: "changed",
      page,
      previous: { url: page.url },
      fields: ["lastModified"],
      ...names,
    });
    assertEquals(liveIn(end!()), [], text);
  }
});
