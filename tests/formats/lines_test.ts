import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { LineSplitter } from "../../src/formats/lines.ts";

type Line = readonly [line: string | undefined, number: number];

function linesOf(pieces: Iterable<string>, maxLength = 1000): Line[] {
  const lines: Line[] = [];
  const splitter = new LineSplitter((line, number) => void lines.push([line, number]), maxLength);
  for (const piece of pieces) splitter.write(piece);
  splitter.end();
  return lines;
}

/** Pieces of a text, which need not be of characters. */
function cut(text: string, size: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}

function assertLines(text: string, expected: readonly Line[], maxLength?: number): void {
  for (const size of [1, 2, 7, Infinity]) {
    assertEquals(linesOf(cut(text, size), maxLength), expected, `In pieces of ${size}`);
  }
}

Deno.test("LineSplitter ends lines where XML, HTTP, Unicode and Python do", () => {
  const ends = ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"];
  const text = ends.map((end, at) => `${at}${end}`).join("");
  assertLines(text, ends.map((_, at) => [String(at), at + 1]));
});

Deno.test("LineSplitter tells empty lines, but none behind the last end", () => {
  assertLines("", []);
  assertLines("\n", [["", 1]]);
  assertLines("\n\r\n\r\r\n\n", [["", 1], ["", 2], ["", 3], ["", 4], ["", 5]]);
  assertLines("a\n\nb", [["a", 1], ["", 2], ["b", 3]]);
});

Deno.test("LineSplitter takes empty pieces between CR and LF", () => {
  assertEquals(linesOf(["a\r", "", "\nb", ""]), [["a", 1], ["b", 2]]);
});

Deno.test("LineSplitter skips a line that is too long, and only that", () => {
  assertLines("abcde\nabcdef\nabc\nabcdefghijkl", [
    ["abcde", 1],
    [undefined, 2],
    ["abc", 3],
    [undefined, 4],
  ], 5);
  assertLines("abcdefghij\r\n\r\n", [[undefined, 1], ["", 2]], 5);
});

Deno.test("LineSplitter gives the same lines whatever the pieces", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", " ", "\n", "\r", "\v", "\x85", "#") });
  fc.assert(fc.property(text, fc.array(fc.nat(5)), fc.nat(6), (text, sizes, maxLength) => {
    const pieces: string[] = [];
    let at = 0;
    for (const size of sizes) pieces.push(text.slice(at, at += size));
    pieces.push(text.slice(at));
    const expected = text.split(/\r\n|[\n\r\v\x85]/);
    if (expected.at(-1) === "") expected.pop();
    assertEquals(
      linesOf(pieces, maxLength),
      expected.map((line, at) => [line.length > maxLength ? undefined : line, at + 1]),
    );
  }));
});
