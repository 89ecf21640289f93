import { assertEquals } from "@std/assert";
import type { WarningCode } from "../../src/codes.ts";
import { charsetOf, detectEncoding, type Encoding, StreamDecoder } from "../../src/bytes/decode.ts";
import { joined } from "../../src/bytes/byte_source.ts";
import { chunked } from "../support/chunked.ts";
import { bytesOf, concatenated } from "./read_all.ts";

const SIZES = [1, 7, Infinity];

interface Detection {
  readonly encoding: Encoding;
  readonly warnings: string[];
  /** How many bytes were seen when it was decided. */
  readonly seen: number;
}

/** Detects as a reader does: with more bytes as long as that is wanted. */
function detected(bytes: Uint8Array, size: number, charset?: string): Detection {
  const warnings: string[] = [];
  const warn = (code: WarningCode, message: string) => void warnings.push(`${code}: ${message}`);
  const options = { ...(charset === undefined ? {} : { charset }), warn };
  let head: Uint8Array = new Uint8Array(0);
  for (const chunk of chunked(bytes, size)) {
    head = joined(head, chunk);
    const encoding = detectEncoding(head, { ...options, atEnd: false });
    if (encoding !== undefined) return { encoding, warnings, seen: head.length };
    assertEquals(warnings, [], "nothing is told before it is decided");
  }
  const encoding = detectEncoding(head, { ...options, atEnd: true });
  if (encoding === undefined) throw new Error("Undecided at the end");
  return { encoding, warnings, seen: head.length };
}

interface Expected {
  readonly label: string;
  readonly bomLength?: number;
  readonly warnings?: string[];
}

function assertDetected(bytes: Uint8Array, charset: string | undefined, expected: Expected): void {
  for (const size of SIZES) {
    const { encoding, warnings } = detected(bytes, size, charset);
    const { label, bomLength = 0 } = expected;
    assertEquals(encoding, { label, bomLength }, new TextDecoder().decode(bytes));
    assertEquals(warnings, expected.warnings ?? []);
  }
}

/** Text in UTF-16. */
function utf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) {
    view.setUint16(at * 2, text.charCodeAt(at), littleEndian);
  }
  return new Uint8Array(view.buffer);
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

Deno.test("a byte order mark tells the encoding, whatever HTTP and the document say", () => {
  for (const [label, mark] of MARKS) {
    const expected = { label, bomLength: mark.length };
    for (const text of [XML, "", "\n", `<?xml version="1.0" encoding="iso-8859-1"?>${XML}`]) {
      const bytes = concatenated(mark, encoded(text, label));
      assertDetected(bytes, undefined, expected);
      assertDetected(bytes, "iso-8859-1", expected);
    }
  }
});

Deno.test("of two byte order marks the second is text", () => {
  const bytes = concatenated([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], declaring("latin1"));
  assertDetected(bytes, undefined, { label: "utf-8", bomLength: 3 });
});

Deno.test("a part of a byte order mark is none", () => {
  for (const part of [[0xef], [0xef, 0xbb], [0xff], [0xfe], [0xef, 0xbb, 0x3c]]) {
    assertDetected(new Uint8Array(part), undefined, { label: "utf-8" });
  }
});

Deno.test("the charset of HTTP goes before the declaration", () => {
  assertDetected(declaring("iso-8859-1"), "utf-8", { label: "utf-8" });
  assertDetected(declaring("utf-8"), "Shift_JIS", { label: "shift_jis" });
  assertDetected(bytesOf("http://a.test/"), " LATIN1 ", { label: "windows-1252" });
  assertDetected(bytesOf(""), "koi8-r", { label: "koi8-r" });
});

Deno.test("the charset of HTTP decides without waiting for a declaration", () => {
  assertEquals(detected(declaring("iso-8859-1"), 1, "utf-8").seen, 16);
});

Deno.test("the declaration tells the encoding where nothing else does", () => {
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
    assertDetected(bytesOf(` \r\n\t${declaration}${XML}`), undefined, { label: "windows-1252" });
  }
  const cut = bytesOf('<?xml version="1.0" encoding="latin1');
  assertDetected(cut, undefined, { label: "windows-1252" });
});

