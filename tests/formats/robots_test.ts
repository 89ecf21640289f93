import { assertEquals } from "@std/assert";
import type { Entries } from "../../src/formats/entries.ts";
import { ROBOTS_FORMAT } from "../../src/formats/lines.ts";

/** Addresses that a line declares, and codes that it reports; all with the number of the line. */
function taken(line: string): string[] {
  const calls: string[] = [];
  const entries: Pick<Entries, "child" | "warn"> = {
    child(address, number) {
      assertEquals(number, 7);
      calls.push(address ?? "none");
    },
    warn(code, _message, number) {
      assertEquals(number, 7);
      calls.push(code);
    },
  };
  ROBOTS_FORMAT.take(line, 7, entries as Entries);
  return calls;
}

/** Asserts the address that each line declares; `undefined` if it declares none. */
function assertAddresses(expected: Readonly<Record<string, string | undefined>>): void {
  for (const [line, address] of Object.entries(expected)) {
    assertEquals(taken(line), address === undefined ? [] : [address], JSON.stringify(line));
  }
}

const URL = "https://site.test/a.xml";

Deno.test("a robots.txt line declares a sitemap if its key begins with sitemap or site-map", () => {
  const keys = [
    ...["Sitemap", "sitemap", "SITEMAP", "SiteMap", "Site-map", "site-MAP"],
    ...["Sitemaps", "Site-maps", "Sitemap-index", "sitemap_index", "SitemapIndex", "sitemap.xml"],
    ...["Sitemap-News", "sitemap2", "Sitemap index", "Sitemap for news", "sitemap#1"],
  ];
  for (const key of keys) assertAddresses({ [`${key}: ${URL}`]: URL });
  const others = [
    ...["Site map", "Site_map", "Sitmap", "Site", "map", "My-sitemap", "XSitemap", "The sitemap"],
    ...["User-agent", "Disallow", "Allow", "# Sitemap", "#Sitemap", "Site--map", ""],
  ];
  for (const key of others) assertAddresses({ [`${key}: ${URL}`]: undefined });
});

Deno.test("whitespace in a sitemap line is allowed before the key and around colon and address", () => {
  const lines = [
    `Sitemap:${URL}`,
    `Sitemap: ${URL}`,
    `Sitemap :${URL}`,
    `Sitemap \t: \t${URL} \t`,
    `  \tSitemap: ${URL}`,
    `\ufeffSitemap: ${URL}\u00a0`,
    `Sitemap index : ${URL}`,
    `Sitemap index :${URL}`,
    `Sitemap\u3000:\u3000${URL}`,
  ];
  for (const line of lines) assertAddresses({ [line]: URL });
});

Deno.test("the first colon behind the key ends it, and repeated ones count as one", () => {
  assertAddresses({
    "Sitemap::x": "x",
    "Sitemap:: x": "x",
    "sitemap :::x": "x",
    "Sitemap: : x": "x",
    "Sitemaps::: ": "",
    "Sitemap:://site.test/a": "//site.test/a",
    [`Sitemap index:: ${URL}`]: URL,
    [`Sitemap index ::${URL}`]: URL,
    [`Sitemap::${URL}`]: URL,
    "Sitemap: a::b": "a::b",
    "Sitemap: a: b": "a: b",
    "Sitemap://site.test/a": "//site.test/a",
    "Sitemap-https://site.test/a": "//site.test/a",
    "Sitemap index: a: b": "a: b",
  });
});

Deno.test("a sitemap line without colon needs exactly two words", () => {
  assertAddresses({
    [`Sitemap ${URL}`]: URL,
    [`Sitemap\t${URL}  `]: URL,
    [`  sitemaps   ${URL}`]: URL,
    [`site-map ${URL} # comment`]: URL,
    [`Sitemap ${URL}#part`]: `${URL}#part`,
    "Sitemap /a.xml": "/a.xml",
    "Sitemap www.site.test:8080/a.xml": "www.site.test:8080/a.xml",
    "Sitemap ftp://site.test/a": "ftp://site.test/a",
    "Sitemap": undefined,
    "Sitemap ": undefined,
    "Sitemap # comment": undefined,
    [`Sitemap ${URL} ${URL}`]: undefined,
    [`Sitemap is ${URL}`]: undefined,
    "Sitemap is below": undefined,
    [`${URL}`]: undefined,
    [`Site map ${URL}`]: undefined,
  });
});

Deno.test("a # behind whitespace starts a comment, any other # a fragment", () => {
  assertAddresses({
    [`Sitemap: ${URL} # the one`]: URL,
    [`Sitemap: ${URL}\t#the one`]: URL,
    [`Sitemap: ${URL} # one # two`]: URL,
    [`Sitemap: ${URL}#part`]: `${URL}#part`,
    [`Sitemap: ${URL}#part # comment`]: `${URL}#part`,
    [`Sitemap: ${URL}# part`]: `${URL}# part`,
    [`Sitemap: ${URL} #part#`]: URL,
    "Sitemap:#part": "#part",
    "Sitemap: # none": "",
    "Sitemap # none: x": undefined,
    [` # Sitemap: ${URL}`]: undefined,
  });
});

Deno.test("a sitemap line without an address declares an empty one", () => {
  const lines = ["Sitemap:", "Sitemap: ", "Sitemap:\t \t", "Sitemap : # x", "Sitemap index:"];
  for (const line of lines) assertAddresses({ [line]: "" });
});

