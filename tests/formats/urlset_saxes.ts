/** Reads a `urlset` with saxes, if the document is well-formed. @module */

import { readDate } from "../../src/data/date.ts";
import { decodeReferences } from "../../src/xml/references.ts";
import { type Node, readTree, type TextReaders, treeOf } from "./saxes_reader.ts";

/** Those of the library: the generated documents have dates and references of any form. */
const READERS: TextReaders = {
  date: (text) => readDate(text),
  title: (text) => decodeReferences(text),
};

function rootOf(text: string, url: string): Node | undefined {
  try {
    return treeOf(text, url, READERS);
  } catch {
    // it is not well-formed
    return undefined;
  }
}

/** Whether an entry is nested in another, which the library then closes. */
function isNested(node: Node, isInEntry: boolean): boolean {
  return node.children.some((child) => {
    const isEntry = child.family === "own" && child.name === "url";
    return (isEntry && isInEntry) || isNested(child, isInEntry || isEntry);
  });
}

/** Returns the pages of a well-formed `urlset` in UTF-8 as JSON; `undefined` for any other document. */
export function saxesPages(
  bytes: Uint8Array,
  base = "https://site.test/dir/sitemap.xml",
): unknown[] | undefined {
  const text = new TextDecoder().decode(bytes);
  if (/encoding=(?!"utf-8")/i.test(text.slice(0, 100))) return undefined;
  const root = rootOf(text, base);
  if (root?.name !== "urlset" || isNested(root, false)) return undefined;
  const [type, ...pages] = readTree(root);
  return type === "PagesXmlSitemap" ? pages : undefined;
}
