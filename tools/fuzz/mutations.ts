/**
 * Mutations of bytes, as transmission, editors and programs cause them.
 *
 * @module
 */

import fc from "fast-check";

/** A change to some bytes: all before `at` stays as it is. */
export interface Mutation {
  /** Position as a fraction of the length. */
  readonly at: number;
  /** Number of bytes to remove. */
  readonly remove: number;
  /** Bytes to insert. */
  readonly insert: Uint8Array;
}

const PLAIN = Array.from(
  { length: 25 },
  (_, at) => `<url><loc>https://a.test/more/${at}</loc><priority>0.5</priority></url>\n`,
).join("");

/** Bytes with a meaning for a parser. */
const TOKENS: readonly string[] = [
  ...["<", ">", "&", '"', "'", "/", "=", "\0", "\x0b", "\r", "\n", "\r\n", " ", "\u2028", "\u0085"],
  ...[
    "</",
    "/>",
    "<!",
    "<?",
    "?>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE x>",
    "<!DOCTYPE x [",
  ],
  ...["</ loc>", "< /url>", "<!CDATA[", "<! [CDATA[", "<br>", "</ ", "< "],
  ...["<url>", "</url>", "<loc>", "</loc>", "</urlset>", "<urlset>", "<sitemap>", "</item>"],
  ...["&amp;", "&#", "&#x", "&#65;", "&am", "&eacute;", "&unknown;", "&#1;", "&#xD800;"],
  ...["<url><loc>https://a.test/new</loc></url>", "https://a.test/line\n", "Sitemap: /new.xml\n"],
  ...["<a ", ' b="c"', " xmlns='x'", "<x:y>", "é", "日", "😀", "\ufeff", "\ufffd"],
  ...[
    "<url ",
    "</url ",
    "<a".repeat(20),
    "<x>".repeat(10),
    "<x\0/>".repeat(10),
    "&".repeat(70),
    `<${"n".repeat(1100)}>`,
  ],
  ...[`<x ${"y".repeat(600)} <url>`, "a".repeat(1200), PLAIN],
];

const ENCODER = new TextEncoder();

const insertion: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TOKENS).map((token) => ENCODER.encode(token)) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 4 }) },
  { weight: 2, arbitrary: fc.constant(new Uint8Array(0)) },
);

/** A few changes to some bytes. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    // without bias: a change to the first bytes changes the format
    at: fc.noBias(fc.nat(100_000)).map((part) => part / 100_000),
    remove: fc.oneof(
      { weight: 5, arbitrary: fc.nat(3) },
      { weight: 2, arbitrary: fc.nat(200) },
      { weight: 1, arbitrary: fc.constant(Infinity) },
    ),
    insert: insertion,
  }),
  { maxLength: 4 },
);

/** Result of mutations. */
export interface Mutated {
  /** The changed bytes. */
  readonly bytes: Uint8Array;
  /** Number of unchanged bytes at the start. */
  readonly intact: number;
}

/** Applies mutations in order. */
export function mutated(bytes: Uint8Array, changes: readonly Mutation[]): Mutated {
  let current = bytes;
  let intact = bytes.length;
  for (const { at, remove, insert } of changes) {
    const start = Math.floor(at * current.length);
    const behind = current.subarray(Math.min(current.length, start + remove));
    const next = new Uint8Array(start + insert.length + behind.length);
    next.set(current.subarray(0, start));
    next.set(insert, start);
    next.set(behind, start + insert.length);
    current = next;
    intact = Math.min(intact, start);
  }
  return { bytes: current, intact };
}
