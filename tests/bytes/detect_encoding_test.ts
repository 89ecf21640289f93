import { assertEquals } from "@std/assert";
import type { WarningCode } from "../../src/data/codes.ts";
import { deflateRawSync, deflateSync } from "node:zlib";
import { concat } from "../../src/bytes/byte_source.ts";
import {
  charsetOf,
  detectEncoding,
  isZlib,
  looksLikeText,
} from "../../src/bytes/detect_encoding.ts";
import { chunked } from "../support/chunked.ts";
import { bytesOf, concatenated, sitemapText } from "./read_all.ts";
import { utf16 } from "./utf16.ts";

const SIZES = [1, 7, Infinity];

interface Detection {
  readonly encoding: NonNullable<ReturnType<typeof detectEncoding>>;
  readonly warnings: string[];
  readonly seen: number;
}

/** Detects as a reader does: with more and more bytes until the encoding is known. */
function detected(bytes: Uint8Array, size: number, charset?: string): Detection {
  const warnings: string[] = [];
  const warn = (code: WarningCode, message: string) => void warnings.push(`${code}: ${message}`);
  const options = { ...(charset === undefined ? {} : { charset }), warn };
  let head: Uint8Array = new Uint8Array(0);
  for (const chunk of chunked(bytes, size)) {
    head = concat(head, chunk);
    const encoding = detectEncoding(head, { ...options, atEnd: false });
    if (encoding !== undefined) return { encoding, warnings, seen: head.length };
    assertEquals(warnings, [], "nothing is reported before the encoding is known");
  }
  const encoding = detectEncoding(head, { ...options, atEnd: true });
  if (encoding === undefined) throw new Error("Undecided at the end");
  return { encoding, warnings, seen: head.length };
}

interface Expected {
  readonly label: string;
  readonly bomLength?: number;
  readonly unconfirmedCharset?: string;
  readonly warnings?: string[];
}

function assertDetected(bytes: Uint8Array, charset: string | undefined, expected: Expected): void {
  for (const size of SIZES) {
    const { encoding, warnings } = detected(bytes, size, charset);
    const { warnings: expectedWarnings = [], ...rest } = expected;
    assertEquals(encoding, { bomLength: 0, ...rest }, new TextDecoder().decode(bytes));
    assertEquals(warnings, expectedWarnings);
  }
}

const XML = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url/></urlset>';

function declaring(encoding: string): Uint8Array {
  return bytesOf(`<?xml version="1.0" encoding="${encoding}"?>\n${XML}`);
}

