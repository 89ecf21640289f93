import { assert, assertEquals, assertMatch } from "@std/assert";
import { gzipSync } from "node:zlib";
import { parseArguments } from "../../src/cli/arguments.ts";
import type { Source } from "../../src/cli/run/reading.ts";
import { readingPlan } from "../../src/cli/sources.ts";
import { type Files, withFolder } from "../disk/with_folder.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { idleReading } from "./idle_reading.ts";
import { ALL_PERMISSIONS, runCli } from "./run_cli.ts";
import { closedUrl, index, urlset } from "./sites.ts";
import { assertTranscript } from "./transcript.ts";

const ALL = { permissions: ALL_PERMISSIONS };
const IS_WINDOWS = Deno.build.os === "windows";
const HOME = "https://example.com/";

/** A built site with a robots.txt and an index of a gzipped and of a plain sitemap. */
const SITE: Files = {
  "dist/robots.txt": `Sitemap: ${HOME}maps/index.xml\n`,
  "dist/maps/index.xml": index(`${HOME}maps/1.xml.gz`, `${HOME}maps/2.xml?v=1`),
  "dist/maps/1.xml.gz": gzipSync(urlset(`${HOME}one`)),
  "dist/maps/2.xml": urlset(`${HOME}two`),
};

Deno.test("ls and report read operands of every kind, with the same pages", async () => {
  const paths = ["/one", "/two"];
  await using server = serveRoutes({
    "/sitemap.xml": () => new Response(urlset(...paths.map((path) => server.origin + path))),
  });
  const { origin } = server;
  const { host } = new URL(origin);
  const document = urlset(...paths.map((path) => origin + path));
  await withFolder({
    "dist/sitemap.xml": document,
    "127.0.0.1": document,
    "sitemap.xml": document,
    "packed": gzipSync(document),
  }, async (cwd) => {
    const options = { ...ALL, cwd };
    const saved = await runCli(["ls", "-f", "events", server.url], options);
    await Deno.writeTextFile(`${cwd}/walk.ndjson`, saved.stdout);
    await Deno.writeTextFile(`${cwd}/marked.txt`, `\ufeff\n  \n${saved.stdout}`);
    await Deno.writeFile(`${cwd}/walk.ndjson.gz`, gzipSync(saved.stdout));
    await Deno.writeFile(`${cwd}/walk-without-name`, gzipSync(saved.stdout));
    assertEquals((await runCli(["sync", server.url, "site.db"], options)).code, 0);
    await Deno.copyFile(`${cwd}/site.db`, `${cwd}/snapshot.xml`);
    const operands = [
      ...[server.url, `${server.url}sitemap.xml`, host, "dist", "./dist", `${cwd}/dist/`],
      ...["127.0.0.1", "sitemap.xml", "./sitemap.xml", "packed", "site.db", "./snapshot.xml"],
      ...["walk.ndjson", "walk.ndjson.gz", "./walk-without-name", "marked.txt"],
    ];
    const expected = paths.map((path) => `${origin}${path}\n`).join("");
    for (const operand of operands) {
      const listed = await runCli(["ls", "-f", "pages", operand], options);
      assertEquals([operand, listed.code, listed.stdout], [operand, 0, expected]);
      const { code, stdout } = await runCli(["report", "-f", "json", operand], options);
      const { hosts } = JSON.parse(stdout);
      assertEquals([operand, code, hosts], [operand, 0, [{ name: host, pages: 2 }]]);
    }
  });
});

Deno.test("a folder is read as the site at --url, or the one that its files name", () =>
  withFolder(SITE, async (cwd) => {
    const options = { ...ALL, cwd };
    await assertTranscript("folders", {}, [
      { args: ["ls", "dist"], options },
      { args: ["ls", "./dist", "--url", HOME, "--sitemaps"], options },
      { args: ["ls", "dist", "-f", "pages", "-q"], options },
      { args: ["ls", "dist", "-u", "-f", "pages", "--match", "two"], options },
      { args: ["ls", "dist", "--url", "https://www.example.com", "-f", "pages"], options },
      { args: ["ls", "dist/maps", "-f", "pages", "--url", `${HOME}maps`], options },
      {
        args: ["ls", "dist/maps", "-f", "pages", "--url", `${HOME}maps`, "--known-path=index.xml"],
        options,
      },
      { args: ["ls", "dist", "-f", "pages", "--exclude", "1.xml"], options },
      { args: ["report", "dist", "--url", HOME], options },
    ]);
  }));

