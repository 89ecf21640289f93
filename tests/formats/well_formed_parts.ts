/** Parts of well-formed documents: values, ways to write them, attributes and elements. @module */

import fc from "../support/fast_check.ts";

export type Text = fc.Arbitrary<string>;
/** A text that varies, or that does not. */
type Part = Text | string;

function textOf(part: Part): Text {
  return typeof part === "string" ? fc.constant(part) : part;
}

export const oneOf: (...texts: readonly string[]) => Text = fc.constantFrom;

export function joined(...parts: readonly Part[]): Text {
  return fc.tuple(...parts.map(textOf)).map((texts) => texts.join(""));
}

/** Mostly the first, once in a while one of the others. */
export function mostly(usual: Part, ...others: readonly Part[]): Text {
  return fc.oneof(
    { weight: 6, arbitrary: textOf(usual) },
    ...others.map((other) => ({ weight: 1, arbitrary: textOf(other) })),
  );
}

/** Once in a while a part, mostly nothing. */
export function rarely(part: Part): Text {
  return mostly("", part);
}

export function some(part: Text, maxLength: number): Text {
  return fc.array(part, { maxLength, size: "max" }).map((parts) => parts.join(""));
}

// ---------------------------------------------------------------------------------------------- values

const SPACE = oneOf("", "", "", "\n", " ", "\r\n\t", "\u00a0", "\u3000", "\u0085");
const ASIDE = oneOf(
  ...["<!-- -->", "<!-- <loc>https://no.test/</loc> -->", "<?php echo '<item>' ?>", "<?x?>"],
);

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("]]>", "]]&gt;");
}

function cdata(text: string): string {
  return `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

/** Ways to write the text of an element, in two parts. */
const WAYS: Readonly<Record<string, (head: string, tail: string) => string>> = {
  plain: (head, tail) => escaped(head + tail),
  cdata: (head, tail) => cdata(head + tail),
  mixed: (head, tail) => escaped(head) + cdata(tail),
  comment: (head, tail) => `${escaped(head)}<!-- x -->${escaped(tail)}`,
  instruction: (head, tail) => `${escaped(head)}<?x y?>${escaped(tail)}`,
  reference: (head, tail) =>
    escaped(head) + [...tail].map((letter) => `&#${letter.codePointAt(0)};`).join(""),
  hexadecimal: (head, tail) =>
    [...head].map((letter) => `&#x${letter.codePointAt(0)!.toString(16)};`).join("") +
    escaped(tail),
  element: (head, tail) => `${escaped(head)}<x|x@>https://no.test/</x|x>${escaped(tail)}`,
};

/** The text of an element, with space around it. */
export function written(text: Text): Text {
  const way = mostly("plain", oneOf(...Object.keys(WAYS)));
  return fc.tuple(SPACE, text, way, fc.nat(30), SPACE).map(([before, text, way, at, after]) => {
    const head = [...text].slice(0, at).join("");
    return before + WAYS[way]!(head, text.slice(head.length)) + after;
  });
}

const NUMBER = fc.nat(12).map(String);
export const ABSOLUTE: Text = joined(
  mostly(
    "https://site.test/",
    oneOf("http://site.test/?a=1&b=", "https://site.test/#", "HTTPS://Site.test/é/"),
    oneOf("https://bücher.test:8080/😀/", "https://me:pw@site.test/a b/%20"),
  ),
  NUMBER,
);
/** Addresses that are resolved or repaired. */
export const RELATIVE: Text = joined(
  oneOf("/root/", "a/b/", "../up/", "?page=", "//other.test/", "./x?y&z="),
  NUMBER,
);
const REPAIRED = joined(
  oneOf("www.site.test/", "WWW.site.test/", "https:/one.test/", "http:\\\\two.test\\"),
  NUMBER,
);
const BROKEN = joined(oneOf("https://site.test/\n", "https://\tsite.test/a\r\n  "), NUMBER);
export const UNUSABLE: Text = oneOf(
  "mailto:a@b.test",
  "ftp://site.test/",
  "http://",
  "http://[/",
  "",
);
export const ADDRESS: Text = mostly(ABSOLUTE, RELATIVE, REPAIRED);
/** Addresses in the text of elements: in attributes, line breaks become spaces. */
export const WRITTEN_ADDRESS: Text = written(mostly(ADDRESS, ADDRESS, BROKEN, UNUSABLE));
/** Addresses of images, videos and alternates. */
export const RELATED: Text = mostly(
  ABSOLUTE,
  RELATIVE,
  oneOf("mailto:a@b.test", "data:,x", "http:/a"),
);

