import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "../support/fast_check.ts";
import { gzipSync } from "node:zlib";
import { type TreeEvent, walk, type WalkOptions } from "../../mod.ts";
import { Folder } from "../../src/disk/folder.ts";
import { folderFetch } from "../../src/disk/mod.ts";
import { index, urlset } from "../walk/site.ts";
import { type Files, withFolder } from "./with_folder.ts";

const HOME = "https://example.com/";
const NOT_FOUND = "404 not in the folder";
const IS_WINDOWS = Deno.build.os === "windows";

/** Returns the body of a response, or its status and reason. */
async function read(folder: string, url: string, base = HOME): Promise<string> {
  const response = await folderFetch(folder, base)(url, {});
  const body = await response.text();
  return response.ok ? body : `${response.status} ${response.statusText}`;
}

/** The folder is `site`; what is beside it must not be read. */
const FILES: Files = {
  "secret.xml": "secret",
  "site.xml": "secret",
  "site-2/sitemap.xml": "secret",
  "site/sitemap.xml": "sitemap",
  "site/a/b/c.xml": "deep",
  "site/a b.xml": "space",
  "site/ü.xml": "umlaut",
  "site/100%.xml": "percent",
  "site/%2e%2e": "dots",
  "site/a%2Fb.xml": "escape",
  "site/..xml": "two dots",
  "site/...": "three dots",
  "site/q?.xml": "question",
  "site/x\\y.xml": "backslash",
  "site/etc/passwd": "own",
};

const PATHS: readonly (readonly [path: string, expected: string])[] = [
  ["sitemap.xml", "sitemap"],
  ["sitemap.xml?page=2", "sitemap"],
  ["sitemap.xml#top", "sitemap"],
  ["%73itemap.xml", "sitemap"],
  ["a/b/c.xml", "deep"],
  ["a/x/../b/c.xml", "deep"],
  ["a\\b\\c.xml", "deep"],
  ["a%20b.xml", "space"],
  ["%C3%BC.xml", "umlaut"],
  ["100%25.xml", "percent"],
  ["..xml", "two dots"],
  ["...", "three dots"],
  ["q%3F.xml", "question"],
  // decoded once
  ["%252e%252e", "dots"],
  ["a%252Fb.xml", "escape"],
  // the URL parser ends at the root
  ["../secret.xml", NOT_FOUND],
  ["../../../../etc/passwd", "own"],
  ["..\\..\\etc\\passwd", "own"],
  ["%2e%2e/secret.xml", NOT_FOUND],
  ["%2E./.%2e/etc/passwd", "own"],
  // encoded separators
  ["..%2fsecret.xml", NOT_FOUND],
  ["%2e%2e%2fsecret.xml", NOT_FOUND],
  ["a%2F..%2F..%2Fsecret.xml", NOT_FOUND],
  ["..%5csecret.xml", NOT_FOUND],
  ["a%5Cb%5Cc.xml", NOT_FOUND],
  ["x%5Cy.xml", NOT_FOUND],
  ["%2fetc%2fpasswd", NOT_FOUND],
  ["/etc/passwd", NOT_FOUND],
  ["C:/etc/passwd", NOT_FOUND],
  ["a//b/c.xml", NOT_FOUND],
  ["/sitemap.xml", NOT_FOUND],
  // NUL, and escapes that are not UTF-8
  ["sitemap.xml%00", NOT_FOUND],
  ["%", NOT_FOUND],
  ["%ff", NOT_FOUND],
  ["%c0%ae%c0%ae/secret.xml", NOT_FOUND],
  ["%c0%afetc/passwd", NOT_FOUND],
  // folders, and what a file does not contain
  ["", NOT_FOUND],
  ["a", NOT_FOUND],
  ["a/", NOT_FOUND],
  ["sitemap.xml/", NOT_FOUND],
  ["sitemap.xml/x", NOT_FOUND],
  ["missing.xml", NOT_FOUND],
  ["x".repeat(5000), NOT_FOUND],
];

Deno.test("folderFetch() reads files of the folder and nothing else, whatever the path", {
  ignore: IS_WINDOWS,
}, () =>
  withFolder(FILES, async (folder) => {
    for (const [path, expected] of PATHS) {
      assertEquals([path, await read(`${folder}/site`, HOME + path)], [path, expected]);
    }
  }));

/** Parts of paths that have misled servers. */
const PARTS = [
  ...["/", "//", "..", ".", "%2e", "%2E", "%2f", "%5c", "\\", "%00", "%", "%25", "%c0%ae", ";"],
  ...["?", "#", "a", "link", "sitemap.xml", "secret.xml", "site", "site-2", "C:", "~", "..;"],
];

