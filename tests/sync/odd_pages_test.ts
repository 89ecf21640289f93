/** Pages of any size, and with characters that databases cannot store. @module */

import { assertEquals } from "@std/assert";
import { at, declared, short, type Site, urlset } from "./scripted_site.ts";
import { inEachStore } from "./stores.ts";
import { outline, SyncHistory } from "./sync_history.ts";

const IMAGES = Array.from(
  { length: 1000 },
  (_, number) => `<image:image><image:loc>${at(`/${number}.jpg`)}</image:loc></image:image>`,
).join("");

function illustrated(images: string): string {
  const start = '<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">';
  return urlset(["/a", images]).replace("<urlset>", start);
}

function lines(...paths: string[]): string {
  return paths.map((path) => `${at(path)}\n`).join("");
}

const [LONG_X, LONG_Y, LONG_Z] = ["x", "y", "z"].map((letter) => `/${letter.repeat(900_000)}`) as [
  string,
  string,
  string,
];

/** Bodies of a sitemap before and after a change, and what changes. */
const PAGES: Readonly<Record<string, readonly [before: string, after: string, changes: string[]]>> =
  {
    "a thousand images": [
      illustrated(IMAGES),
      illustrated(IMAGES.replace("/7.jpg", "/x.jpg")),
      ["changed /a"],
    ],
    "addresses of 900,000 characters": [
      lines(LONG_X, LONG_Y),
      lines(LONG_X, LONG_Z),
      [`added ${LONG_Z}`, `removed ${LONG_Y}`],
    ],
    "NUL": [
      lines("/a\0b", "/a\0c", "/a"),
      lines("/a\0b", "/a", "/d\0"),
      ["added /d%00", "removed /a%00c"],
    ],
    "characters beyond ASCII, and half of one": [
      lines("/é", "/日本", "/\ud800"),
      lines("/日本", "/é"),
      ["removed /\ufffd"],
    ],
  };

const test = inEachStore("sync() remembers odd pages");

for (const [name, [before, after, changes]] of Object.entries(PAGES)) {
  test(`sync() remembers pages with ${name}`, async (location) => {
    await using history = new SyncHistory({ path: await location() });
    const site = (body: string): Site => declared({ "/s.txt": body });
    const changed = async (body: string) =>
      (await history.run(site(body))).events.flatMap((event) =>
        "page" in event ? `${event.type} ${short(event.page.url)}` : []
      );
    await changed(before);
    assertEquals(await changed(`${before} `), [], "nothing has changed");
    assertEquals((await changed(after)).sort(), changes.toSorted());
    assertEquals(outline((await history.run(site(`${after} `))).events).length, 1);
  });
}