Deno.test("the site of a folder is the origin of the first absolute URL in its files", async () => {
  const sitemap = urlset("/relative", "https://pages.test/a", "https://other.test/");
  const cases: readonly (readonly [files: Files, origin: string, name: string])[] = [
    [
      { "robots.txt": "Sitemap: https://robots.test/x\n", "sitemap.xml": sitemap },
      "robots",
      "robots.txt",
    ],
    [{ "robots.txt": "Sitemap: /x.xml\n", "sitemap.xml": sitemap }, "pages", "sitemap.xml"],
    [{ "robots.txt": "User-agent: *", "sitemap.xml": sitemap }, "pages", "sitemap.xml"],
    [{ "sitemap.xml.gz": gzipSync(sitemap) }, "pages", "sitemap.xml.gz"],
    [
      { "sitemap.xml": urlset("/a"), "sitemap_index.xml": index("https://index.test:81/a.xml") },
      "index",
      "sitemap_index.xml",
    ],
    [
      { "sitemap-index.xml": index("/a.xml", "https://index.test:81/b") },
      "index",
      "sitemap-index.xml",
    ],
    [{ "sitemap.txt": "/a\nhttps://pages.test/b\n" }, "pages", "sitemap.txt"],
  ];
  for (const [files, origin, name] of cases) {
    await withFolder(files, async (cwd) => {
      const { stderr } = await runCli(["ls", "-f", "pages", "."], { ...ALL, cwd });
      const url = `https://${origin}.test${origin === "index" ? ":81" : ""}/`;
      assertEquals(
        stderr.split("\n")[0],
        `Reading "." as ${url}, named by ${name}; --url names another`,
      );
    });
  }
});

Deno.test("a --url that no file of a folder names is asked about", async () => {
  const folder = {
    "robots.txt": "Sitemap: https://www.example.org/sitemap.xml\n",
    "sitemap.xml": urlset("https://www.example.org/a"),
  };
  const cdn = { ...folder, "robots.txt": "Sitemap: https://cdn.example.org/sitemap.xml\n" };
  const rows: readonly (readonly [files: Files, url: string, named?: string, meant?: string])[] = [
    [folder, "https://www.example.org/"],
    [folder, "https://www.example.org/docs/"],
    [folder, "https://exmaple.org/", "robots.txt names https://www.example.org/"],
    [folder, "http://www.example.org/", "robots.txt names https://www.example.org/"],
    [folder, "https://example.org/docs/", "robots.txt names https://www.example.org/", "docs/"],
    // some of them do
    [cdn, "https://www.example.org/"],
    [cdn, "https://example.org/", "robots.txt names https://cdn.example.org/"],
    [
      { "sitemap.xml": urlset("https://a.test/") },
      "https://b.test/",
      "sitemap.xml names https://a.test/",
    ],
    [{ "sitemap.xml": urlset("/a", "/b") }, "https://b.test/"],
    [{ "other.xml": urlset("https://a.test/") }, "https://b.test/"],
  ];
  for (const [files, url, named, path = ""] of rows) {
    await withFolder(files, async (cwd) => {
      for (const command of ["ls", "explain"]) {
        const { stderr } = await runCli([command, ".", "--url", url], { ...ALL, cwd });
        const [first = ""] = stderr.split("\n");
        const meant = named?.split(" ").at(-1);
        const expected = `Reading "." as ${url}, but ${named}: did you mean --url ${meant}${path}?`;
        if (named !== undefined) assertEquals(first, expected);
        else assert(!stderr.includes("did you mean"), stderr);
      }
    });
  }
});

