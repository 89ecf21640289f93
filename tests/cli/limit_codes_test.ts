/**
 * Verdict and exit code of a walk by what is lost, by the limit that is given, and by the source: a site,
 * then the events that were saved of it, with the limit and without.
 */

import { assertEquals } from "@std/assert";
import { index } from "../faults/documents.ts";
import {
  type Answer,
  FaultServer,
  type FaultSite,
  head,
  ok,
  raw,
  status,
} from "../support/fault_server.ts";
import { runCli } from "./run_cli.ts";

const ALL = { permissions: ["--allow-all"] };

const LIMITS = {
  "none": [],
  "max-pages": ["--max-pages=3"],
  "max-sitemaps": ["--max-sitemaps=2"],
  "max-depth": ["--max-depth=1"],
  "deadline": ["--deadline=0s"],
} as const;

const WELL = pages("/1", "/2");
const CUT = raw(head(200, { "Content-Length": "999" }), "<urlset><url><loc>/1</loc></url>");

function pages(...paths: string[]): Answer {
  return ok(`<urlset>${paths.map((path) => `<url><loc>${path}</loc></url>`).join("")}</urlset>`);
}

function declaring(...lines: string[]): Answer {
  return ok(lines.map((line) => `Sitemap: ${line}\n`).join(""));
}

/** A site whose first sitemap is given, and whose second leads one level down. */
function siteOf(first: Answer, more: FaultSite = {}): FaultSite {
  return {
    "/robots.txt": declaring("/first.xml", "/index.xml", "/last.xml"),
    "/first.xml": first,
    "/index.xml": index("/deep.xml"),
    "/deep.xml": pages("/3", "/4"),
    "/last.xml": pages("/5", "/6"),
    ...more,
  };
}

/** Indexes down to a sitemap that is deeper than the default of `maxDepth`. */
const CHAIN: FaultSite = Object.fromEntries(
  Array.from({ length: 11 }, (_, at) => [`/${at + 1}.xml`, index(`/${at + 2}.xml`)]),
);

const SITES: Readonly<Record<string, FaultSite>> = {
  "nothing": siteOf(WELL),
  "an invalid sitemap": siteOf(status(404)),
  "a truncated sitemap": siteOf(CUT),
  "an entry of an index": siteOf(index("mailto:a", "/deep.xml")),
  "a line of robots.txt": siteOf(WELL, {
    "/robots.txt": declaring("mailto:a", "/first.xml", "/index.xml", "/last.xml"),
  }),
  "a sitemap at level 12": siteOf(index("/1.xml"), CHAIN),
  "robots.txt by 500": siteOf(WELL, {
    "/robots.txt": status(500),
    "/sitemap.xml": index("/first.xml", "/deep.xml", "/last.xml"),
  }),
  "robots.txt by 403": siteOf(WELL, {
    "/robots.txt": status(403),
    "/sitemap.xml": index("/first.xml", "/deep.xml", "/last.xml"),
  }),
  "all by 403": { "*": status(403) },
  "all by 404": {},
};

/** What is lost; for each limit the verdict, and the exit codes of the site and of its saved events. */
const EXPECTED = `
what is lost | none | max-pages | max-sitemaps | max-depth | deadline
nothing | complete 0 0 | partial 0 0 | partial 0 0 | partial 0 0 | partial 3 3
an invalid sitemap | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3
a truncated sitemap | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3
an entry of an index | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3
a line of robots.txt | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3
a sitemap at level 12 | partial 3 3 | partial 3 3 | partial 0 0 | partial 0 0 | partial 3 3
robots.txt by 500 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3 | partial 3 3
robots.txt by 403 | complete 0 0 | partial 0 0 | partial 0 0 | complete 0 0 | partial 3 3
all by 403 | blocked 5 5 | blocked 5 5 | blocked 5 5 | blocked 5 5 | partial 3 3
all by 404 | none 4 4 | none 4 4 | none 4 4 | none 4 4 | partial 3 3
`;

Deno.test("the exit code of a limit depends on what else is lost, on a site and in saved events", async () => {
  const saved = await Deno.makeTempFile({ suffix: ".ndjson" });
  const rows = [`what is lost | ${Object.keys(LIMITS).join(" | ")}`];
  try {
    for (const [lost, site] of Object.entries(SITES)) {
      const cells = [lost];
      for (const limit of Object.values(LIMITS)) {
        await using server = new FaultServer(site);
        const walk = ["ls", "-f", "events", "--concurrency=1", "--retries=0", ...limit];
        const { code, stdout } = await runCli([...walk, `${server.origin}/`], ALL);
        const { verdict } = JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
        await Deno.writeTextFile(saved, stdout);
        const { code: again } = await runCli(["ls", "-f", "pages", saved], ALL);
        cells.push(`${verdict} ${code} ${again}`);
      }
      rows.push(cells.join(" | "));
    }
  } finally {
    await Deno.remove(saved);
  }
  assertEquals(`\n${rows.join("\n")}\n`, EXPECTED);
});
