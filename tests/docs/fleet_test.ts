import { assert, assertEquals, assertMatch } from "@std/assert";
// @ts-types="npm:@types/pg@8.23.1"
import pg from "pg";
import { openFleet } from "../../src/fleet/mod.ts";
import { serveSite } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { PublicApi } from "../support/public_api.ts";
import { codeBlocks, codeSpans, readText, ROOT, section, tableRows } from "./markdown.ts";
import { CONFIG_PATH, exampleEnv, PRELOAD, runDeno } from "./shell.ts";

const GUIDE = "docs/fleet.md";
const PAGE = "docs/fleet-sql.md";

/** A run in which every recipe finds something. */
const SITES: Readonly<Record<string, string>> = {
  "https://one.example/": `<url><loc>https://one.example/</loc><lastmod>2024-05-01</lastmod></url>
    <url><loc>https://one.example/news</loc><news:news
      xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><news:publication><news:name>Rye
      </news:name><news:language>en</news:language></news:publication>
      <news:publication_date>2024-05-01</news:publication_date><news:title>Rye harvest</news:title>
      </news:news></url>
    <url><loc>https://shared.example/</loc></url>`,
  "https://two.example/": "<url><loc>https://shared.example/</loc></url>",
};
const OTHERS: Readonly<Record<string, number>> = {
  "https://three.example/": 404,
  "https://four.example/": 403,
  "https://five.example/": 503,
};

const fetch = (url: string): Promise<Response> => {
  const { origin, pathname } = new URL(url);
  const pages = SITES[`${origin}/`];
  const isBroken = origin.includes("two.") && pathname === "/b.xml";
  const status = isBroken ? 404 : pages === undefined ? OTHERS[`${origin}/`] ?? 404 : 200;
  const body = pathname === "/robots.txt"
    ? `Sitemap: ${origin}/a.xml\nSitemap: ${origin}/b.xml`
    : pathname === "/a.xml"
    ? `<urlset>${pages}</urlset>`
    : `<urlset><url><loc>${origin}/b</loc></url></urlset>`;
  return Promise.resolve(new Response(status === 200 ? body : null, { status }));
};

/** Calls back with the database of a fleet that has walked. */
async function withTables(callback: (client: pg.Client) => Promise<void>): Promise<void> {
  await using server = await startPostgres();
  await using fleet = await openFleet(server.url, { walk: { fetch, retries: 0 } });
  await fleet.enqueue("nightly", [...Object.keys(SITES), ...Object.keys(OTHERS)]);
  const stop = new AbortController();
  const work = fleet.work({ signal: stop.signal });
  for await (const { done, waiting, total } of fleet.progress("nightly", { interval: 50 })) {
    if (done + waiting === total) break;
  }
  stop.abort();
  await work;
  const client = new pg.Client(server.url);
  await client.connect();
  try {
    await client.query(`
      insert into sitetree.host values ('six.example', now() + interval '1 hour');
      insert into sitetree.lease
      values ('six.example', 0, 1, 1, 1, 'w1', true, now(), now() + interval '30s');
    `);
    await callback(client);
  } finally {
    await client.end();
  }
}

const ON_POSTGRES = { ignore: !HAS_POSTGRES };

Deno.test(
  "the SQL recipes find rows, and the page has every table and column",
  ON_POSTGRES,
  async () => {
    const recipes = codeBlocks(readText(PAGE)).filter(({ tag }) => tag === "sql");
    assert(recipes.length > 15, "the recipes were found");
    await withTables(async (client) => {
      for (const { code } of recipes) {
        // what is copied needs a stream to go to
        const isCopy = code.startsWith("copy");
        const sql = isCopy ? /\(([^]*?)\n\)/.exec(code)![1]! : code;
        const { rows } = await client.query(sql).catch((error) => {
          throw new Error(`${error.message}\n${code}`);
        });
        assert(rows.length > 0, code);
      }
      const { rows: tables } = await client.query<{ table: string; columns: string[] }>(
        `select c.relname as table, array_agg(attname::text order by attnum) as columns
      from pg_attribute join pg_class c on c.oid = attrelid
      where c.relnamespace = 'sitetree'::regnamespace and c.relkind = 'r' and attnum > 0
        and c.relname in ('fleet_run', 'fleet_site', 'host', 'lease', 'tally')
      group by 1`,
      );
      const documented = tableRows(section(readText(PAGE), "Tables"));
      assertEquals(
        documented.map(([table = ""]) => codeSpans(table)[0]).toSorted(),
        tables.map(({ table }) => table).sort(),
      );
      for (const { table, columns } of tables) {
        const [, , cell = ""] = documented.find(([name]) => name === `\`${table}\``) ?? [];
        // what parentheses explain are values
        const names = codeSpans(cell.replace(/\([^)]*\)/g, ""));
        assertEquals(names, columns, table);
      }
    });
  },
);

Deno.test(
  "the program of the page on fleets passes the type checker and runs",
  ON_POSTGRES,
  async () => {
    const [block, ...others] = codeBlocks(readText(GUIDE)).filter(({ tag }) => tag === "ts ignore");
    assertEquals(others, []);
    const [written = ""] = /postgres:[^"]+/.exec(block!.code) ?? [];
    await using server = await startPostgres();
    await using site = serveSite("demo", { origin: "https://example.com" });
    await inFolder(async (folder) => {
      const path = `${folder}/program.ts`;
      await Deno.writeTextFile(path, block!.code.replace(written, server.url));
      const { code, stdout, stderr } = await runDeno(
        ["run", "--quiet", "--check", "--allow-all", `--config=${CONFIG_PATH}`, PRELOAD, path],
        { folder, env: exampleEnv(site) },
      );
      assertEquals(code, 0, stderr);
      assertMatch(stdout, /^https:\/\/example\.com\/ https:\S+\.xml /m);
    });
  },
);

Deno.test("the page on fleets has every option, with its default, method, error and verdict", async () => {
  // the options of a fleet extend those of a connection
  const modules = ["src/fleet/mod.ts", "src/sync/mod.ts"];
  const api = await PublicApi.of(...modules.map((path) => new URL(path, ROOT).pathname));
  const rows = tableRows(section(readText(GUIDE), "Library"));
  const [options, methods] = ["FleetOptions", "Fleet"].map((name) => api.membersOf(name));
  assert(options!.length > 5 && methods!.length > 10, "the members were read");
  assertEquals(
    rows.flatMap(([cell = ""]) => codeSpans(cell)).toSorted(),
    [...options!, ...methods!].filter((name) => !name.startsWith("[")).sort(),
  );
  for (const name of options!) {
    const [, number] = /Default: (\d+)/.exec(api.docOf("FleetOptions", name)) ?? [];
    const [, stated] = rows.find(([cell]) => cell === `\`${name}\``) ?? [];
    if (number !== undefined) assertEquals([name, stated], [name, number]);
  }
  const guide = readText(GUIDE);
  const files = ["src/fleet/errors.ts", "src/sync/postgres_errors.ts"];
  const codes = files.flatMap((
    file,
  ) => [.../ code: ("[^;]+);/.exec(readText(file))![1]!.matchAll(/"(.+?)"/g)]);
  assert(codes.length > 5, "the codes were read");
  for (const [, code] of codes) assert(guide.includes(`\`${code}\``), code);
  assertEquals(
    tableRows(section(guide, "How a site is walked")).map(([cell = ""]) => codeSpans(cell)[0]),
    ["complete", "partial", "none", "blocked", "failed"],
  );
});