Deno.test("bad folders and cut files are one clear line and an exit code", () =>
  withFolder({
    ...SITE,
    "empty/x": "",
    "pages/index.html": "<html></html>",
    "pages/sitemap.txt": "/relative\n",
    "secret.xml": urlset(`${HOME}secret`),
    "links/sitemap.xml": { link: "../secret.xml" },
    "links/maps": { link: "../dist/maps" },
    "outside/sitemap.xml": index(
      "https://cdn.example.com/a.xml",
      "http://127.0.0.1/b.xml",
      `${HOME}c.xml`,
    ),
    "pages.ndjson": '{"url":"https://example.com/"}\n',
  }, async (cwd) => {
    await Deno.remove(`${cwd}/empty/x`);
    const options = { ...ALL, cwd };
    const ls = ["ls", "-f", "pages"];
    const { stdout } = await runCli(["ls", "-f", "events", "--url", HOME, "dist"], options);
    const cutAtLine = stdout.split("\n").slice(0, 5).join("\n");
    await Deno.writeTextFile(`${cwd}/line.ndjson`, cutAtLine);
    await Deno.writeTextFile(`${cwd}/cut.ndjson`, cutAtLine.slice(0, -20));
    await Deno.writeFile(`${cwd}/cut.ndjson.gz`, gzipSync(stdout).subarray(0, 200));
    const results = await assertTranscript("folders_bad", {}, [
      { args: [...ls, "empty"], options },
      { args: [...ls, "empty", "--url", HOME], options },
      { args: ["report", "empty"], options },
      { args: [...ls, "pages"], options },
      { args: [...ls, "pages", "--url", HOME, "--no-known"], options },
      { args: [...ls, "links"], options },
      { args: [...ls, "links", "--url", HOME, "--known-path", "maps/2.xml"], options },
      { args: [...ls, "outside", "-v"], options },
      { args: [...ls, "./missing/"], options },
      { args: [...ls, "dist", "--url", "dist"], options },
      { args: [...ls, "dist", "--url", `${HOME}%/`], options },
      { args: [...ls, "cut.ndjson"], options },
      { args: [...ls, "line.ndjson"], options },
      { args: ["report", "cut.ndjson.gz"], options },
      { args: [...ls, "pages.ndjson"], options },
      { args: [...ls, "empty", "dist"], options },
      { args: ["explain", "./dist"], options },
      { args: ["explain", "dist", "--url", HOME, "-f", "json", "--no-known"], options },
    ]);
    assertEquals(results.map(({ code }) => code), [
      ...[2, 4, 2, 2, 4, 2, 4, 3, 1, 2, 2],
      ...[1, 3, 1, 1, 2, 0, 0],
    ]);
  }));

const HOST_HINT = (word: string) => `for a host, write "https://${word}"`;
const READERS = '"ls", "check", "report" and "diff" read folders and files';

/** Words that a command does not read, and what is said about them instead of looking for a host. */
const NOT_READ: readonly (readonly [args: string, message: string, hint?: string])[] = [
  ...["ls", "check", "report", "explain"].flatMap((command) =>
    [
      [`${command} x.xml`, 'Cannot read "x.xml": no such file or folder', HOST_HINT("x.xml")],
      [`${command} nosuch/`, 'Cannot read "nosuch/": no such file or folder', HOST_HINT("nosuch/")],
      [`${command} ./x`, 'Cannot read "./x": no such file or folder'],
      [`${command} ../nosuch`, 'Cannot read "../nosuch": no such file or folder'],
      [`${command} ~/x`, 'Cannot read "~/x": no such file or folder'],
    ] as const
  ),
  ["diff dist x.xml", 'Cannot read "x.xml": no such file or folder', HOST_HINT("x.xml")],
  ["ls --from sites.txt", 'Cannot read "sites.txt": no such file or folder'],
  [
    "explain dist/robots.txt",
    'Cannot read "dist/robots.txt": "explain" reads sites and folders',
    READERS,
  ],
  ...["./dist", "dist", "dist/", "dist/robots.txt", "nosuch/", "x.xml", "~/x", "a.db", "."].map((
    word,
  ) => [`sync ${word} site.db`, `Cannot read "${word}": "sync" reads sites`, READERS] as const),
  ["sync dist dist/robots.txt", 'Cannot read "dist": "sync" reads sites', READERS],
  ["changes dist", 'Cannot open "dist": it is a folder'],
];

