/**
 * Families of namespaces: what a prefix and a namespace mean in a format, in any version and spelling.
 *
 * @module
 */

import { type ExtensionPrefix, NAMESPACES } from "../data/page_schema.ts";
import type { ElementNode } from "../xml/steps.ts";
import { ATOM_NAMESPACES, type Draft, type Format } from "./schema.ts";

/** Returns the namespace that a binding should have, if it has another one. */
export function intendedNamespace(prefix: string, uri: string): string | undefined {
  const extension = extensionOf(uri) ?? prefix.toLowerCase();
  const intended = prefix !== "" && Object.hasOwn(NAMESPACES, extension)
    ? NAMESPACES[extension as ExtensionPrefix]
    : uri;
  return intended === uri ? undefined : intended;
}

/** Group of namespaces with one meaning; `own` is that of the format itself. */
type Family = "own" | Extension | "foreign";
type Extension = ExtensionPrefix | "atom" | "dcterms" | "dc";

/** Parts of the namespaces of each extension, in any version; the first that matches is used. */
const NAMESPACE_PARTS: Readonly<Record<Extension, readonly string[]>> = {
  news: ["/sitemap-news/"],
  image: ["/sitemap-image/"],
  video: ["/sitemap-video/"],
  xhtml: ["/1999/xhtml"],
  atom: ATOM_NAMESPACES,
  dcterms: ["purl.org/dc/terms/"],
  dc: ["purl.org/dc/"],
};
const EXTENSIONS = Object.keys(NAMESPACE_PARTS) as readonly Extension[];

function extensionOf(uri: string): Extension | undefined {
  return EXTENSIONS.find((prefix) => NAMESPACE_PARTS[prefix].some((part) => uri.includes(part)));
}

/** Returns the family of a name by its prefix and namespace, in a document with a root element. */
export function familyOf(
  prefix: string,
  uri: string | undefined,
  root: Pick<ElementNode<unknown>, "name" | "uri">,
  { namespaces: own, hasAnyDefault }: Format<Draft>,
): Family {
  if (uri === root.uri && prefix === root.name.prefix) return "own";
  const extension = uri && extensionOf(uri);
  // Atom is an extension of RSS, and not of itself
  if (extension && NAMESPACE_PARTS[extension] !== own) return extension;
  if (uri === "" || (uri !== undefined && uri === root.uri)) return "own";
  if (uri !== undefined && own.some((part) => uri.includes(part))) return "own";
  if (prefix === "" && hasAnyDefault) return "own";
  const conventional = prefix.toLowerCase();
  return EXTENSIONS.find((prefix) => prefix === conventional) ?? "foreign";
}
