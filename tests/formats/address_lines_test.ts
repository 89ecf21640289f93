import { assertEquals } from "@std/assert";
import { AddressLines } from "../../src/formats/address_lines.ts";
import { takenEntries } from "./taken_entries.ts";

function numbered(count: number, end = "\n", stem = "https://site.test/"): string {
  return Array.from({ length: count }, (_, at) => `${stem}${at}${end}`).join("");
}

/** How far a chunk is read: the rest of it, how many lines, and what was told. */
function readOf(chunk: string, { maxLength = 1000, maxEntries = 1000 } = {}) {
  const { entries, told } = takenEntries(maxEntries);
  const lines = new AddressLines(entries, maxLength);
  if (!lines.take(chunk)) return "not here";
  const { at, count } = lines.read(0);
  return [chunk.slice(at), count, told.length];
}

Deno.test("AddressLines reads whole lines of addresses, with LF and with CRLF", () => {
  assertEquals(readOf(numbered(70)), ["", 70, 70]);
  assertEquals(readOf(numbered(70, "\r\n")), ["", 70, 70]);
  assertEquals(readOf(`${numbered(70)}https://site.test/not-yet`), [
    ...["https://site.test/not-yet", 70, 70],
  ]);
  const { entries, told } = takenEntries();
  const lines = new AddressLines(entries, 1000);
  lines.take(numbered(3, "\r\n", "https://other.test/some/way/down/"));
  lines.read(0);
  assertEquals(told, numbered(3, "\n", "https://other.test/some/way/down/").trim().split("\n"));
});

Deno.test("AddressLines stops at whatever is odd, and goes on behind it", () => {
  const oddities = [
    ...[
      "",
      " ",
      "# comment",
      "/relative",
      "prose, prose",
      "ftp://site.test/x",
      "https://site.test",
    ],
    ...["https://site.test/a b", "https://site.test/a ", " https://site.test/a", "http://["],
    ...[
      "https://site.test/a\tb",
      "https://site.test/a\rb",
      "https://site.test/a\x1fb",
      "http://a/",
    ],
    ...["https://site.test/3", `https://site.test/${"x".repeat(1000)}`],
  ];
  for (const odd of oddities) {
    for (const count of [3, 4, 40]) {
      const { entries, told } = takenEntries();
      const lines = new AddressLines(entries, 1000);
      const before = numbered(count + 1), behind = numbered(50, "\n", "https://site.test/b/");
      assertEquals(lines.take(`${before}${odd}\n${behind}`), true);
      if (odd === "http://a/") {
        assertEquals(lines.read(0).count, count + 1 + 1 + 50, "it is just short");
        continue;
      }
      assertEquals(lines.read(0), { at: before.length, count: count + 1 }, JSON.stringify(odd));
      assertEquals(told.length, count + 1);
      const rest = before.length + odd.length + 1;
      assertEquals(lines.read(rest), { at: rest + behind.length, count: 50 });
    }
  }
});

Deno.test("AddressLines takes addresses of many sites", () => {
  const mixed = Array.from({ length: 90 }, (_, at) => `http://${at % 3}.test/${at}\n`).join("");
  assertEquals(readOf(mixed), ["", 90, 90]);
});

Deno.test("AddressLines leaves chunks that are short or not ASCII to others", () => {
  assertEquals(readOf("https://site.test/\n"), "not here");
  assertEquals(readOf(`${numbered(70)}https://site.test/é\n`), "not here");
});

Deno.test("AddressLines stops where a line is too long, or there are too many entries", () => {
  const last = numbered(11).slice(numbered(10).length);
  assertEquals(readOf(numbered(11), { maxLength: 19 }), [last, 10, 10]);
  assertEquals(readOf(numbered(11), { maxEntries: 10 }), [last, 10, 10]);
  assertEquals(readOf(numbered(11), { maxEntries: 0 }), [numbered(11), 0, 0]);
});