Deno.test("words that look like paths are not looked for as hosts", () =>
  withFolder(SITE, async (cwd) => {
    const permissions = [...ALL_PERMISSIONS, "--allow-env"];
    const results = await Promise.all(
      NOT_READ.map(([args]) => runCli([...args.split(" "), "-q"], { permissions, cwd })),
    );
    for (const [at, [args, message, hint]] of NOT_READ.entries()) {
      const { stdout, stderr, code } = results[at]!;
      const lines = hint === undefined ? [message] : [message, `  ${hint}`];
      const expected = `error: ${lines.join("\n")}\n`;
      const exitCode = message.includes(" reads ") ? 2 : 1;
      assertEquals([args, code, stdout, stderr], [args, exitCode, "", expected]);
    }
  }));

Deno.test("a folder is read without permission for the network, and files outside are not read", {
  ignore: IS_WINDOWS,
}, () =>
  withFolder({ ...SITE, "dist/maps/3.xml": urlset(`${HOME}three`) }, async (cwd) => {
    const permissions = [`--allow-read=${cwd}/dist`];
    const { code, stdout } = await runCli(["ls", "-f", "pages", "./dist"], { cwd, permissions });
    assertEquals([code, stdout], [0, `${HOME}one\n${HOME}two\n`]);
    const denied = await runCli(["ls", "-f", "pages", "./dist"], { cwd, permissions: [] });
    assertEquals(denied.code, 1);
    assertMatch(denied.stderr, /Cannot read ".\/dist": no permission to read files/);
  }));

Deno.test("a folder is read without the pauses of a site", () =>
  withFolder({ ...SITE, "dist/robots.txt": "User-agent: *\nCrawl-delay: 86400\n" }, async (cwd) => {
    const words = ["ls", "-f", "pages", "dist", "--url", HOME, "--wait=1d", "--respect-robots"];
    const map = ["--known-path", "maps/index.xml"];
    const { code, stdout } = await runCli([...words, ...map], { ...ALL, cwd });
    assertEquals([code, stdout], [0, `${HOME}one\n${HOME}two\n`]);
  }));

Deno.test("a folder of another origin is read at the one that it is mapped to", () =>
  withFolder({
    "sitemap.xml": index("https://cdn.example.com/a.xml"),
    "a.xml": urlset(`${HOME}one`),
  }, async (cwd) => {
    const map = `--map-origin=https://cdn.example.com=${HOME}`;
    const { code, stdout } = await runCli(["ls", "-fpages", ".", "--url", HOME, map], {
      ...ALL,
      cwd,
    });
    assertEquals([code, stdout], [0, `${HOME}one\n`]);
  }));

Deno.test("sources of folders and sitemap files know the file behind a URL", () =>
  withFolder({ ...SITE, "sitemap.xml": urlset(`${HOME}one`) }, async (cwd) => {
    const open = async (...words: string[]): Promise<Source> => {
      const { sources: [source] } = await readingPlan(parseArguments("ls", words));
      for await (const _batch of source!.read(idleReading(source!.name)));
      return source!;
    };
    const folder = await open(`${cwd}/dist`, "--url", `${HOME}docs/`);
    assertEquals(folder.site?.href, `${HOME}docs/`);
    assertEquals(folder.fileOf?.(`${HOME}docs/maps/2.xml?v=1`), "maps/2.xml");
    assertEquals(folder.fileOf?.(`${HOME}docs/robots.txt`), "robots.txt");
    for (const url of [`${HOME}maps/2.xml`, `${HOME}docs/`, `${HOME}docs/missing.xml`]) {
      assertEquals(folder.fileOf?.(url), undefined);
    }
    const path = `${cwd}/sitemap.xml`;
    assertEquals((await open(path, "--url", `${HOME}s.xml`)).fileOf?.(`${HOME}s.xml`), path);
    const file = await open(path);
    assertEquals(file.fileOf?.(new URL(`file://${path}`).href), path);
    assertEquals(file.fileOf?.(`${HOME}one`), undefined);
  }));

