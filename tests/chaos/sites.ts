/**
 * The sites of the chaos test, generated from a seed: 300 on 100 hosts, of every shape that a fleet
 * has to cope with.
 *
 * @module
 */

import { Random } from "../bench/random.ts";
import type { SiteEntry } from "../../src/fleet/mod.ts";

/** Content of a URL. */
export type Document =
  | { readonly type: "robots"; readonly sitemaps: readonly string[] }
  | { readonly type: "index"; readonly sitemaps: readonly string[] }
  | {
    readonly type: "pages";
    readonly pages: readonly string[];
    readonly gzip?: boolean;
    /** Whether the body is sent in parts with pauses. */
    readonly slow?: boolean;
  }
  | { readonly type: "redirect"; readonly target: string }
  | { readonly type: "missing" }
  | { readonly type: "unavailable" }
  | { readonly type: "busy"; readonly seconds: number }
  | { readonly type: "poison" };

/** Documents of a site by path. */
export type Documents = ReadonlyMap<string, Document>;

/** A site of the chaos test. */
export interface ChaosSite {
  /** Host name and port. */
  readonly authority: string;
  /** Host name. */
  readonly host: string;
  readonly shape: ShapeName;
  /** Entry of the run. Its User-Agent is the authority, which attributes requests to the site. */
  readonly entry: SiteEntry;
  /** Whether it is given up in the end. */
  readonly isDead: boolean;
  /**
   * Returns the documents of a version. Sites that change have another version each time robots.txt
   * is requested.
   */
  documents(version: number): Documents;
}

/** Name of a shape. */
export type ShapeName =
  | "plain"
  | "index"
  | "nested"
  | "split"
  | "splitPartial"
  | "gzip"
  | "large"
  | "twice"
  | "moved"
  | "target"
  | "crossed"
  | "empty"
  | "missing"
  | "none"
  | "known"
  | "changing"
  | "changingSplit"
  | "busy"
  | "unavailable"
  | "poison";

/** Input of a shape. */
interface ShapeInput {
  readonly origin: string;
  readonly authority: string;
  readonly random: Random;
  readonly version: number;
}

type Shape = (input: ShapeInput) => Record<string, Document>;

const PORTS = [8001, 8002, 8003] as const;
const HOSTS = 80;
/** Pairs of a host and its `www` host, which redirect to each other. */
const PAIRS = 10;
/** Hosts with a site that ends its workers. */
const POISONED_HOSTS = 3;
/** Versions of sites that change; the last one stays. */
const VERSIONS = 4;
/** Children of a split index: more than `splitAbove` of the workers. */
export const SPLIT_CHILDREN = 30;
/** Path of robots.txt, which every walk requests first. */
export const ROBOTS = "/robots.txt";

function pages({ origin, version }: ShapeInput, name: string, count: number): Document {
  const page = (at: number) => `${origin}/${name}/${at}?v=${version}`;
  return { type: "pages", pages: Array.from({ length: count }, (_, at) => page(at)) };
}

/** Some sitemaps of a few pages, `/NAME0.xml` and so on. */
function several(
  input: ShapeInput,
  name: string,
  least: number,
  most: number,
): Record<string, Document> {
  const { random } = input;
  const count = least + random.below(most - least + 1);
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `/${name}${at}.xml`,
      pages(input, `${name}${at}`, 1 + random.below(40)),
    ]),
  );
}

function robots({ origin }: ShapeInput, paths: readonly string[]): Document {
  return { type: "robots", sitemaps: paths.map((path) => `${origin}${path}`) };
}

function index({ origin }: ShapeInput, paths: readonly string[]): Document {
  return { type: "index", sitemaps: paths.map((path) => `${origin}${path}`) };
}

/** robots.txt that declares an index of sitemaps. */
function indexed(input: ShapeInput, children: Record<string, Document>): Record<string, Document> {
  return {
    [ROBOTS]: robots(input, ["/index.xml"]),
    "/index.xml": index(input, Object.keys(children)),
    ...children,
  };
}

/** robots.txt that declares sitemaps. */
function declared(input: ShapeInput, children: Record<string, Document>): Record<string, Document> {
  return { [ROBOTS]: robots(input, Object.keys(children)), ...children };
}

/** The other host of a pair. */
function partner(authority: string): string {
  return authority.startsWith("www.") ? authority.slice(4) : `www.${authority}`;
}