Deno.test("folderFetch() reads nothing outside of the folder, for any mix of separators", {
  ignore: IS_WINDOWS,
}, () =>
  withFolder({ ...FILES, "site/link": { link: ".." } }, async (folder) => {
    const fetch = folderFetch(`${folder}/site`, HOME);
    const inside = new Set(
      Object.entries(FILES).flatMap(([name, text]) => name.startsWith("site/") ? [text] : []),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }), async (parts) => {
        const response = await fetch(HOME + parts.join(""), {});
        const body = await response.text();
        assert(response.status === 404 || inside.has(body), body);
      }),
      { numRuns: 2000 },
    );
  }));

/** Base URLs, each with URLs that are below it and what they lead to. */
const BASES: readonly (readonly [base: string, url: string, expected: string])[] = [
  ["https://example.com", "https://example.com/sitemap.xml", "sitemap"],
  ["https://example.com/?q#f", "https://example.com/sitemap.xml", "sitemap"],
  ["https://user:pw@example.com/", "https://example.com/sitemap.xml", "sitemap"],
  ["https://example.com:443/", "https://EXAMPLE.com/sitemap.xml", "sitemap"],
  ["https://example.com/", "http://example.com/sitemap.xml", NOT_FOUND],
  ["https://example.com/", "https://example.com:8443/sitemap.xml", NOT_FOUND],
  ["https://example.com/", "https://www.example.com/sitemap.xml", NOT_FOUND],
  ["https://example.com/", "not a URL", NOT_FOUND],
  ["https://example.com/docs/", "https://example.com/docs/sitemap.xml", "sitemap"],
  ["https://example.com/docs", "https://example.com/docs/sitemap.xml", "sitemap"],
  ["https://example.com//docs//", "https://example.com/docs/sitemap.xml", "sitemap"],
  ["https://example.com/docs/v1.2/", "https://example.com/docs/v1.2/a/b/c.xml", "deep"],
  ["https://example.com/d%6fcs/", "https://example.com/%64ocs/sitemap.xml", "sitemap"],
  ["https://example.com/@me/ü/", "https://example.com/@me/%C3%BC/sitemap.xml", "sitemap"],
  ["https://example.com/docs/", "https://example.com/sitemap.xml", NOT_FOUND],
  ["https://example.com/docs/", "https://example.com/docs/", NOT_FOUND],
  ["https://example.com/docs/", "https://example.com/docs-2/sitemap.xml", NOT_FOUND],
  ["https://example.com/docs/", "https://example.com/Docs/sitemap.xml", NOT_FOUND],
  ["https://example.com/docs/", "https://example.com/docs%2fsitemap.xml", NOT_FOUND],
];

Deno.test("folderFetch() takes a base URL with or without a path", () =>
  withFolder(
    { "site/sitemap.xml": "sitemap", "site/a/b/c.xml": "deep" },
    async (folder) => {
      for (const [base, url, expected] of BASES) {
        assertEquals([base, url, await read(`${folder}/site`, url, base)], [base, url, expected]);
      }
    },
  ));

Deno.test("folderFetch() rejects base URLs that are not http(s), without their password", () => {
  const bad = ["", "dist", "example.com", "ftp://u:pw@example.com/", "file:///", "https://"];
  for (const base of [...bad, "https://example.com/%2f/", "https://example.com/%"]) {
    const error = assertThrows(() => folderFetch(".", base), TypeError, "Cannot serve a folder at");
    assert(!error.message.includes("pw"), error.message);
  }
});

Deno.test("folderFetch() throws for a folder that does not exist, and for a file", () =>
  withFolder({ "sitemap.xml": "x" }, (folder) => {
    const codeOf = (path: string) => {
      const error = assertThrows(() => folderFetch(`${folder}/${path}`, HOME), Error);
      return (error as Error & { code?: string }).code;
    };
    assertEquals(codeOf("missing"), "ENOENT");
    assertEquals(codeOf("sitemap.xml"), "ENOTDIR");
  }));

