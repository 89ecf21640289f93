/**
 * The sites of the chaos test, generated from a seed: 300 on 100 hosts, of every shape that a fleet
 * has to cope with.
 *
 * @module
 */

import { Random } from "../../tests/support/random.ts";
import type { SiteEntry } from "../../src/fleet/mod.ts";

/** A page as a sitemap lists it. */
export interface ListedPage {
  readonly url: string;
  readonly lastmod: string;
}

/** Content of a URL. */
export type Document =
  | { readonly type: "robots"; readonly sitemaps: readonly string[] }
  | { readonly type: "index"; readonly sitemaps: readonly string[] }
  | {
    readonly type: "pages";
    readonly pages: readonly ListedPage[];
    readonly gzip?: boolean;
    /** Whether the body is sent in parts with pauses. */
    readonly slow?: boolean;
  }
  | { readonly type: "redirect"; readonly target: string }
  | { readonly type: "missing" }
  | { readonly type: "unavailable" }
  | { readonly type: "truncated" }
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
  /** Returns the documents of a round, from 0. */
  documents(round: number): Documents;
}

/** Name of a shape. */
export type ShapeName =
  | "plain"
  | "index"
  | "nested"
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
  | "busy"
  | "flaky"
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
const POISONED_HOSTS = 2;
/** Hosts whose sites ask for a time between requests. */
const PACED_HOSTS = 8;
/** Milliseconds between two requests to such a host. */
export const WAIT = 400;
/** Path of robots.txt, which every walk requests first. */
export const ROBOTS = "/robots.txt";

/** Some pages: in each version, a tenth are new, as many are gone, and some have another date. */
function pages({ origin, version }: ShapeInput, name: string, count: number): Document {
  const first = version * Math.ceil(count / 10);
  const page = (at: number): ListedPage => ({
    url: `${origin}/${name}/${at}`,
    lastmod: `20${10 + (at % 5 < version ? version : 0)}-01-01`,
  });
  return { type: "pages", pages: Array.from({ length: count }, (_, at) => page(first + at)) };
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
  /** Asks for a pause at first, see `busySeconds()`. */
  busy: (input) => declared(input, several(input, "s", 3, 4)),
  /** Fails for a while, see `failureAt()`. */
  flaky: (input) => declared(input, several(input, "s", 3, 4)),
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

/**
 * Shapes that are the same in every round: something of them cannot be read, so that pages that are not
 * listed any more would be kept for some time.
 */
const CONSTANT: ReadonlySet<ShapeName> = new Set<ShapeName>([
  "empty",
  "missing",
  "known",
  "poison",
]);

/** Number of sites by shape; the others are `plain`. */
const COUNTS: Partial<Record<ShapeName, number>> = {
  index: 45,
  nested: 32,
  gzip: 16,
  large: 16,
  twice: 14,
  empty: 10,
  missing: 14,
  none: 10,
  known: 3,
  busy: 10,
  flaky: 10,
  unavailable: 4,
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
      const isPaced = !isPoisoned && host < POISONED_HOSTS + PACED_HOSTS;
      const shape = isPoisoned && port === PORTS[0]
        ? "poison"
        : isPoisoned || isPaced
        ? "plain"
        : undefined;
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

/** Whether the sites of a host ask for a time between requests. */
export function isPaced(host: string): boolean {
  const [, number] = /^h(\d+)\.test$/.exec(host) ?? [];
  return number !== undefined && Number(number) >= POISONED_HOSTS &&
    Number(number) < POISONED_HOSTS + PACED_HOSTS;
}

/** Creates a site of a shape. */
export function createSite(authority: string, shape: ShapeName, seed: number): ChaosSite {
  const origin = `http://${authority}`;
  const { hostname: host } = new URL(origin);
  const versions = new Map<number, Documents>();
  // redirects lead to sites that change together
  const changes = !CONSTANT.has(shape) && (seed % 3 > 0 || /^(?:www\.)?a/.test(host));
  return {
    authority,
    host,
    shape,
    entry: {
      url: `${origin}/`,
      userAgent: authority,
      ...(shape === "known" && { useKnownPaths: true }),
      ...(isPaced(host) && { wait: WAIT }),
    },
    documents(round) {
      const version = changes ? round : 0;
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

/** Returns how a path fails when it has been asked for so many times in a round, if it does. */
export function failureAt(
  { shape, authority }: ChaosSite,
  path: string,
  asked: number,
): Document | undefined {
  if (path !== "/s1.xml") return undefined;
  if (shape === "busy" && asked === 0) {
    return { type: "busy", seconds: 3 + authority.charCodeAt(1) % 4 };
  }
  // more often than a request is retried
  if (shape === "flaky" && asked < 2) {
    return { type: authority.charCodeAt(1) % 2 === 0 ? "unavailable" : "truncated" };
  }
  return undefined;
}

function shuffle(items: unknown[], random: Random): void {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [items[at], items[other]] = [items[other], items[at]];
  }
}
