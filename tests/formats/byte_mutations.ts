/** Mutations of documents: a few bytes replaced, inserted, removed or repeated. @module */

import { concatenated } from "../bytes/read_all.ts";
import fc from "../support/fast_check.ts";

export interface Mutation {
  readonly kind: "flip" | "set" | "delete" | "insert" | "repeat" | "truncate";
  /** Where, as a fraction of the length. */
  readonly place: number;
  /** Which bit or byte. */
  readonly byte: number;
  readonly length: number;
  /** What is put in. */
  readonly token: string;
}

const TOKENS = [
  ..."<url> </url> <url <loc> </loc> <urlset> </urlset> < > & &amp; &# ; \" ' = / ]]>".split(" "),
  ..."<!-- --> <![CDATA[ ]]> <? ?> <lastmod> </lastmod> <priority> </priority> <image:image>".split(
    " ",
  ),
  ...'</image:image> </image:loc> <xhtml:link </news:news> <url/> xmlns="" é 😀 \ufffd'.split(" "),
  ..."</ loc>|< /loc>|< / url >|<!CDATA[|<! [CDATA[|< |</ |<br>|</br>|<b>".split("|"),
  ...["\0", "\r", "\n", "\r\n", "\t", "\xa0", "\x85", "\ufeff", "\x1b", "\x0b", " "],
  "<url><loc>https://site.test/new</loc></url>",
  "<loc>https://site.test/newer</loc>",
  "x".repeat(1500),
];

export const MUTATION: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("flip" as const, "set" as const) },
    { weight: 3, arbitrary: fc.constantFrom("delete" as const, "repeat" as const) },
    { weight: 6, arbitrary: fc.constant("insert" as const) },
    { weight: 1, arbitrary: fc.constant("truncate" as const) },
  ),
  place: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  byte: fc.nat(255),
  length: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 8 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 400 }) },
  ),
  token: fc.constantFrom(...TOKENS),
});

export function mutated(bytes: Uint8Array, mutations: readonly Mutation[]): Uint8Array {
  return mutations.reduce(damaged, bytes);
}

function damaged(bytes: Uint8Array, { kind, place, byte, length, token }: Mutation): Uint8Array {
  const at = Math.floor(place * bytes.length);
  const before = bytes.subarray(0, at);
  const behind = bytes.subarray(at);
  switch (kind) {
    case "flip":
      return concatenated(
        before,
        Uint8Array.of((bytes[at] ?? 0) ^ (1 << (byte & 7))),
        behind.subarray(1),
      );
    case "set":
      return concatenated(before, Uint8Array.of(byte), behind.subarray(1));
    case "delete":
      return concatenated(before, behind.subarray(length));
    case "insert":
      return concatenated(before, new TextEncoder().encode(token), behind);
    case "repeat":
      return concatenated(before, behind.subarray(0, length), behind);
    case "truncate":
      return before;
  }
}