Deno.test(
  "symbolic links are followed inside of the folder only",
  { ignore: IS_WINDOWS },
  () =>
    withFolder({
      "secret.xml": "secret",
      "outside/sitemap.xml": "secret",
      "site-2/sitemap.xml": "secret",
      "site/real/sitemap.xml": "inside",
      "site/file.xml": { link: "real/sitemap.xml" },
      "site/absolute.xml": { link: "{{folder}}/site/real/sitemap.xml" },
      "site/dir": { link: "real" },
      "site/around.xml": { link: "../site/real/sitemap.xml" },
      "site/twice.xml": { link: "file.xml" },
      "site/out.xml": { link: "../secret.xml" },
      "site/out-absolute.xml": { link: "{{folder}}/secret.xml" },
      "site/out-twice.xml": { link: "out.xml" },
      "site/out": { link: "../outside" },
      "site/beside": { link: "../site-2" },
      "site/up": { link: ".." },
      "site/root": { link: "/" },
      "site/loop.xml": { link: "loop.xml" },
      "site/dangling.xml": { link: "nothing.xml" },
      "served": { link: "site" },
    }, async (folder) => {
      for (const served of ["site", "served", "./site/../served/", "site/dir/.."]) {
        for (
          const path of ["file.xml", "absolute.xml", "dir/sitemap.xml", "around.xml", "twice.xml"]
        ) {
          assertEquals([path, await read(`${folder}/${served}`, HOME + path)], [path, "inside"]);
        }
        const outside = [
          ...["out.xml", "out-absolute.xml", "out-twice.xml", "out/sitemap.xml", "up/secret.xml"],
          ...["beside/sitemap.xml", `root${folder}/secret.xml`, "loop.xml", "dangling.xml", "dir"],
        ];
        for (const path of outside) {
          assertEquals([path, await read(`${folder}/${served}`, HOME + path)], [path, NOT_FOUND]);
        }
      }
    }),
);

Deno.test(
  "pipes, sockets and devices have no document",
  { ignore: IS_WINDOWS },
  () =>
    withFolder({ "null.xml": { link: "/dev/null" } }, async (folder) => {
      const made = await new Deno.Command("mkfifo", { args: [`${folder}/pipe.xml`] }).output();
      assert(made.success);
      using socket = Deno.listen({ transport: "unix", path: `${folder}/socket.xml` });
      assert(socket.addr !== undefined);
      for (const name of ["pipe.xml", "socket.xml", "null.xml"]) {
        assertEquals(await read(folder, HOME + name), NOT_FOUND);
      }
      // a device in the folder itself
      assertEquals(await read("/dev", `${HOME}zero`), NOT_FOUND);
    }),
);

Deno.test(
  "the root of the file system can be a folder",
  { ignore: IS_WINDOWS },
  () =>
    withFolder({ "sitemap.xml": "sitemap" }, async (folder) => {
      assertEquals(await read("/", `${HOME.slice(0, -1)}${folder}/sitemap.xml`), "sitemap");
    }),
);

Deno.test("a file that is denied is 403, and not retried", {
  ignore: IS_WINDOWS || Deno.uid() === 0,
}, () =>
  withFolder({ "sitemap.xml": "x" }, async (folder) => {
    await Deno.chmod(`${folder}/sitemap.xml`, 0);
    assertEquals(await read(folder, `${HOME}sitemap.xml`), "403 permission denied");
  }));

const TYPES: Readonly<Record<string, string>> = {
  "a.xml": "application/xml",
  "a.XML": "application/xml",
  "a.txt": "text/plain",
  "a.rss": "application/rss+xml",
  "a.atom": "application/atom+xml",
  "a.html": "text/html",
  "a.json": "application/json",
  "a.xml.gz": "application/gzip",
  "a.bin": "application/octet-stream",
  "a": "application/octet-stream",
  "constructor": "application/octet-stream",
  "x.constructor": "application/octet-stream",
};

Deno.test("folderFetch() answers GET and HEAD, with types by extension", () => {
  const files = Object.fromEntries(Object.keys(TYPES).map((name) => [name, "a"]));
  return withFolder({ ...files, "a.xml.gz": gzipSync("<urlset/>") }, async (folder) => {
    const fetch = folderFetch(folder, HOME);
    const typeOf = async (name: string) => {
      const response = await fetch(HOME + name, { method: "HEAD" });
      assertEquals([response.status, response.body], [200, null]);
      assertEquals(response.headers.get("content-encoding"), null);
      const { size } = await Deno.stat(`${folder}/${name}`);
      assertEquals(response.headers.get("content-length"), String(size));
      return response.headers.get("content-type");
    };
    for (const [name, type] of Object.entries(TYPES)) {
      assertEquals([name, await typeOf(name)], [name, type]);
    }
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const response = await fetch(`${HOME}a.xml`, { method });
      assertEquals([response.status, response.headers.get("allow")], [405, "GET, HEAD"]);
    }
    const reason = new Error("stopped");
    const aborted = () => fetch(`${HOME}a.xml`, { signal: AbortSignal.abort(reason) });
    assertEquals(await assertRejects(aborted), reason);
  });
});

Deno.test("large files are streamed, and closed when they are cancelled", () =>
  withFolder({ "large.txt": "" }, async (folder) => {
    const bytes = 2 ** 33;
    await Deno.truncate(`${folder}/large.txt`, bytes);
    const response = await folderFetch(folder, HOME)(`${HOME}large.txt`, {});
    assertEquals(response.headers.get("content-length"), String(bytes));
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    assert(value!.length > 0 && value!.length <= 2 ** 20);
    await reader.cancel();
  }));

