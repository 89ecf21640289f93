import { assertEquals } from "@std/assert";
import { BytePattern } from "../../src/formats/byte_pattern.ts";

function viewOf(text: string): DataView {
  return new DataView(new TextEncoder().encode(text).buffer);
}

Deno.test("BytePattern recognises its bytes, and not others", () => {
  for (
    const text of ["</loc></url>", "</url>\n<url><loc>", "abcdefgh", "<news:publication_date>"]
  ) {
    const pattern = new BytePattern(text);
    assertEquals(pattern.length, text.length);
    for (let at = 0; at < 4; at++) {
      const view = viewOf(" ".repeat(at) + text);
      assertEquals(pattern.standsAt(view, at), true);
      assertEquals(pattern.standsAt(view, at + 1), false, "beyond the end");
    }
    for (let at = 0; at < text.length; at++) {
      const other = `${text.slice(0, at)}#${text.slice(at + 1)}`;
      assertEquals(pattern.standsAt(viewOf(other), 0), false, other);
    }
    assertEquals(pattern.standsAt(viewOf(text.slice(1)), 0), false);
  }
});