const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  plain: (input) => declared(input, several(input, "s", 2, 5)),
  index: (input) => indexed(input, several(input, "s", 3, 7)),
  nested: (input) => {
    const parts = Array.from({ length: 2 + input.random.below(2) }, (_, at) => {
      const children = several(input, `s${at}-`, 2, 4);
      return { path: `/part${at}.xml`, index: index(input, Object.keys(children)), children };
    });
    return {
      ...indexed(input, Object.fromEntries(parts.map(({ path, index }) => [path, index]))),
      ...Object.assign({}, ...parts.map(({ children }) => children)),
    };
  },
  /** Becomes one unit per child. */
  split: (input) => indexed(input, several(input, "s", SPLIT_CHILDREN, SPLIT_CHILDREN)),
  splitPartial: (input) => {
    const children = several(input, "s", SPLIT_CHILDREN, SPLIT_CHILDREN);
    return indexed(input, { ...children, "/s7.xml": { type: "missing" } });
  },
  gzip: (input) => {
    const { random } = input;
    const names = Array.from({ length: 2 + random.below(3) }, (_, at) => `g${at}`);
    return indexed(
      input,
      Object.fromEntries(names.map((name) => {
        const document = pages(input, name, 50 + random.below(400));
        return [`/${name}.xml.gz`, { ...document, gzip: true } as Document];
      })),
    );
  },
  /** Several batches of pages, of which some are committed when the worker dies. */
  large: (input) => {
    const document = pages(input, "large", 2200 + input.random.below(600));
    return declared(input, {
      ...several(input, "s", 1, 2),
      "/large.xml": { ...document, slow: true } as Document,
    });
  },
  /** A sitemap that two indexes list, one of them twice. */
  twice: (input) => {
    const children = several(input, "s", 2, 4);
    const paths = Object.keys(children);
    return {
      [ROBOTS]: robots(input, ["/index.xml", "/other.xml"]),
      "/index.xml": index(input, [...paths, paths[0]!]),
      "/other.xml": index(input, [paths[1]!]),
      ...children,
    };
  },
  /** All sitemaps are on the other host of the pair, which is a site of the run as well. */
  moved: (input) => {
    const { authority } = input;
    const target = (path: string): Document => ({
      type: "redirect",
      target: `http://${partner(authority)}${path}`,
    });
    return declared(input, { "/s0.xml": target("/s0.xml"), "/s1.xml": target("/s1.xml") });
  },
  /** Target of `moved`. */
  target: (input) => indexed(input, several(input, "s", 3, 6)),
  /** Each of two hosts has a sitemap on the other one. */
  crossed: (input) => {
    const { authority } = input;
    return declared(input, {
      ...several(input, "s", 2, 3),
      "/moved.xml": { type: "redirect", target: `http://${partner(authority)}/s1.xml` },
    });
  },
  empty: (input) =>
    declared(input, { ...several(input, "s", 0, 2), "/e.xml": pages(input, "e", 0) }),
  missing: (input) =>
    indexed(input, { ...several(input, "s", 2, 4), "/lost.xml": { type: "missing" } }),
  none: () => ({ [ROBOTS]: { type: "missing" } }),
  /** Found by a known path only. */
  known: (input) => {
    const children = several(input, "s", 1, 2);
    return {
      [ROBOTS]: { type: "missing" },
      "/sitemap.xml": index(input, Object.keys(children)),
      ...children,
    };
  },
  /** Other sitemaps and fewer pages each time. */
  changing: (input) => {
    const { random, version } = input;
    const left = VERSIONS - version;
    const document = pages(input, "large", 700 * left + random.below(50));
    return indexed(input, {
      ...several(input, "s", left, left + 1),
      ...several(input, `v${version}-`, 1, 2),
      "/large.xml": { ...document, slow: true } as Document,
    });
  },
  /** Changes until it is split. */
  changingSplit: (input) => {
    const { version } = input;
    return indexed(input, {
      ...several(input, `v${version}-`, 1, 3),
      ...several(input, "s", SPLIT_CHILDREN - 5 - version, SPLIT_CHILDREN - 5 - version),
    });
  },
  /** Asks for a pause at first, see `busySeconds()`. */
  busy: (input) => declared(input, several(input, "s", 3, 4)),
  unavailable: (input) =>
    Object.fromEntries([ROBOTS, ...Object.keys(several(input, "s", 2, 2))].map((
      path,
    ) => [path, { type: "unavailable" }])),
  /** Ends the process that walks it, at its start or later. */
  poison: (input) =>
    input.random.fraction() < 0.5
      ? { [ROBOTS]: { type: "poison" } }
      : declared(input, { "/s0.xml": pages(input, "s0", 5), "/s1.xml": { type: "poison" } }),
};