const MARKS: [string, number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

function encoded(text: string, label: string): Uint8Array {
  return label === "utf-8" ? bytesOf(text) : utf16(text, label === "utf-16le");
}

Deno.test("detectEncoding() prefers the byte order mark to Content-Type and declaration", () => {
  for (const [label, mark] of MARKS) {
    const expected = { label, bomLength: mark.length };
    for (const text of [XML, "", "\n", `<?xml version="1.0" encoding="iso-8859-1"?>${XML}`]) {
      const bytes = concatenated(mark, encoded(text, label));
      assertDetected(bytes, undefined, expected);
      assertDetected(bytes, "iso-8859-1", expected);
    }
  }
});

Deno.test("detectEncoding() reads a second byte order mark as text", () => {
  const bytes = concatenated([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], declaring("latin1"));
  assertDetected(bytes, undefined, { label: "utf-8", bomLength: 3 });
});

Deno.test("detectEncoding() ignores a part of a byte order mark", () => {
  for (const part of [[0xef], [0xef, 0xbb], [0xff], [0xfe], [0xef, 0xbb, 0x3c]]) {
    assertDetected(new Uint8Array(part), undefined, { label: "utf-8" });
  }
});

Deno.test("detectEncoding() prefers the charset of Content-Type to the declaration", () => {
  assertDetected(declaring("iso-8859-1"), "utf-8", { label: "utf-8" });
  assertDetected(declaring("utf-8"), "Shift_JIS", { label: "shift_jis" });
  assertDetected(declaring("iso-8859-15"), " LATIN1 ", { label: "windows-1252" });
  assertDetected(bytesOf(""), "koi8-r", { label: "koi8-r" });
});

Deno.test("detectEncoding() reads the XML declaration", () => {
  const declarations = [
    '<?xml version="1.0" encoding="ISO-8859-1"?>',
    "<?xml version='1.0' encoding='iso-8859-1' standalone='yes'?>",
    '<?xml version="1.0"\n\tencoding = "latin1" ?>',
    "<?xml version=1.0 encoding=latin1?>",
    '<?xml encoding="cp1252"?>',
    '<?XML VERSION="1.0" ENCODING="Latin1"?>',
    '<?xml version="1.0" encoding="latin1">',
  ];
  for (const declaration of declarations) {
    assertDetected(bytesOf(declaration), undefined, { label: "windows-1252" });
    assertDetected(bytesOf(declaration + XML), undefined, { label: "windows-1252" });
    const space = " \r\n\t".repeat(200);
    assertDetected(bytesOf(`${space}${declaration}${XML}`), undefined, { label: "windows-1252" });
  }
  const cut = bytesOf('<?xml version="1.0" encoding="latin1');
  assertDetected(cut, undefined, { label: "windows-1252" });
});

Deno.test("detectEncoding() defaults to UTF-8", () => {
  const texts = [
    "",
    " ",
    "<",
    "<?xm",
    XML,
    '<?xml version="1.0"?>',
    '<?xml-stylesheet encoding="latin1"?>',
    '<?xmlencoding="latin1"?>',
    '<?xml version="1.0"?><a encoding="latin1"/>',
    '<a encoding="latin1"/>',
    'x <?xml version="1.0" encoding="latin1"?>',
    "http://site.test/é",
  ];
  for (const text of texts) assertDetected(bytesOf(text), undefined, { label: "utf-8" });
});

Deno.test("detectEncoding() ignores a declaration behind whitespace and a byte order mark", () => {
  const bytes = concatenated(bytesOf("\n"), [0xef, 0xbb, 0xbf], declaring("latin1"));
  assertDetected(bytes, undefined, { label: "utf-8" });
});

Deno.test("detectEncoding() skips 64 KiB of whitespace at most", () => {
  const bytes = new Uint8Array(200 * 1024).fill(0x20);
  for (const size of [1000, 4096]) {
    const { encoding, seen } = detected(bytes, size);
    assertEquals(encoding, { label: "utf-8", bomLength: 0 });
    assertEquals(seen < 64 * 1024 + size, true);
  }
  const late = bytesOf(`${" ".repeat(60_000)}<?xml version="1.0" encoding="latin1"?>`);
  assertEquals(detected(late, 1000).encoding.label, "windows-1252");
});

Deno.test("detectEncoding() reads 1,024 bytes of a declaration, with or without its end", () => {
  const filler = 'a="b" '.repeat(1000);
  const early = bytesOf(`\n\n<?xml version="1.0" encoding="latin1" ${filler}`);
  const late = bytesOf(`\n\n<?xml version="1.0" ${filler} encoding="latin1"?>`);
  for (const size of SIZES) {
    const { encoding, seen } = detected(early, size);
    assertEquals(encoding.label, "windows-1252");
    if (size === 1) assertEquals(seen, 1026);
    assertEquals(detected(late, size).encoding.label, "utf-8");
  }
});

Deno.test("detectEncoding() returns as soon as the declaration has ended", () => {
  const declaration = '<?xml version="1.0" encoding="latin1"?>';
  // a charset of latin1 needs the declaration to confirm it, another one does not
  for (const charset of [undefined, "latin1"]) {
    assertEquals(detected(bytesOf(declaration + XML), 1, charset).seen, declaration.length);
    assertEquals(detected(bytesOf(XML), 1, charset).seen, 16);
  }
  assertEquals(detected(bytesOf(declaration), 1, "utf-8").seen, 16);
  assertEquals(detected(bytesOf("http://site.test/page"), 1).seen, 16);
});

Deno.test("detectEncoding() ignores and reports unknown labels", () => {
  // the Encoding Standard knows the last two and refuses to decode them
  for (const label of ["utf-7", "klingon", "utf-32", "iso-2022-kr", "replacement"]) {
    const warning = `encoding-unknown: Unknown encoding "${label}"`;
    assertDetected(declaring(label), undefined, { label: "utf-8", warnings: [warning] });
    assertDetected(declaring("koi8-r"), label, { label: "koi8-r", warnings: [warning] });
    assertDetected(bytesOf(XML), label, { label: "utf-8", warnings: [warning] });
    assertDetected(declaring(label), label, { label: "utf-8", warnings: [warning, warning] });
  }
  const warnings = ['encoding-unknown: Unknown encoding ""'];
  assertDetected(declaring(""), undefined, { label: "utf-8", warnings });
});

Deno.test("detectEncoding() ignores a UTF-16 label if the text clearly has one byte per character", () => {
  for (const label of ["UTF-16", "utf-16le", "utf-16be", "ucs-2", "unicode"]) {
    const warning = `encoding-mismatch: Content is not in its encoding "${label}"`;
    assertDetected(declaring(label), undefined, { label: "utf-8", warnings: [warning] });
    assertDetected(declaring("latin1"), label, { label: "windows-1252", warnings: [warning] });
    for (const text of [XML, "User-agent: *\n", "<a/>", "\n".repeat(20)]) {
      assertDetected(bytesOf(text), label, { label: "utf-8", warnings: [warning] });
    }
  }
});

Deno.test("detectEncoding() ignores a UTF-16 mark before text with one byte per character", () => {
  for (const [label, mark] of MARKS.slice(1)) {
    const warnings = [`encoding-mismatch: Content is not in its encoding "${label}"`];
    const bytes = concatenated(mark, declaring("latin1"));
    assertDetected(bytes, undefined, { label: "windows-1252", bomLength: 2, warnings });
    assertDetected(bytes, "utf-8", { label: "utf-8", bomLength: 2, warnings });
  }
});

Deno.test("detectEncoding() accepts a UTF-16 label for UTF-16, however short", () => {
  for (const littleEndian of [true, false]) {
    const label = littleEndian ? "utf-16le" : "utf-16be";
    for (const text of ["<", "<é", "日本", XML]) {
      assertDetected(utf16(text, littleEndian), label, { label });
    }
  }
  assertDetected(bytesOf(""), "utf-16", { label: "utf-16le" });
});

Deno.test("detectEncoding() recognises UTF-16 without a mark by its zero bytes", () => {
  for (const littleEndian of [true, false]) {
    const label = littleEndian ? "utf-16le" : "utf-16be";
    const other = littleEndian ? "utf-16be" : "utf-16le";
    const declaration = '<?xml version="1.0" encoding="UTF-16"?>';
    for (const text of [XML, "\r\n " + XML, declaration + XML, "User-agent: *", "<a/>"]) {
      const bytes = utf16(text, littleEndian);
      assertDetected(bytes, undefined, { label });
      for (const charset of ["utf-8", "latin1", other]) {
        const warnings = [`encoding-mismatch: Content is not in its encoding "${charset}"`];
        assertDetected(bytes, charset, { label, warnings });
      }
      const warnings = ['encoding-unknown: Unknown encoding "utf-7"'];
      assertDetected(bytes, "utf-7", { label, warnings });
    }
  }
});

Deno.test("detectEncoding() does not mistake a stray zero byte for UTF-16", () => {
  for (const text of ["<\0urlset/>", "\0<urlset/>", "<\0?", "\0<\0", "<\0\0\0", "\0\0<\0"]) {
    assertDetected(bytesOf(text), undefined, { label: "utf-8" });
  }
});

/** Some of the labels that the Encoding Standard maps to windows-1252. */
const LATIN1_LABELS = ["iso-8859-1", "us-ascii", "windows-1252", "Latin1"];

Deno.test("detectEncoding() leaves a charset of latin1 unconfirmed if nothing else is declared", () => {
  for (const charset of LATIN1_LABELS) {
    const expected = { label: "windows-1252", unconfirmedCharset: charset };
    const documents = [
      declaring("UTF-8"),
      declaring("utf8"),
      // these are ignored, as they would be without a charset
      declaring("klingon"),
      declaring(""),
      declaring("utf-16"),
      bytesOf(XML),
      bytesOf(""),
      bytesOf("é"),
    ];
    for (const bytes of documents) assertDetected(bytes, charset, expected);
  }
});

Deno.test("detectEncoding() accepts a charset of latin1 if the document declares another encoding", () => {
  for (const charset of LATIN1_LABELS) {
    for (const declared of ["iso-8859-1", "us-ascii", "windows-1251", "Shift_JIS", "koi8-r"]) {
      assertDetected(declaring(declared), charset, { label: "windows-1252" });
    }
  }
});

Deno.test("detectEncoding() accepts every charset but latin1 without confirmation", () => {
  for (
    const charset of ["utf-8", "iso-8859-2", "iso-8859-15", "windows-1250", "gbk", "macintosh"]
  ) {
    for (const bytes of [declaring("utf-8"), bytesOf(XML)]) {
      const label = new TextDecoder(charset).encoding;
      assertDetected(bytes, charset, { label });
    }
  }
});

Deno.test("charsetOf() finds the charset among the parameters of a Content-Type", () => {
  const types: [string | null, string | undefined][] = [
    [null, undefined],
    ["", undefined],
    ["text/xml", undefined],
    ["text/xml; charset", undefined],
    ["text/xml; charset=", undefined],
    ['text/xml; charset=""', undefined],
    ["text/xml; charset=utf-8", "utf-8"],
    ["text/xml;charset=UTF-8", "UTF-8"],
    ["text/xml ; CharSet = utf-8 ; x=y", "utf-8"],
    ['application/xml; x=y; Charset="WINDOWS-1252"', "WINDOWS-1252"],
    ['text/xml; charset=" utf-8 "', "utf-8"],
    ['text/xml; charset="utf\\-8"', "utf-8"],
    ['text/xml; charset="utf-8', "utf-8"],
    ["text/xml; charset='utf-8'", "utf-8"],
    ["text/xml; charset=utf-8, text/html", "utf-8"],
    ["text/xml; charset=a; charset=b", "a"],
    ["text/xml; charset=; charset=b", "b"],
    ['text/xml; x="; charset=no"; charset=yes', "yes"],
    ['text/xml; x="\\"; charset=no"; charset=yes', "yes"],
    ["text/xml; xcharset=no", undefined],
    ["charset=utf-8", "utf-8"],
  ];
  for (const [type, charset] of types) assertEquals(charsetOf(type), charset, `${type}`);
  // a pattern would run out of stack
  assertEquals(charsetOf(`text/xml; x="${"x".repeat(10_000_000)}"; charset=a`), undefined);
});

Deno.test("isZlib() recognises zlib at every level and window size", () => {
  for (let level = 0; level <= 9; level++) {
    for (let windowBits = 9; windowBits <= 15; windowBits++) {
      assertEquals(isZlib(deflateSync(bytesOf("a"), { level, windowBits })), true);
    }
  }
});

Deno.test("isZlib() rejects text, and data that needs a dictionary", () => {
  for (const text of ["", "x", "<?xml", "http://a", "User-agent", "hello", "Host"]) {
    assertEquals(isZlib(bytesOf(text)), false, text);
  }
  assertEquals(isZlib(new Uint8Array([0x78, 0xbb])), false);
  // a window of 64 KiB, a method that is not deflate
  assertEquals(isZlib(new Uint8Array([0x88, 0x1c])), false);
  assertEquals(isZlib(new Uint8Array([0x79, 0x1f])), false);
});

Deno.test("looksLikeText() distinguishes text in any encoding from compressed data", () => {
  for (const text of ["", "<a/>", "\t\r\n\f\v é日😀", "\x1b$B"]) {
    assertEquals(looksLikeText(bytesOf(text)), true, text);
  }
  assertEquals(looksLikeText(new Uint8Array([0xff, 0xfe, 0x3c, 0x00])), true);
  assertEquals(looksLikeText(new Uint8Array([0xfe, 0xff, 0x00, 0x3c])), true);
  assertEquals(looksLikeText(new Uint8Array([0x3c, 0x00, 0x3f, 0x00])), true);
  for (const level of [1, 6, 9]) {
    const packed = deflateRawSync(bytesOf(sitemapText(50)), { level });
    assertEquals(looksLikeText(packed), false);
  }
});
