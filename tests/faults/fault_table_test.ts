import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { WalkOptions } from "../../mod.ts";
import { type Answer, FaultServer, type FaultSite, ok, redirect } from "../support/fault_server.ts";
import { type Fault, FAULTS, type Parts, type Readable, type Unusable } from "./faults.ts";
import { eventsOf, pathOf, type Summary, summary, summaryOfEvents } from "./summary.ts";

/** Padding between the parts of a document, so that a cut between them truncates the whole. */
const FILLER = `<!-- ${"filler ".repeat(40)}-->\n`;

const SITEMAP: Parts = {
  first: `<urlset>\n<url><loc>{{origin}}/1</loc></url>\n${FILLER}`,
  second: `<url><loc>{{origin}}/2</loc></url>\n</urlset>\n`,
};

const ROBOTS: Parts = {
  first: `Sitemap: {{origin}}/good.xml\n# ${"filler ".repeat(40)}\n`,
  second: "Sitemap: {{origin}}/other.xml\n",
};

const GOOD = ok("<urlset><url><loc>{{origin}}/good</loc></url></urlset>");
const OTHER = ok("<urlset><url><loc>{{origin}}/other</loc></url></urlset>");

/** `/maze?n=1` redirects to `/maze?n=2` and so on. */
const MAZE: Answer = (wire) => {
  const { searchParams } = new URL(wire.request.path, wire.origin);
  return redirect(`/maze?n=${Number(searchParams.get("n")) + 1}`)(wire);
};

/** A document of a walk that can have a fault, with the outcome expected. */
interface Stage {
  readonly parts: Parts;
  readonly site: (fault: Answer) => FaultSite;
  readonly options?: WalkOptions;
  readonly unusable: (fate: Unusable) => Summary;
  readonly readable: (fate: Readable) => Summary;
}

function pagesOf({ parts }: Readable): string[] {
  return ["/1", "/2"].slice(0, parts);
}

/** Returns the summary of a walk that read the sitemap at `path`. */
function read(path: string, { complete, warnings }: Readable, pages: string[]): Summary {
  return summary({
    pages,
    warnings: [...warnings].sort(),
    unfinished: complete ? [] : [path],
    verdict: complete ? "complete" : "partial",
  });
}

const NO_GUESSES: WalkOptions = { useKnownPaths: false };

