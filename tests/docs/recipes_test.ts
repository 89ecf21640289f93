import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openSnapshot } from "../../src/sync/mod.ts";
import { type Route, serveRoutes } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { readText } from "./markdown.ts";
import {
  blocksOf,
  FORBIDDEN,
  hasPrograms,
  PAGE,
  serveSitemaps,
  update,
  urlset,
} from "./recipes.ts";
import { runShell } from "./shell.ts";

Deno.test("recipe: a deployment is compared with the live site in the summary of a job", async () => {
  const site = { isBlocked: false };
  await using live = serveRoutes({
    "/sitemap.xml": ({ url }) => {
      if (site.isBlocked) return undefined;
      const { origin } = new URL(url);
      return new Response(
        urlset({ [`${origin}/`]: "<lastmod>2024-05-01</lastmod>", [`${origin}/old`]: "" }),
      );
    },
    "*": (request, path) => site.isBlocked ? FORBIDDEN(request, path) : undefined,
  });
  const [workflow = ""] = blocksOf("Before a deployment", "yaml", {
    "https://example.com/": live.url,
  });
  const { version } = JSON.parse(readText("deno.json")) as { version: string };
  const [, line = ""] = /- run: npx (.*)$/m.exec(workflow) ?? [];
  const command = line.replace(`@sitetree/sitetree@${version}`, "sitetree");
  assertMatch(command, /^sitetree diff /);
  await inFolder(async (folder) => {
    const summary = `${folder}/summary.md`;
    const build = (...paths: string[]) =>
      Deno.writeTextFile(
        `${folder}/dist/sitemap.xml`,
        urlset(paths.map((path) => live.origin + path)),
      );
    const run = async (line: string): Promise<{ code: number; written: string }> => {
      await Deno.writeTextFile(summary, "");
      const { code } = await runShell(line, { folder, env: { GITHUB_STEP_SUMMARY: summary } });
      return { code, written: await Deno.readTextFile(summary) };
    };
    await Deno.mkdir(`${folder}/dist`);
    await build("/", "/old");
    assertEquals((await run(command)).code, 0, "dates do not count");
    await build("/", "/new");
    const { code, written } = await run(command);
    assertEquals(code, 10);
    assertMatch(written, /1 added, 0 changed, 1 removed/);
    for (const path of ["/new", "/old"]) assertStringIncludes(written, `${live.origin}${path}\``);
    const [pass = ""] = /\|\| test \$\? = 10/.exec(readText(PAGE)) ?? [];
    assertEquals((await run(`${command} ${pass}`)).code, 0);
    site.isBlocked = true;
    const blocked = await run(command);
    assertEquals(blocked.code, 3);
    const [said, found] = [/blocked/, /1 added|2 added/].map((text) =>
      blocked.written.search(text)
    );
    assert(said! >= 0 && said! < found!, blocked.written);
    assert((await run(`${command} ${pass}`)).code !== 0);
  });
});

Deno.test("recipe: a preview is read as the live site, and one with a login is blocked", async () => {
  const key = "Bearer preview";
  const dated = "<lastmod>2024-05-01</lastmod>", type = { "content-type": "application/xml" };
  await using live = serveSitemaps({ "/sitemap.xml": (origin) => urlset([`${origin}/old`]) });
  await using preview = serveRoutes({
    "*": ({ headers }, path) => {
      if (headers.get("authorization") !== key) return new Response(null, { status: 401 });
      if (path !== "/sitemap.xml") return undefined;
      return new Response(urlset({ [`${live.origin}/new`]: dated }), { headers: type });
    },
  });
  await using renamed = serveSitemaps({ "/sitemap.xml": (origin) => urlset([`${origin}/new`]) });
  const hosts = (origin: string) => ({
    "https://example.com": live.origin,
    "https://preview-123.example.dev": origin,
  });
  const [script = ""] = blocksOf("Preview deployments", "bash", hosts(preview.origin));
  const [, byAddress = ""] = blocksOf("Preview deployments", "bash", hosts(renamed.origin));
  const [check = "", ls = "", diff = "", ...others] = script.trimEnd().split("\n");
  assertEquals(others, []);
  await inFolder(async (folder) => {
    const blocked = await runShell(check, { folder });
    assertEquals(blocked.code, 5, blocked.stderr);
    const header = ` -H 'Authorization: ${key}'`;
    const checked = await runShell(check + header, { folder });
    assertEquals(checked.code, 0, checked.stdout + checked.stderr);
    assertStringIncludes(checked.stdout, live.url);
    assertEquals((await runShell(ls + header, { folder })).code, 0);
    const expected = `+ ${live.origin}/new\n- ${live.origin}/old\n`;
    assertEquals((await runShell(diff, { folder })).stdout, expected);
    assertEquals(
      (await runShell(byAddress, { folder })).stdout,
      `+ ${renamed.origin}/new\n- ${live.origin}/old\n`,
    );
  });
});

const LINK_CHECKER = "A link checker";

Deno.test("recipe: check requests the pages, and reports failures and redirects", async () => {
  const statuses: Record<string, number> = { "/ok": 200, "/gone": 404, "/moved": 301 };
  await using server = serveSitemaps(
    { "/a.xml": (origin) => urlset(Object.keys(statuses).map((path) => origin + path)) },
    (_request, path) =>
      new Response(null, { status: statuses[path] ?? 404, headers: { location: "/ok" } }),
  );
  const [command = ""] = blocksOf(LINK_CHECKER, "bash", { "https://example.com/": server.url });
  await inFolder(async (folder) => {
    const { code, stdout, stderr } = await runShell(command, { folder });
    assertEquals(code, 11, stderr);
    assertMatch(stdout, /^error page-status$/m);
    assertMatch(stdout, /^ *\/gone +404 /m);
    assertStringIncludes(stdout, `/moved  to ${server.origin}/ok\n`);
  });
});