Deno.test("Folder.fileOf() returns the path of the file behind a URL, from the folder", () =>
  withFolder({ "sitemap.xml": "x", "a/b c.xml": "x" }, (path) => {
    const folder = new Folder(path, "https://example.com/docs/");
    const fileOf = (url: string) => folder.fileOf(new URL(url, folder.url).href);
    assertEquals(folder.url.href, "https://example.com/docs/");
    assertEquals(fileOf("sitemap.xml?x"), "sitemap.xml");
    assertEquals(fileOf("a/b%20c.xml"), "a/b c.xml");
    for (const url of ["/sitemap.xml", "a/", "missing.xml", "https://other.test/sitemap.xml"]) {
      assertEquals(fileOf(url), undefined);
    }
  }));

// -------------------------------------------------------------------------------------- walks

async function walked(
  folder: string,
  base = HOME,
  options: WalkOptions = {},
): Promise<{ events: TreeEvent[]; lines: string[] }> {
  const fetch = folderFetch(folder, base);
  const events = await Array.fromAsync(walk(base, { fetch, ...options }));
  const lines = events.flatMap((event) =>
    event.type === "page"
      ? `page ${event.page.url}`
      : event.type === "invalid"
      ? `${event.code} ${event.sitemap.url}: ${event.reason}`
      : event.type === "warning"
      ? `warning ${event.code}`
      : event.type === "finished"
      ? `${event.verdict}, ${event.stats.retries} retries`
      : []
  );
  return { events, lines };
}

Deno.test("walk() reads robots.txt, indexes, gzip and feeds of a folder", () =>
  withFolder({
    "robots.txt": `Sitemap: ${HOME}maps/index.xml\nSitemap: /feed.rss\n`,
    "maps/index.xml": index(`${HOME}maps/1.xml.gz?v=2`, `${HOME}maps/2.txt`),
    "maps/1.xml.gz": gzipSync(urlset(`${HOME}1`)),
    "maps/2.txt": `${HOME}2\n`,
    "feed.rss": `<rss><channel><item><link>${HOME}3</link></item></channel></rss>`,
    "sitemap.xml": urlset(`${HOME}4`),
  }, async (folder) => {
    const { lines } = await walked(folder);
    assertEquals(lines, [
      "warning relative-address",
      ...[1, 2, 3, 4].map((page) => `page ${HOME}${page}`),
      "complete, 0 retries",
    ]);
  }));

Deno.test("children of an index that are not in the folder are invalid, without retries or pauses", () =>
  withFolder({
    "secret.xml": urlset(`${HOME}secret`),
    "site/sitemap.xml": index(
      `${HOME}missing.xml`,
      `${HOME}folder/`,
      `${HOME}..%2fsecret.xml`,
      "https://cdn.example.com/a.xml",
      "http://example.com/b.xml",
    ),
    "site/folder/x.txt": "",
  }, async (folder) => {
    const { lines, events } = await walked(`${folder}/site`);
    assertEquals(lines, [
      ...[
        ...[`${HOME}missing.xml`, `${HOME}folder/`, `${HOME}..%2fsecret.xml`],
        ...["https://cdn.example.com/a.xml", "http://example.com/b.xml"],
      ].map((url) => `http-status ${url}: 404 not in the folder`),
      "partial, 0 retries",
    ]);
    const [invalid] = events.filter((event) => event.type === "invalid");
    assertEquals(invalid?.status, 404);
  }));

Deno.test("a folder at a path is walked from there", () =>
  withFolder({
    "robots.txt": "Sitemap: https://example.com/docs/a.xml\n",
    "a.xml": urlset("https://example.com/docs/1"),
    "sitemap.xml": urlset("https://example.com/docs/2"),
  }, async (folder) => {
    const base = "https://example.com/docs/";
    const { lines } = await walked(folder, base, { normalizeHomepageUrl: false });
    assertEquals(lines, [`page ${base}1`, `page ${base}2`, "complete, 0 retries"]);
    // robots.txt of the origin is not in the folder
    assertEquals((await walked(folder, base)).lines, [`page ${base}2`, "complete, 0 retries"]);
  }));

Deno.test("a walk of a folder stops at once, and leaves no file open", () =>
  withFolder({
    "sitemap.xml": index(...Array.from({ length: 20 }, (_, at) => `${HOME}${at}.txt`)),
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`${at}.txt`, `${HOME}${at}\n`.repeat(50_000)]),
    ),
  }, async (folder) => {
    const fetch = folderFetch(folder, HOME);
    let pages = 0;
    for await (const { type } of walk(HOME, { fetch })) if (type === "page" && ++pages > 10) break;
    assertEquals(pages, 11);
  }));
