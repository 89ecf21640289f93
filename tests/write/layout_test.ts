/** Text in columns of a terminal. @module */

import { assertEquals } from "@std/assert";
import {
  fittingLine,
  hanging,
  padEnd,
  padStart,
  paragraph,
  widthOf,
  wrap,
} from "../../src/write/layout.ts";

Deno.test("widthOf() counts columns, not characters", () => {
  assertEquals(widthOf("abc"), 3);
  assertEquals(widthOf("müllerei"), 8);
  assertEquals(widthOf("水車小屋"), 8);
  assertEquals(widthOf("e\u0301"), 1);
  assertEquals(widthOf("한글、ｶﾅ（）…"), 13);
  assertEquals(widthOf("🌾"), 2);
});

Deno.test("padEnd() and padStart() pad to a width", () => {
  assertEquals([padEnd("水", 4), padStart("7", 3), padEnd("long", 2)], ["水  ", "  7", "long"]);
});

Deno.test("wrap() breaks at spaces, and not in words that are too long", () => {
  assertEquals(wrap("one two three", 7), ["one two", "three"]);
  assertEquals(wrap("a https://example.com/a b", 11), ["a", "https://example.com/a", "b"]);
  assertEquals(wrap("", 5), [""]);
});

Deno.test("fittingLine() has the first parts that fit, and no part of one", () => {
  const lines = [12, 11, 4, 2].map((width) => fittingLine(["0123", "ab", "cd"], width));
  assertEquals(lines, ["0123  ab  cd", "0123  ab", "0123", ""]);
});

Deno.test("paragraph() keeps the indentation, long words and commands", () => {
  const url = "https://site.test/sitemaps/archive-2019.xml";
  const rows: readonly (readonly [text: string, width: number, lines: readonly string[]])[] = [
    ["one two three", 7, ["one two", "three"]],
    ["  one two three", 9, ["  one two", "  three"]],
    [`  ${url}: 404 Not Found`, 40, [`  ${url}:`, "  404 Not Found"]],
    [`not read: ${url}`, 40, ["not read:", url]],
    [
      "no permission; run: deno run --allow-net main.ts ls",
      30,
      ["no permission;", "run: deno run --allow-net main.ts ls"],
    ],
    ["the run: sites by verdict, pages", 20, ["the run: sites by", "verdict, pages"]],
    ["complete: 1 page, 0.2 s", 21, ["complete: 1 page,", "0.2 s"]],
    ["waiting for /a.xml, 12 s, or", 23, ["waiting for /a.xml,", "12 s, or"]],
    ["1 such", 4, ["1", "such"]],
    ["", 5, [""]],
  ];
  for (const [text, width, lines] of rows) assertEquals(paragraph(text, width), lines);
});

Deno.test("hanging() puts a text beside another, or below it", () => {
  const beside = (width: number, head = "  --name VALUE") =>
    hanging(head, "what it is good for and why", 20, width);
  assertEquals(beside(80), ["  --name VALUE      what it is good for and why"]);
  assertEquals(beside(44), [
    "  --name VALUE      what it is good for and",
    "                    why",
  ]);
  assertEquals(beside(43), ["  --name VALUE", "    what it is good for and why"]);
  assertEquals(beside(80, "  --a-rather-long-name VALUE"), [
    "  --a-rather-long-name VALUE",
    "                    what it is good for and why",
  ]);
  assertEquals(hanging("", "with nothing before", 0, 80), ["with nothing before"]);
  assertEquals(hanging("      ", "below another", 8, 20), ["    below another"]);
});