Deno.test("recipe: a link checker prints the pages that fail", {
  ignore: !hasPrograms("curl", "xargs"),
}, async () => {
  const statuses = { "/ok": 200, "/it's{a,b}": 200, "/moved": 301, "/gone": 404, "/broken": 500 };
  const urls = (origin: string) => Object.keys(statuses).map((path) => origin + path);
  await using server = serveSitemaps(
    {
      "/a.xml": (origin) => urlset([...urls(origin), "http://127.0.0.1:1/refused"]),
      "/b.xml": (origin) => urlset(urls(origin)),
    },
    (_request, path) =>
      new Response("page", { status: statuses[path as keyof typeof statuses] ?? 404 }),
  );
  const [, script = ""] = blocksOf(LINK_CHECKER, "bash", { "https://example.com/": server.url });
  await inFolder(async (folder) => {
    const { code, stdout } = await runShell(script, { folder });
    assertEquals(code, 123);
    assertEquals(stdout.trimEnd().split("\n").sort(), [
      "000 http://127.0.0.1:1/refused",
      `404 ${server.origin}/gone`,
      `500 ${server.origin}/broken`,
    ]);
    assertEquals(server.counts["/ok"], 1);
  });
});

Deno.test("recipe: a link checker ends with the exit code of a walk that is partial or blocked", {
  ignore: !hasPrograms("curl", "xargs"),
}, async () => {
  await using server = serveSitemaps(
    { "/a.xml": (origin) => urlset([`${origin}/ok`]), "/missing.xml": () => "<html>" },
    (_request, path) => path === "/ok" ? new Response("page") : undefined,
  );
  await using blocked = serveRoutes({ "*": FORBIDDEN });
  await inFolder(async (folder) => {
    for (const [url, expected] of [[server.url, 3], [blocked.url, 5]] as const) {
      const [, script = ""] = blocksOf(LINK_CHECKER, "bash", { "https://example.com/": url });
      const { code, stdout, stderr } = await runShell(script, { folder });
      assertEquals({ code, stdout }, { code: expected, stdout: "" }, stderr);
    }
  });
});

/** A server that answers as the bulk API of Elasticsearch and OpenSearch does. */
class SearchIndex {
  /** Documents by their ids. */
  readonly documents = new Map<string, unknown>();
  requests = 0;
  /** What it answers with: success, an error, or success with errors of single documents. */
  mode: "works" | "fails" | "rejects" = "works";

  readonly route: Route = async (request) => {
    this.requests++;
    const lines = (await request.text()).split("\n");
    const isBulk = request.method === "POST" && lines.pop() === "" &&
      request.headers.get("content-type") === "application/x-ndjson";
    if (!isBulk || this.mode === "fails") return new Response("Bad\n", { status: 503 });
    if (this.mode === "rejects") return Response.json({ errors: true, items: ["rejected"] });
    while (lines.length > 0) {
      const { index, delete: removed } = JSON.parse(lines.shift()!);
      if (removed !== undefined) this.documents.delete(removed._id);
      else this.documents.set(index._id, JSON.parse(lines.shift()!));
    }
    return Response.json({ errors: false, items: [] });
  };
}

Deno.test("recipe: a search index gets additions, changes and removals, at least once", {
  ignore: !hasPrograms("jq", "curl", "split"),
}, async () => {
  const index = new SearchIndex();
  await using search = serveRoutes({ "/pages/_bulk": index.route });
  let pages: Record<string, string> = {};
  await using server = serveSitemaps({ "/a.xml": () => urlset(pages) });
  const [script = ""] = blocksOf("A search index that follows a site", "bash", {
    "http://localhost:9200": search.origin,
  });
  const at = (path: string) => `${server.origin}${path}`;
  await inFolder(async (folder) => {
    // as cron has it
    const run = () => runShell(script, { folder, env: { SHELL: "/bin/sh" } });
    const hasFile = () => [...Deno.readDirSync(folder)].some(({ name }) => /chan/.test(name));
    for (let number = 0; number < 5001; number++) pages[at(`/${number}`)] = "";
    await update(folder, server.url);
    assertEquals((await run()).code, 0);
    assertEquals([index.documents.size, index.requests, hasFile()], [5001, 2, false]);
    assertEquals((await run()).code, 0);
    assertEquals([index.requests, hasFile()], [2, false], "nothing is sent again");

    pages = {
      [at("/0")]: "<lastmod>2024-05-01</lastmod>",
      [at("/new?a=1&amp;b='2'")]: "",
      ...Object.fromEntries(Object.entries(pages).slice(2)),
    };
    await update(folder, server.url);
    {
      // a program that has read the changes, and crashed
      await using snapshot = await openSnapshot(`${folder}/site.db`, { readOnly: true });
      const read = await Array.fromAsync(snapshot.changes({ consumer: "search" }));
      assertEquals(read.map(({ type }) => type).sort(), ["added", "changed", "removed"]);
    }
    for (const mode of ["fails", "rejects"] as const) {
      index.mode = mode;
      const { code, stderr } = await run();
      assert(code !== 0 && hasFile(), mode);
      assertMatch(stderr, mode === "fails" ? /\b503\b/ : /rejected/);
    }
    index.mode = "works";
    assertEquals((await run()).code, 0);
    assertEquals(hasFile(), false);
    assertEquals(index.documents.size, 5001);
    assertEquals(index.documents.get(at("/0")), { url: at("/0"), lastModified: "2024-05-01" });
    assertEquals(index.documents.has(at("/1")), false);
    assertEquals(index.documents.has(at("/new?a=1&b='2'")), true);
  });
});