/** Texts, some escaped twice, some empty. */
export const TITLE: Text = mostly(
  oneOf("A title", "Größe & Maß", "日本語 <b>bold</b> 😀", "one, two", "3", "a ]]> b"),
  oneOf("Caf&eacute; &amp; bar", "x &#233; y", "1 &lt; 2 &nosuch; &", "a\r\n b\tc", ""),
);
const DAY = oneOf("2024-02-29", "1999-12-31", "2024-01-01", "0001-06-07");
/** Dates, some unreadable. */
export const DATE: Text = mostly(
  joined(
    DAY,
    oneOf("T07:08", "T23:59:59", " 00:00:00", "T10:20:30.5", "T10:20:30.123456"),
    oneOf("", "Z", "+02:00", "-11:30", "+00:00"),
  ),
  joined(DAY, oneOf("", "Z", "+02:00", "-05:00")),
  oneOf("2024", "2024-05", "Mon, 06 May 2024 07:08:09 GMT", "Sun, 31 Dec 2023 23:00:00 -0200"),
  oneOf("", "soon", "2023-02-29", "2024-13-01", "2024-05-06T25:00:00Z", "01/02/2005"),
);

// -------------------------------------------------------------------------------------------- elements

/** An attribute in either quotes. */
export function attribute(name: string, value: Part): Text {
  const form = oneOf(' N="V"', " N='V'", '\n\tN = "V"', "  N= ' V '");
  return fc.tuple(form, textOf(value)).map(([form, value]) => {
    const quoted = escaped(value).replaceAll('"', "&quot;").replaceAll("'", "&#39;");
    return form.replace("N", name).replace("V", () => quoted);
  });
}

/** Some attributes in any order, and others that mean nothing. */
export function attributes(...parts: readonly Text[]): Text {
  const other = oneOf(' id="1"', ' x:href="https://no.test/"', ' xml:lang="en"', " data='>'");
  const all = fc.tuple(rarely(other), ...parts);
  return all.chain((texts) =>
    fc.shuffledSubarray(texts, { minLength: texts.length }).map((texts) => texts.join(""))
  );
}

/** An element with one of some names such as `own|loc`, separated by blanks; rarely in capitals. */
export function element(names: string, content: Part, start: Part = ""): Text {
  const name = oneOf(...names.split(" "));
  return fc.tuple(name, fc.nat(7), textOf(start), textOf(content), oneOf("", "", " ", "\n")).map(
    ([name, spelling, start, content, gap]) => {
      const tag = spelling === 7 ? name.replace(/\|.*/, (local) => local.toUpperCase()) : name;
      return content === ""
        ? `<${tag}@${start}${gap}/>`
        : `<${tag}@${start}${gap}>${content}</${tag}${gap}>`;
    },
  );
}

/** Elements between which space, comments and instructions are. */
export function group(parts: Text, maxLength: number): Text {
  const gap = mostly(SPACE.filter((space) => /^\s*$/.test(space)), ASIDE);
  return some(joined(gap, parts), maxLength);
}

/** Elements of these names that mean nothing where they are, and hide what is in them. */
export function decoys(fields: Text): Text {
  const inside = group(fields, 3);
  return fc.oneof(
    element("own|unknown x|url x|loc x|title x|link", mostly(inside, "https://no.test/")),
    element("x|item", joined("text ", inside)),
  );
}