Deno.test("quotes and brackets around the whole value are removed and reported", () => {
  const quoted = [
    ...[`"${URL}"`, `'${URL}'`, `<${URL}>`, `\`${URL}\``, `“${URL}”`, `„${URL}“`, `‘${URL}’`],
    ...[`«${URL}»`, `" ${URL} "`, `"${URL}" # comment`],
  ];
  for (const value of quoted) {
    for (const separator of [": ", ":", " : "]) {
      assertEquals(taken(`Sitemap${separator}${value}`), ["address-repaired", URL], value);
    }
  }
  assertEquals(taken(`Sitemap "${URL}"`), ["address-repaired", URL]);
  // nothing is left to be repaired
  assertEquals(taken('Sitemap: ""'), [""]);
  assertEquals(taken("Sitemap: < >"), [""]);
});

Deno.test("quotes that are not around the whole value are part of it", () => {
  const values = [
    ...[`"${URL}`, `${URL}"`, `"${URL}'`, `<${URL}`, `${URL}>`, `>${URL}<`, `"${URL}" x`],
    ...[`x "${URL}"`, '"', "'", "<", `(${URL})`, `[${URL}]`],
  ];
  for (const value of values) assertAddresses({ [`Sitemap: ${value}`]: value });
});

Deno.test("control characters at the ends of a value are removed", () => {
  for (const end of ["\0", "\x1f", "\x7f", "\x80", "\0 \0", "\x01\t"]) {
    assertAddresses({
      [`Sitemap: ${URL}${end}`]: URL,
      [`Sitemap:${end}${URL}`]: URL,
      [`Sitemap ${URL}${end.trim().charAt(0)}`]: URL,
      [`Sitemap: ${URL}${end} # comment`]: URL,
      "Sitemap: a\0b": "a\0b",
      [`Sitemap:${end}`]: "",
    });
    assertEquals(taken(`Sitemap: "${URL}${end}"`), ["address-repaired", URL]);
  }
});

const [A, B, C] = ["https://site.test/a.xml", "http://b.test/s,1.xml", "HTTPS://c.test/?d=e#f"];

Deno.test("several absolute URLs, between whitespace or commas, are an address each", () => {
  const lines = [
    `Sitemap: ${A} ${B} ${C}`,
    `Sitemap: ${A},${B},${C}`,
    `Sitemap: ${A}, ${B}\t,\u3000${C}`,
    `Sitemap: ${A} , ,, ${B},,${C},`,
    `Sitemap: ,${A} ${B}, ${C} , # comment`,
    `Sitemap::${A}\0 ${B}\x7f,${C}`,
    `Sitemap ${A},${B},${C}`,
  ];
  for (const line of lines) assertEquals(taken(line), [A, B, C], line);
});

Deno.test("quotes around several URLs, or around each, are removed and reported once", () => {
  const values = [
    ...[`"${A} ${B}"`, `'${A}, ${B}'`, `<${A},${B}>`, `"${A}" "${B}"`, `"${A}", '${B}'`],
    ...[`<${A}>,<${B}>`, `${A} “${B}”`, `«${A}»,${B},`, `<${A}> <${B}> # comment`],
  ];
  for (const value of values) {
    assertEquals(taken(`Sitemap: ${value}`), ["address-repaired", A, B], value);
  }
});

Deno.test("a value that is not only absolute URLs is one address, with its blanks and commas", () => {
  const values = [
    ...[`${A},`, `,${A}`, `${A} ,`, "https://site.test/s 6.xml", "https://site.test/s,7.xml"],
    ...["/a.xml /b.xml", "a.xml, b.xml", `${A} /b.xml`, `/a.xml ${B}`, `${A} and ${B}`],
    ...[`${A} www.b.test/`, `${A} ftp://b.test/`, `${A} https://[`, `${A};${B}`, `${A}|${B}`],
    ...[`https://site.test/?to=${B}`, `${A} https:/b.test/`],
  ];
  for (const value of values) assertAddresses({ [`Sitemap: ${value}`]: value });
});

Deno.test("an overlong line drops a sitemap if its key is a sitemap key", () => {
  const dropped = (line: string) => {
    let count = 0;
    const entries: Pick<Entries, "dropChild"> = { dropChild: () => void count++ };
    ROBOTS_FORMAT.takeOverlong?.(line, entries as Entries);
    return count;
  };
  const long = "x".repeat(256);
  assertEquals([`Sitemap: ${long}`, ` site-maps ${long}`].map(dropped), [1, 1]);
  assertEquals([`Disallow: /${long}`, `# Sitemap: ${long}`, long].map(dropped), [0, 0, 0]);
});

Deno.test("a sitemap line takes time in proportion to its length", () => {
  const long = 300_000;
  const lines = [
    "sitemap" + " ".repeat(long) + "x",
    "sitemap" + "x ".repeat(long),
    "sitemap " + "x".repeat(long) + " ".repeat(long) + "x",
    "sitemap" + ": ".repeat(long),
    " ".repeat(long) + "sitemap",
    "Sitemap: " + " x".repeat(long) + "#",
    "Sitemap" + ":".repeat(long) + "x",
    "Sitemap x" + ":".repeat(long) + "x",
    "Sitemap: x" + ", ".repeat(long) + "x",
    "Sitemap: x" + ",".repeat(long) + "x",
    "Sitemap: x" + "\0".repeat(long) + "x" + " \0".repeat(long),
    "Sitemap: " + "https://site.test/,".repeat(long / 10),
    "Sitemap: " + '"'.repeat(long),
  ];
  // any of these would take minutes, were the patterns quadratic
  for (const line of lines) taken(line);
});