Deno.test("without any sign it is UTF-8", () => {
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

Deno.test("white space before the declaration does not hide it, however much", () => {
  const space = "\r\n \t".repeat(5000);
  const bytes = bytesOf(space + '<?xml version="1.0" encoding="latin1"?>');
  for (const size of [1000, Infinity]) {
    assertEquals(detected(bytes, size).encoding.label, "windows-1252");
  }
  const few = bytesOf("\n".repeat(3000) + '<?xml version="1.0" encoding="latin1"?>');
  for (const size of SIZES) assertEquals(detected(few, size).encoding.label, "windows-1252");
});

Deno.test("a byte order mark between white space and declaration is that of UTF-8", () => {
  const bytes = concatenated(bytesOf("\n"), [0xef, 0xbb, 0xbf], declaring("latin1"));
  assertDetected(bytes, undefined, { label: "utf-8" });
});

Deno.test("no more than 64 KiB of white space are waited through", () => {
  const bytes = new Uint8Array(200 * 1024).fill(0x20);
  for (const size of [1000, 4096]) {
    const { encoding, seen } = detected(bytes, size);
    assertEquals(encoding, { label: "utf-8", bomLength: 0 });
    assertEquals(seen < 64 * 1024 + size, true);
  }
});

Deno.test("a declaration is read for 1,024 bytes, with or without its end", () => {
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

Deno.test("more bytes are waited for only until the declaration has ended", () => {
  const declaration = '<?xml version="1.0" encoding="latin1"?>';
  assertEquals(detected(bytesOf(declaration + XML), 1).seen, declaration.length);
  assertEquals(detected(bytesOf(XML), 1).seen, 16);
  assertEquals(detected(bytesOf("http://site.test/page"), 1).seen, 16);
});

Deno.test("labels that nobody knows are passed over, and told of", () => {
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

Deno.test("what one document says of its encoding says nothing of the next", () => {
  const latin = declaring("latin1"), odd = declaring("nosuch"), plain = declaring("utf-8");
  const warnings = ['encoding-unknown: Unknown encoding "nosuch"'];
  for (let time = 0; time < 2; time++) {
    for (let again = 0; again < 2; again++) {
      assertDetected(latin, undefined, { label: "windows-1252" });
    }
    assertDetected(latin, "utf-8", { label: "utf-8" });
    assertDetected(latin, undefined, { label: "windows-1252" });
    assertDetected(plain, undefined, { label: "utf-8" });
    for (let again = 0; again < 2; again++) {
      assertDetected(odd, undefined, { label: "utf-8", warnings });
      assertDetected(plain, "nosuch", { label: "utf-8", warnings });
    }
  }
});

Deno.test("UTF-16 is not believed of text that plainly has one byte per letter", () => {
  for (const label of ["UTF-16", "utf-16le", "utf-16be", "ucs-2", "unicode"]) {
    const warning = `encoding-mismatch: Content is not in its encoding "${label}"`;
    assertDetected(declaring(label), undefined, { label: "utf-8", warnings: [warning] });
    assertDetected(declaring("latin1"), label, { label: "windows-1252", warnings: [warning] });
    for (const text of [XML, "User-agent: *\n", "<a/>", "\n".repeat(20)]) {
      assertDetected(bytesOf(text), label, { label: "utf-8", warnings: [warning] });
    }
  }
});

Deno.test("a byte order mark of UTF-16 before text of one byte per letter is junk", () => {
  for (const [label, mark] of MARKS.slice(1)) {
    const warnings = [`encoding-mismatch: Content is not in its encoding "${label}"`];
    const bytes = concatenated(mark, declaring("latin1"));
    assertDetected(bytes, undefined, { label: "windows-1252", bomLength: 2, warnings });
    assertDetected(bytes, "utf-8", { label: "utf-8", bomLength: 2, warnings });
  }
});

Deno.test("UTF-16 is believed of text that has it, also where there is little", () => {
  for (const littleEndian of [true, false]) {
    const label = littleEndian ? "utf-16le" : "utf-16be";
    for (const text of ["<", "<é", "日本", XML]) {
      assertDetected(utf16(text, littleEndian), label, { label });
    }
  }
  assertDetected(bytesOf(""), "utf-16", { label: "utf-16le" });
});

Deno.test("UTF-16 without byte order mark is known by its zero bytes", () => {
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

Deno.test("a stray zero byte makes no UTF-16", () => {
  assertDetected(bytesOf("<\0urlset></urlset>"), undefined, { label: "utf-8" });
  assertDetected(bytesOf("\0<urlset></urlset>"), undefined, { label: "utf-8" });
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
});

/** Decodes bytes in chunks: the text, and how often it was told that bytes were replaced. */
function decoded(bytes: Uint8Array, label: string, size: number): [string, number] {
  let warnings = 0;
  const decoder = new StreamDecoder(label, (code) => {
    assertEquals(code, "encoding-replaced");
    warnings++;
  });
  // an empty chunk changes nothing
  const nothing = new Uint8Array(0);
  let text = decoder.decode(nothing);
  for (const chunk of chunked(bytes, size)) text += decoder.decode(chunk) + decoder.decode(nothing);
  return [text + decoder.end(), warnings];
}

Deno.test("StreamDecoder decodes characters that chunks cut in two", () => {
  const text = "a é 日 😀 ".repeat(30);
  for (const size of [...SIZES, 2, 3, 5]) {
    assertEquals(decoded(bytesOf(text), "utf-8", size), [text, 0]);
    assertEquals(decoded(utf16(text, true), "utf-16le", size), [text, 0]);
    assertEquals(decoded(utf16(text, false), "utf-16be", size), [text, 0]);
    const japanese = new Uint8Array([0x93, 0xfa, 0x96, 0x7b, 0x61, 0x83, 0x41]);
    assertEquals(decoded(japanese, "shift_jis", size), ["日本aア", 0]);
    const western = new Uint8Array([0x80, 0x2d, 0x93, 0x78, 0x94]);
    assertEquals(decoded(western, "windows-1252", size), ["€-“x”", 0]);
  }
});

Deno.test("StreamDecoder leaves a byte order mark in the text", () => {
  for (const size of SIZES) {
    assertEquals(decoded(bytesOf("\uFEFFa"), "utf-8", size), ["\uFEFFa", 0]);
    assertEquals(decoded(utf16("\uFEFFa", true), "utf-16le", size), ["\uFEFFa", 0]);
  }
});

Deno.test("StreamDecoder replaces bytes that make no sense and tells of each", () => {
  for (const size of SIZES) {
    assertEquals(decoded(new Uint8Array([0x61, 0xff, 0x62]), "utf-8", size), ["a\uFFFDb", 1]);
    assertEquals(decoded(new Uint8Array([0xff, 0x61, 0xc3]), "utf-8", size), ["\uFFFDa\uFFFD", 2]);
    assertEquals(decoded(new Uint8Array([0xe6, 0x97, 0x3c]), "utf-8", size), ["\uFFFD<", 1]);
    assertEquals(decoded(new Uint8Array([0x3c, 0x00, 0x61]), "utf-16le", size), ["<\uFFFD", 1]);
    assertEquals(decoded(new Uint8Array([0x00, 0xd8, 0x61, 0]), "utf-16le", size), ["\uFFFDa", 1]);
  }
});

Deno.test("StreamDecoder tells nothing of a U+FFFD that somebody else put there", () => {
  const genuine = bytesOf("a\uFFFD\uFFFDé");
  for (const size of [...SIZES, 2, 3]) {
    assertEquals(decoded(genuine, "utf-8", size), ["a\uFFFD\uFFFDé", 0]);
    const both = concatenated(genuine, [0xef, 0xef, 0xbf, 0xbd, 0xff]);
    assertEquals(decoded(both, "utf-8", size), ["a\uFFFD\uFFFDé\uFFFD\uFFFD\uFFFD", 2]);
  }
});

Deno.test("StreamDecoder tells of bytes that make no sense a thousand times at most", () => {
  const bytes = new Uint8Array(5000).fill(0xff);
  for (const size of SIZES) {
    assertEquals(decoded(bytes, "utf-8", size), ["\uFFFD".repeat(5000), 1000]);
  }
});
