/**
 * The homepage: what a walk starts from.
 *
 * @module
 */

import { isHttp } from "../url.ts";

/**
 * The homepage as a URL that ends in one slash, without query and fragment; without path too where
 * `normalize` says so. User info stays, for the headers of the walk.
 *
 * @throws {TypeError} where it is not an http(s) URL with a host
 */
export function parseHomepage(homepageUrl: string | URL, normalize: boolean): URL {
  const homepage = URL.parse(String(homepageUrl));
  if (homepage === null || !isHttp(homepage) || homepage.hostname === "") {
    throw new TypeError(`Cannot walk "${homepageUrl}": not an http(s) URL`);
  }
  homepage.search = "";
  homepage.hash = "";
  homepage.pathname = normalize ? "/" : homepage.pathname.replace(/\/*$/, "/");
  return homepage;
}

/** Returns the path and query of a homepage that {@linkcode parseHomepage} drops, `""` if none. */
export function ignoredPath(homepageUrl: string | URL, homepage: URL): string {
  const { pathname, search } = new URL(homepageUrl);
  const isKept = pathname === "/" || pathname.replace(/\/*$/, "/") === homepage.pathname;
  return (isKept ? "" : pathname) + search;
}

/** A URL without user info, which goes nowhere but into headers. */
export function withoutUserInfo(url: URL): URL {
  if (url.username === "" && url.password === "") return url;
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare;
}
