import { PGlite } from "@electric-sql/pglite";
import { assert, assertEquals } from "@std/assert";
import type { Database, Session } from "../../src/fleet/database.ts";
import { createPartitions, migrate } from "../../src/fleet/schema.ts";
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

/** Calls back with an empty fleet in memory. */
async function withTables(callback: (lite: PGlite) => Promise<void>): Promise<void> {
  await using lite = await PGlite.create();
  const session: Session = {
    async query<R>(sql: string, values: readonly unknown[] = []) {
      const rows = values.length === 0
        ? (await lite.exec(sql)).flatMap(({ rows }) => rows)
        : (await lite.query(sql, [...values])).rows;
      return { rows: rows as R[], count: rows.length };
    },
  };
  const database: Database = {
    ...session,
    backend: "pglite",
    transaction: (work) => work(session),
    close: () => Promise.resolve(),
  };
  await migrate(database);
  for (const [at, run] of ["monday", "tuesday"].entries()) {
    await createPartitions(session, run, at + 1);
  }
  await callback(lite);
}

Deno.test("the SQL recipes find rows, and the page has every table and column", async () => {
  const recipes = codeBlocks(readText(PAGE)).filter(({ tag }) => tag === "sql");
  assert(recipes.length > 15, "the recipes were found");
  await withTables(async (lite) => {
    await lite.exec(ROWS);
    for (const { code } of recipes) {
      // PGlite copies to a file, not to a client
      const { rows, blob } = await lite.query(code.replace("to stdout", "to '/dev/blob'"))
        .catch((error) => {
          throw new Error(`${error.message}\n${code}`);
        });
      if (code.startsWith("copy")) assertEquals((await blob!.text()).split("\n").length, 6, code);
      else assert(rows.length > 0, code);
    }
    const { rows: tables } = await lite.query<{ table: string; columns: string[] }>(
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
});

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
