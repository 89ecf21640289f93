import { assertEquals } from "@std/assert";
import { hasForbidden, LineEnds, withoutForbidden } from "../../src/xml/normalize.ts";

Deno.test("LineEnds unites a CR and LF that an edge parts", () => {
  const normalized = (...chunks: string[]) => {
    const lineEnds = new LineEnds();
    return chunks.map((chunk) => lineEnds.normalize(chunk));
  };
  assertEquals(normalized("a\r\nb\rc\n"), ["a\nb\nc\n"]);
  assertEquals(normalized("a\r", "\nb", "\n"), ["a\n", "b", "\n"]);
  assertEquals(normalized("\r", "\r", "\n", "\n"), ["\n", "\n", "", "\n"]);
});

Deno.test("withoutForbidden() leaves out what is forbidden, and tells where it stood", () => {
  const told: unknown[] = [];
  const text = withoutForbidden("a\0b\x1f\x1f\uffffc", (...what) => told.push(what));
  assertEquals(text, "abc");
  assertEquals(told, [["U+0000", 1], ["U+001F", 2], ["U+001F", 2], ["U+FFFF", 2]]);
  assertEquals(["a\0", "\ufffe", "\v", "a\t\n\ufffd\u{1f577}"].map(hasForbidden), [
    ...[true, true, true],
    false,
  ]);
});
