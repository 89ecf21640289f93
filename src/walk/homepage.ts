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

/** A URL without user info, which goes nowhere but into headers. */
export function withoutUserInfo(url: URL): URL {
  if (url.username === "" && url.password === "") return url;
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare;
}