/** Shapes whose documents depend on the version. */
const CHANGING: ReadonlySet<ShapeName> = new Set<ShapeName>(["changing", "changingSplit"]);

/** Shapes that are split, so that each child of the index is a unit. */
const SPLIT: ReadonlySet<ShapeName> = new Set<ShapeName>([
  "split",
  "splitPartial",
  "changingSplit",
]);

/** Whether a URL is the sitemap of a unit of a site. */
export function isUnit({ shape }: ChaosSite, { pathname }: URL): boolean {
  return SPLIT.has(shape) && pathname !== ROBOTS && pathname !== "/index.xml";
}

/** Number of sites by shape; the others are `plain`. */
const COUNTS: Partial<Record<ShapeName, number>> = {
  index: 45,
  nested: 32,
  split: 6,
  splitPartial: 2,
  gzip: 16,
  large: 14,
  twice: 14,
  empty: 10,
  missing: 14,
  none: 10,
  known: 3,
  changing: 24,
  changingSplit: 3,
  busy: 10,
  unavailable: 5,
};

/** Returns the sites for a seed. */
export function planSites(seed: number): ChaosSite[] {
  const random = new Random(seed);
  const planned: [authority: string, shape: ShapeName | undefined][] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const crossed = pair % 5 === 0;
    for (const port of PORTS) {
      const [bare, www] = [`a${pair}.test:${port}`, `www.a${pair}.test:${port}`];
      const isPair = port === PORTS[0];
      planned.push([bare, isPair ? crossed ? "crossed" : "moved" : undefined]);
      planned.push([www, isPair ? crossed ? "crossed" : "target" : undefined]);
    }
  }
  for (let host = 0; host < HOSTS; host++) {
    // the other sites of such a host wait for its leases to end, so that they must be few and small
    const isPoisoned = host < POISONED_HOSTS;
    for (const port of PORTS) {
      const shape = !isPoisoned ? undefined : port === PORTS[0] ? "poison" : "plain";
      planned.push([`h${host}.test:${port}`, shape]);
    }
  }
  const open = planned.filter(([, shape]) => shape === undefined).length;
  const shapes = Object.entries(COUNTS).flatMap(([shape, count]) =>
    Array<ShapeName>(count).fill(shape as ShapeName)
  );
  while (shapes.length < open) shapes.push("plain");
  shuffle(shapes, random);
  const sites = planned.map(([authority, shape]) =>
    createSite(authority, shape ?? shapes.pop()!, random.below(2 ** 31))
  );
  shuffle(sites, random);
  // sites that end their workers take longest to be given up
  return sites.sort((a, b) => Number(b.shape === "poison") - Number(a.shape === "poison"));
}

/** Creates a site of a shape. */
export function createSite(authority: string, shape: ShapeName, seed: number): ChaosSite {
  const origin = `http://${authority}`;
  const versions = new Map<number, Documents>();
  return {
    authority,
    host: new URL(origin).hostname,
    shape,
    isDead: shape === "poison" || shape === "unavailable",
    entry: {
      url: `${origin}/`,
      userAgent: authority,
      ...(shape === "known" && { useKnownPaths: true }),
    },
    documents(asked) {
      const version = CHANGING.has(shape) ? Math.min(asked, VERSIONS - 1) : 0;
      const known = versions.get(version);
      if (known !== undefined) return known;
      const random = new Random(seed);
      const documents = SHAPES[shape]({ origin, authority, random, version });
      const map = new Map(Object.entries(documents));
      versions.set(version, map);
      return map;
    },
  };
}

/**
 * Returns the seconds that a path asks to wait when it is requested for the first time; `undefined`
 * if it does not.
 */
export function busySeconds({ shape, authority }: ChaosSite, path: string): number | undefined {
  if (shape !== "busy" || path !== "/s1.xml") return undefined;
  return 3 + authority.charCodeAt(1) % 6;
}

function shuffle(items: unknown[], random: Random): void {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [items[at], items[other]] = [items[other], items[at]];
  }
}