Deno.test(
  "a pipe is read once, and by its content",
  { ignore: IS_WINDOWS },
  () =>
    withFolder({ ...SITE, "sitemap.xml.gz": gzipSync(urlset(`${HOME}three`)) }, async (cwd) => {
      const options = { ...ALL, cwd };
      const saved = await runCli(["ls", "-f", "events", "--url", HOME, "dist"], options);
      await Deno.writeFile(`${cwd}/walk.ndjson.gz`, gzipSync(saved.stdout));
      const script =
        "mkfifo walk sitemap; cat walk.ndjson.gz > walk & cat sitemap.xml.gz > sitemap";
      await using writer = new Deno.Command("sh", { args: ["-c", script], cwd }).spawn();
      for (const name of ["walk", "sitemap"]) {
        while (!await Deno.lstat(`${cwd}/${name}`).then(({ isFifo }) => isFifo, () => false));
      }
      const [walk, sitemap] = await Promise.all(
        ["./walk", "./sitemap"].map((name) => runCli(["ls", "-f", "pages", name], options)),
      );
      assertEquals([walk?.code, walk?.stdout], [0, `${HOME}one\n${HOME}two\n`]);
      assertEquals([sitemap?.code, sitemap?.stdout], [0, `${HOME}three\n`]);
      assert((await writer.status).success);
    }),
);

Deno.test("--map-origin walks a preview as the site, and never the site itself", async () => {
  await using server = serveRoutes({
    "/robots.txt": () => new Response(`Sitemap: ${HOME}a.xml\n`),
    "/a.xml": () => Response.redirect(`${server.url}b.xml`),
    "/b.xml": () => new Response(urlset(`${HOME}one`)),
  });
  const { origin: closed } = new URL(closedUrl());
  const map = `--map-origin=https://example.com=${server.origin}`;
  const toClosed = ["--map-origin", `https://example.com=${closed}`];
  await withFolder({}, async (cwd) => {
    const options = { ...ALL, cwd };
    const results = await assertTranscript("map_origin", { preview: server.url, closed }, [
      { args: ["ls", HOME, map], options },
      { args: ["ls", "example.com", map, "--sitemaps"], options },
      { args: ["explain", HOME, map, "--no-known"], options },
      { args: ["ls", "-f", "pages", "example.com", ...toClosed, "--retries=0"], options },
      { args: ["ls", HOME, "--map-origin", "https://example.com"], options },
      { args: ["ls", HOME, "--map-origin", `https://example.com/=${server.url}a/`], options },
    ]);
    assertEquals(results.map(({ code }) => code), [0, 0, 0, 5, 2, 2]);
    const permissions = [`--allow-net=${new URL(server.url).host}`];
    const { code } = await runCli(["ls", "-kf", "pages", HOME, map], { cwd, permissions });
    assertEquals(code, 0);
  });
});

Deno.test("sync takes --map-origin, and mapOrigin in its lists", async () => {
  await using server = serveRoutes({
    "/sitemap.xml": () => new Response(urlset(`${HOME}one`)),
  });
  const entry = { url: "example.com", mapOrigin: { "https://example.com": server.origin } };
  await withFolder({ "sites.txt": JSON.stringify(entry) }, async (cwd) => {
    const map = `--map-origin=https://example.com=${server.origin}`;
    for (const args of [["example.com", "a.db", map], ["--from", "sites.txt", "b.db"]]) {
      const { code, stdout } = await runCli(["sync", ...args, "-f", "text"], { ...ALL, cwd });
      assertEquals([code, stdout], [0, `+ ${HOME}one\n`]);
    }
    const { stdout } = await runCli(["snapshot", "sites", "b.db", "-f", "ndjson"], { ...ALL, cwd });
    assertEquals(JSON.parse(stdout).site, HOME);
  });
});
