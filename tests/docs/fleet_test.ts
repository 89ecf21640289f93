import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Database } from "../../src/fleet/database.ts";
import { openPostgres } from "../../src/fleet/postgres.ts";
import { createPartitions, migrate } from "../../src/fleet/schema.ts";
import { serveSite } from "../support/fixture_server.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { PublicApi } from "../support/public_api.ts";
import { codeBlocks, codeSpans, readText, ROOT, section, tableRows } from "./markdown.ts";

const GUIDE = "docs/fleet.md";
const PAGE = "docs/fleet-sql.md";

/** Two runs in which every recipe finds something. */
const ROWS = `
  insert into sitetree.run(id, total) values ('monday', 7), ('tuesday', 2);
  insert into sitetree.site(
    run, id, homepage, host, authority, verdict, pages, sitemaps, error, failures, units, started,
    finished
  )
  select run, id, 'https://' || host || '/', host, host, verdict, pages, 1, error, failures, units,
    now() - interval '1 hour', case when verdict is null then null else now() end
  from (values
    ('monday', 1, 'one.example', 'complete', 3, null, 0, 0),
    ('monday', 2, 'two.example', 'partial', 1, 'https://two.example/b.xml: 404 Not Found', 0, 0),
    ('monday', 3, 'three.example', 'none', 0, null, 0, 0),
    ('monday', 4, 'four.example', 'dead', 0, 'https://four.example/: 503', 3, 0),
    ('monday', 5, 'five.example', 'dead', 0, 'https://five.example/: 503', 3, 0),
    ('monday', 6, 'six.example', null, 0, 'timeout', 1, 0),
    ('monday', 7, 'seven.example', null, 10, null, 0, 250),
    ('tuesday', 8, 'one.example', 'complete', 4, null, 0, 0),
    ('tuesday', 9, 'three.example', 'none', 0, null, 0, 0)
  ) as t(run, id, host, verdict, pages, error, failures, units);
  insert into sitetree.sitemap(run, id, site, url, type, fence, complete, pages)
  values ('monday', 1, 1, 'https://one.example/a.xml', 'PagesXmlSitemap', 1, true, 3),
    ('monday', 2, 2, 'https://two.example/a.xml', 'PagesXmlSitemap', 1, false, 1),
    ('tuesday', 3, 8, 'https://one.example/a.xml', 'PagesXmlSitemap', 1, true, 4);
  insert into sitetree.page(run, sitemap, seq, url, lastmod, precision, data)
  values ('monday', 1, 0, 'https://one.example/', '2024-05-01', 1, null),
    ('monday', 1, 1, 'https://one.example/news', '2023-01-01', 3,
      '{ "newsStory": { "title": "Rye harvest" } }'),
    ('monday', 1, 2, 'https://shared.example/', null, null, null),
    ('monday', 2, 0, 'https://shared.example/', null, null, null),
    ('tuesday', 3, 0, 'https://one.example/', '2024-05-01', 1, null),
    ('tuesday', 3, 1, 'https://one.example/news', '2023-01-01', 3, null),
    ('tuesday', 3, 2, 'https://shared.example/', null, null, null),
    ('tuesday', 3, 3, 'https://one.example/new', null, null, null);
  insert into sitetree.host values ('six.example', now() + interval '1 hour');
  insert into sitetree.lease(host, slot, run, site, fence, owner, until)
  values ('seven.example', 0, 'monday', 7, 1, 'w1/0', now() + interval '30s');
  insert into sitetree.tally(run, worker, sites, complete, partial, none, dead, pages)
  values ('monday', 'w1/0', 2, 1, 1, 0, 0, 4), ('monday', 'w1/1', 1, 0, 0, 1, 2, 0);
`;

/** Calls back with an empty fleet. */
async function withTables(callback: (database: Database) => Promise<void>): Promise<void> {
  await using server = await startPostgres();
  const database = await openPostgres(server.url, { connections: 2, leaseSeconds: 30 });
  try {
    await migrate(database);
    for (const [at, run] of ["monday", "tuesday"].entries()) {
      await createPartitions(database, run, at + 1);
    }
    await callback(database);
  } finally {
    await database.close();
  }
}

const ON_POSTGRES = { ignore: !HAS_POSTGRES };

Deno.test(
  "the SQL recipes find rows, and the page has every table and column",
  ON_POSTGRES,
  async () => {
    const recipes = codeBlocks(readText(PAGE)).filter(({ tag }) => tag === "sql");
    assert(recipes.length > 15, "the recipes were found");
    await withTables(async (database) => {
      await database.query(ROWS);
      for (const { code } of recipes) {
        const { rows, count } = await database.query(code).catch((error) => {
          throw new Error(`${error.message}\n${code}`);
        });
        if (code.startsWith("copy")) assertEquals(count, 4, code);
        else assert(rows.length > 0, code);
      }
      const { rows: tables } = await database.query<{ table: string; columns: string[] }>(
        `select c.relname as table, array_agg(attname::text order by attnum) as columns
      from pg_attribute join pg_class c on c.oid = attrelid
      where c.relnamespace = 'sitetree'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition and attnum > 0
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
    const path = await Deno.makeTempFile({ suffix: ".ts" });
    try {
      await Deno.writeTextFile(path, block!.code.replace(written, server.url));
      const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "--quiet", "--check", "--allow-all"],
          `--config=${new URL("deno.json", ROOT).pathname}`,
          `--preload=${new URL("tests/support/example_fetch.ts", ROOT).pathname}`,
          path,
        ],
        // the proxy is not used: with one, names are not resolved
        env: { SITETREE_EXAMPLE_SERVER: site.url, HTTPS_PROXY: "http://127.0.0.1:1" },
      }).output();
      assert(success, new TextDecoder().decode(stderr));
      assertMatch(new TextDecoder().decode(stdout), /^https:\/\/example\.com\/ https:\S+\.xml /m);
    } finally {
      await Deno.remove(path);
    }
  },
);

Deno.test("the page on fleets has every option, with its default, method, error and verdict", async () => {
  const api = await PublicApi.of(new URL("src/fleet/mod.ts", ROOT).pathname);
  const rows = tableRows(section(readText(GUIDE), "Library"));
  const [options, methods] = ["FleetOptions", "Fleet"].map((name) => api.membersOf(name));
  assert(options!.length > 5 && methods!.length > 10, "the members were read");
  assertEquals(
    rows.flatMap(([cell = ""]) => codeSpans(cell)).toSorted(),
    [...options!, ...methods!].sort(),
  );
  for (const name of options!) {
    const [, number] = /Default: (\d+)/.exec(api.docOf("FleetOptions", name)) ?? [];
    const [, stated] = rows.find(([cell]) => cell === `\`${name}\``) ?? [];
    if (number !== undefined) assertEquals([name, stated], [name, number]);
  }
  const guide = readText(GUIDE);
  const codes = [...readText("src/fleet/errors.ts").matchAll(/^ +\| "(.+?)"/gm)];
  assert(codes.length > 5, "the codes were read");
  for (const [, code] of codes) assert(guide.includes(`\`${code}\``), code);
  assertEquals(
    tableRows(section(guide, "How a site is walked")).map(([cell = ""]) => codeSpans(cell)[0]),
    ["complete", "partial", "none", "dead"],
  );
});
