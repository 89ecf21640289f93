/** A site of many small sitemaps in three versions, which differ in every way that matters. @module */

import {
  type Entry,
  index,
  rated,
  type Reply,
  robots,
  type Site,
  urlset,
} from "./scripted_site.ts";

export const VERSIONS = 3;

/** Returns a version of the site, from 0, with so many sitemaps; at least 12. */
export function changingSite(version: number, size: number): Site {
  const children: string[] = [];
  const sitemaps: Record<string, string | Reply> = {};
  for (let at = 0; at < size; at++) {
    const reply = replyOf(at, version);
    const path = `/s${at}.xml`;
    if (reply === undefined) continue;
    children.push(path);
    sitemaps[path] = reply;
  }
  // the order of the last two changes
  if (version === 1) children.push(children.splice(-2, 1)[0]!);
  return {
    "/robots.txt": {
      body: robots("/failing.xml", "/lost.xml", "/index.xml", "/extra.xml"),
      etag: '"robots"',
    },
    "/failing.xml": version === 1 ? { status: 500 } : index("/f/0.xml", "/f/1.xml"),
    "/f/0.xml": urlset("/f/0", "/shared/2"),
    "/f/1.xml": urlset("/f/1"),
    "/lost.xml": version > 0 ? { status: 404 } : index("/l/0.xml", "/l/1.xml"),
    "/l/0.xml": urlset("/l/0", rated("/shared/0", 0.7)),
    "/l/1.xml": urlset("/l/1"),
    "/index.xml": { body: index(...children), etag: `"index ${version}"` },
    "/extra.xml": urlset("/extra", "/shared/0", rated("/shared/1", 0.9)),
    ...sitemaps,
  };
}

/** Returns the response of a sitemap; `undefined` if it is not listed. */
function replyOf(at: number, version: number): Reply | undefined {
  const own: Entry[] = [0, 1, 2].map((page) => `/p/${at}/${page}`);
  const shared: Entry = [`/shared/${at % 3}`, `<priority>0.${at % 9}</priority>`];
  const body = (...entries: Entry[]): Reply => ({ body: urlset(...entries, shared) });
  // in the first version, all are alike
  switch (version === 0 ? -1 : at) {
    case 1: // values change
      return body(...own.map((page): Entry => [`${page}`, `<priority>0.${version}</priority>`]));
    case 2: // a page is dropped, another one is new
      return body(...own.slice(1), `/new/${version}`);
    case 3: // gone in the second run without it
      return { status: 404 };
    case 4: // fails once
      return version === 1 ? { status: 500 } : body(...own);
    case 5: // not listed any more
      return undefined;
    case 6: // truncated once
      return version === 1 ? { ...body(...own), cut: 0.5 } : body(...own.slice(1));
    case 7: // empty twice
      return { body: urlset() };
    case 8: // drops the page that others list
      return { body: urlset(...own) };
    case 9: // pages move here
      return body(...own, "/p/2/0", "/p/5/0");
    default:
      return at % 2 === 0 ? body(...own) : { ...body(...own), etag: `"${at}"` };
  }
}