const STAGES: Readonly<Record<string, Stage>> = {
  "robots.txt": {
    parts: ROBOTS,
    site: (fault) => ({
      "/robots.txt": fault,
      "/sitemap.xml": GOOD,
      "/good.xml": GOOD,
      "/other.xml": OTHER,
    }),
    unusable: ({ robots }) =>
      summary({
        pages: ["/good"],
        warnings: robots === "withheld" || robots === "unknown" ? ["robots-unreadable"] : [],
        verdict: robots === "unknown" ? "partial" : "complete",
      }),
    readable: (fate) => {
      const complete = fate.robotsComplete ?? fate.complete;
      return summary({
        // the declared sitemap, then the known path
        pages: [...["/good", "/other"].slice(0, fate.parts), "/good"],
        warnings: [...(fate.robotsWarnings ?? fate.warnings)],
        unfinished: complete ? [] : ["/robots.txt"],
        verdict: complete ? "complete" : "partial",
      });
    },
  },
  "a declared sitemap": {
    parts: SITEMAP,
    site: (fault) => ({
      "/robots.txt": ok("Sitemap: {{origin}}/fault.xml\nSitemap: {{origin}}/good.xml\n"),
      "/fault.xml": fault,
      "/good.xml": GOOD,
    }),
    options: NO_GUESSES,
    unusable: ({ code }) =>
      summary({ pages: ["/good"], invalid: { "/fault.xml": code }, verdict: "partial" }),
    readable: (fate) => read("/fault.xml", fate, [...pagesOf(fate), "/good"]),
  },
  "the only declared sitemap": {
    parts: SITEMAP,
    site: (fault) => ({
      "/robots.txt": ok("Sitemap: {{origin}}/fault.xml\n"),
      "/fault.xml": fault,
    }),
    options: NO_GUESSES,
    unusable: ({ code, refused }) =>
      summary({ invalid: { "/fault.xml": code }, verdict: refused ? "blocked" : "partial" }),
    readable: (fate) => read("/fault.xml", fate, pagesOf(fate)),
  },
  "the child of an index": {
    parts: SITEMAP,
    site: (fault) => ({
      "/robots.txt": ok("Sitemap: {{origin}}/index.xml\n"),
      "/index.xml": ok(
        "<sitemapindex><sitemap><loc>{{origin}}/good.xml</loc></sitemap>" +
          "<sitemap><loc>{{origin}}/fault.xml</loc></sitemap></sitemapindex>",
      ),
      "/fault.xml": fault,
      "/good.xml": GOOD,
    }),
    options: NO_GUESSES,
    unusable: ({ code }) =>
      summary({ pages: ["/good"], invalid: { "/fault.xml": code }, verdict: "partial" }),
    readable: (fate) => read("/fault.xml", fate, ["/good", ...pagesOf(fate)]),
  },
  "a known path": {
    parts: SITEMAP,
    site: (fault) => ({ "/sitemap.xml": fault, "/sitemap.txt": GOOD }),
    unusable: ({ missing }) =>
      summary({ pages: ["/good"], warnings: missing ? [] : ["probe-failed"] }),
    readable: (fate) => read("/sitemap.xml", fate, [...pagesOf(fate), "/good"]),
  },
  "the only known path": {
    parts: SITEMAP,
    site: (fault) => ({ "/sitemap.xml": fault }),
    options: { useRobots: false },
    unusable: ({ missing, refused }) =>
      summary({
        warnings: missing ? [] : ["probe-failed"],
        verdict: refused ? "blocked" : "none",
      }),
    readable: (fate) => read("/sitemap.xml", fate, pagesOf(fate)),
  },
  "the target of a redirect": {
    parts: SITEMAP,
    site: (fault) => ({
      "/robots.txt": ok("Sitemap: {{origin}}/moved.xml\nSitemap: {{origin}}/good.xml\n"),
      "/moved.xml": redirect("/fault.xml", 301),
      "/fault.xml": fault,
      "/good.xml": GOOD,
    }),
    options: NO_GUESSES,
    unusable: ({ code }) => {
      // a document that was fetched is reported by its final URL
      const cameFrom = code === "empty" || code === "not-a-sitemap" ? "/fault.xml" : "/moved.xml";
      return summary({ pages: ["/good"], invalid: { [cameFrom]: code }, verdict: "partial" });
    },
    readable: (fate) => read("/fault.xml", fate, [...pagesOf(fate), "/good"]),
  },
};

async function strike(stage: Stage, fault: Fault): Promise<void> {
  await using server = new FaultServer({ ...stage.site(fault.answer(stage.parts)), ...mazes() });
  const { fate } = fault;
  const events = await eventsOf(server.url, {
    retries: 1,
    retryDelay: 1,
    ...stage.options,
    ...fault.options,
  });
  const expected = "parts" in fate ? stage.readable(fate) : stage.unusable(fate);
  assertEquals(summaryOfEvents(events), expected);
  if (!("parts" in fate) && fate.reason !== undefined) {
    for (const event of events) {
      if (event.type === "invalid") assertStringIncludes(event.reason, fate.reason);
    }
  }
  await server.idle();
}

/** Every redirect of the maze has a different path. */
function mazes(): FaultSite {
  return Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`/maze?n=${at}`, MAZE]));
}

/** Faults that last until a timeout, which is long enough for slow machines. */
const SLOW_FAULTS = FAULTS.filter(({ options }) => options?.timeout !== undefined);

for (const fault of SLOW_FAULTS) {
  Deno.test(`walk() handles ${fault.name} in any document`, async () => {
    await Promise.all(Object.values(STAGES).map((stage) => strike(stage, fault)));
  });
}

const QUICK_FAULTS = FAULTS.filter((fault) => !SLOW_FAULTS.includes(fault));

for (const [name, stage] of Object.entries(STAGES)) {
  for (const fault of QUICK_FAULTS) {
    Deno.test(`walk() handles ${fault.name} in place of ${name}`, async () => {
      await strike(stage, fault);
    });
  }
}

Deno.test("the table of faults is complete", () => {
  assert(FAULTS.length * Object.keys(STAGES).length >= 300);
  assertEquals(new Set(FAULTS.map(({ name }) => name)).size, FAULTS.length);
  assertEquals(pathOf("http://a.test/b?c"), "/b?c");
});
