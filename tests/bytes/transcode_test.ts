import { assertEquals, assertStrictEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { Transcoder } from "../../src/bytes/transcode.ts";
import { chunked } from "../support/chunked.ts";
import { bytesOf, concatenated } from "./read_all.ts";
import { utf16 } from "./utf16.ts";

const SIZES = [1, 2, 3, 5, 7, Infinity];

interface Transcoding {
  readonly text: string;
  readonly warnings: string[];
}

/** Transcodes bytes in chunks whose memory is used again. */
function transcoded(
  bytes: Uint8Array,
  label: string,
  size: number,
  unconfirmedCharset?: string,
): Transcoding {
  const warnings: string[] = [];
  const warn = (code: string, message: string) => void warnings.push(`${code}: ${message}`);
  const transcoder = new Transcoder(label, warn, unconfirmedCharset);
  const pieces: Uint8Array[] = [];
  for (const chunk of chunked(bytes, size)) {
    // an odd offset, so that no chunk is aligned by chance
    const memory = concatenated([0xff], chunk);
    pieces.push(transcoder.transcode(memory.subarray(1)).slice());
    memory.fill(0xff);
    pieces.push(transcoder.transcode(memory.subarray(1, 1)).slice());
  }
  pieces.push(transcoder.end());
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return { text: decoder.decode(concatenated(...pieces)), warnings };
}

Deno.test("Transcoder converts characters that are split between chunks", () => {
  const text = "a é 日 😀 ".repeat(30);
  const samples: [Uint8Array, string, string][] = [
    [utf16(text, true), "utf-16le", text],
    [utf16(text, false), "utf-16be", text],
    [new Uint8Array([0x93, 0xfa, 0x96, 0x7b, 0x61, 0x83, 0x41]), "shift_jis", "日本aア"],
    [new Uint8Array([0x80, 0x2d, 0x93, 0x78, 0x94]), "windows-1252", "€-“x”"],
    [new Uint8Array([0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42, 0x61]), "iso-2022-jp", "日a"],
    [new Uint8Array([0x61, 0x81, 0x30, 0x81, 0x30, 0x61]), "gb18030", "a\u0080a"],
    [new Uint8Array([0xcf, 0xf0, 0x31]), "windows-1251", "Пр1"],
    [new Uint8Array(0), "koi8-r", ""],
  ];
  for (const [bytes, label, expected] of samples) {
    for (const size of SIZES) {
      assertEquals(transcoded(bytes, label, size), { text: expected, warnings: [] }, label);
    }
  }
});

Deno.test("Transcoder returns whole characters only", () => {
  const transcoder = new Transcoder("utf-16le", () => {});
  const pieces = chunked(utf16("é😀", true), 1).map((byte) =>
    new TextDecoder("utf-8", { fatal: true }).decode(transcoder.transcode(byte))
  );
  assertEquals(pieces, ["", "é", "", "", "", "😀"]);
});

Deno.test("Transcoder replaces invalid sequences and reports each", () => {
  const samples: [number[], string, string, number][] = [
    [[0x3c, 0x00, 0x61], "utf-16le", "<\uFFFD", 1],
    [[0x00, 0xd8, 0x61, 0x00], "utf-16le", "\uFFFDa", 1],
    [[0x61, 0xff, 0x62, 0x83], "shift_jis", "a\uFFFDb\uFFFD", 2],
    [[0x81, 0x61, 0x81], "windows-1253", "\u0081a\u0081", 0],
    [[0xaa, 0x61, 0xaa, 0xaa], "windows-1253", "\uFFFDa\uFFFD\uFFFD", 3],
  ];
  for (const [bytes, label, text, count] of samples) {
    const warning = `encoding-replaced: Invalid ${label} bytes replaced with U+FFFD`;
    for (const size of SIZES) {
      const expected = { text, warnings: Array(count).fill(warning) };
      assertEquals(transcoded(new Uint8Array(bytes), label, size), expected);
    }
  }
});

Deno.test("Transcoder reports at most 1,000 replacements", () => {
  const bytes = new Uint8Array(5000).fill(0xaa);
  for (const size of SIZES) {
    const { text, warnings } = transcoded(bytes, "windows-1253", size);
    assertEquals([text.length, warnings.length], [5000, 1000]);
  }
});

Deno.test("Transcoder keeps a byte order mark as text", () => {
  for (const size of SIZES) {
    const { text } = transcoded(concatenated(utf16("a\uFEFFb", true)), "utf-16le", size);
    assertEquals(text, "a\uFEFFb");
  }
});

const LATIN1 = "windows-1252";
const MISMATCH = ['encoding-mismatch: Content is not in its encoding "us-ascii"'];

/** Asserts what becomes of bytes that Content-Type calls us-ascii, wherever they are split. */
function assertUnconfirmed(bytes: Uint8Array, expected: Transcoding): void {
  for (const lead of ["", "<a>", "x".repeat(2000)]) {
    for (const size of [...SIZES, 64, 1999]) {
      const whole = concatenated(bytesOf(lead), bytes);
      assertEquals(
        transcoded(whole, LATIN1, size, "us-ascii"),
        { ...expected, text: lead + expected.text },
        `${[...bytes]} in chunks of ${size}`,
      );
    }
  }
}

Deno.test("Transcoder returns bytes as they are if the first non-ASCII ones are valid UTF-8", () => {
  for (
    const text of ["é", "漢", "😀", "\uFEFF", "\u0080", "\u07ff", "\uffff", "\u{10ffff}", "xéy€"]
  ) {
    assertUnconfirmed(bytesOf(text), { text, warnings: MISMATCH });
  }
  // later bytes change nothing; the reader of UTF-8 reports them
  const mixed = concatenated(bytesOf("é "), [0xe9, 0x20]);
  assertUnconfirmed(mixed, { text: "é \uFFFD ", warnings: MISMATCH });
});

Deno.test("Transcoder converts windows-1252 if the first non-ASCII bytes are not valid UTF-8", () => {
  const samples: [number[], string][] = [
    [[0xe9], "é"],
    [[0xe9, 0x20], "é "],
    [[0xe9, 0x61, 0x61, 0x61, 0x61], "éaaaa"],
    [[0xe9, 0x74, 0xe9], "été"],
    // the first byte of a character, without the others
    [[0xc3], "Ã"],
    [[0xc3, 0x20], "Ã "],
    [[0xe2, 0x82], "â‚"],
    [[0xe2, 0x82, 0x20], "â‚ "],
    [[0xf0, 0x9f, 0x98], "ðŸ˜"],
    [[0xf0, 0x9f, 0x98, 0xe9], "ðŸ˜é"],
    // no first byte of a character
    [[0x80], "€"],
    [[0xa9, 0x20], "© "],
    [[0xff], "ÿ"],
    // overlong, a surrogate, beyond Unicode
    [[0xc0, 0x80], "À€"],
    [[0xe0, 0x80, 0x80], "à€€"],
    [[0xed, 0xa0, 0x80], "í\u00a0€"],
    [[0xf4, 0x90, 0x80, 0x80], "ô\u0090€€"],
    // UTF-8 that comes later changes nothing
    [[0xe9, 0x20, 0xc3, 0xa9], "é Ã©"],
  ];
  for (const [bytes, text] of samples) {
    assertUnconfirmed(new Uint8Array(bytes), { text, warnings: [] });
  }
});

Deno.test("Transcoder reports nothing of a document that is all ASCII", () => {
  assertUnconfirmed(bytesOf("plain"), { text: "plain", warnings: [] });
  assertUnconfirmed(bytesOf(""), { text: "", warnings: [] });
});

Deno.test("Transcoder copies no chunk of a mislabelled UTF-8 document", () => {
  const transcoder = new Transcoder(LATIN1, () => {}, "latin1");
  const chunks = [bytesOf("<urlset>"), bytesOf("é"), bytesOf("<url>"), new Uint8Array([0xc3])];
  for (const chunk of chunks) assertStrictEquals(transcoder.transcode(chunk), chunk);
  assertEquals(transcoder.end().length, 0);
});

Deno.test("Transcoder holds back no ASCII", () => {
  const transcoder = new Transcoder(LATIN1, () => {}, "latin1");
  const outputs = [[0x61, 0x62, 0xe6], [0xbc], [0xa2, 0x63]]
    .map((bytes) => [...transcoder.transcode(new Uint8Array(bytes))]);
  assertEquals(outputs, [[0x61, 0x62], [], [0xe6, 0xbc, 0xa2, 0x63]]);
});

Deno.test("Transcoder decides by the first character as TextDecoder does", () => {
  const byte = fc.constantFrom(
    ...[0x61, 0x20, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xc3, 0xdf, 0xe0, 0xe1],
    ...[0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
  );
  const size = fc.integer({ min: 1, max: 5 });
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 8 }), size, (sample, size) => {
      const bytes = new Uint8Array(sample);
      const first = bytes.findIndex((byte) => byte >= 0x80);
      const [character = ""] = new TextDecoder("utf-8").decode(bytes.subarray(Math.max(first, 0)));
      const isUtf8 = first >= 0 && character !== "\uFFFD";
      const label = isUtf8 ? "utf-8" : LATIN1;
      assertEquals(transcoded(bytes, LATIN1, size, "us-ascii"), {
        text: new TextDecoder(label).decode(bytes),
        warnings: isUtf8 ? MISMATCH : [],
      });
    }),
    { numRuns: 5000 },
  );
});
