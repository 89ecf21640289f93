/**
 * saxes: the fastest strict SAX parser on npm, and the base of the ratios.
 *
 * Namespaces are on, as in sitetree. `saxes_without_namespaces.ts` has them off.
 *
 * @module
 */

import { type SaxesAttributeNS, SaxesParser } from "saxes";
import type { Contender } from "../contender.ts";
import { type Attributes, decodeEach, PageBuilder, XML_KINDS } from "./page_builder.ts";

const NO_ATTRIBUTES: Attributes = {};

/** The attributes of the only elements whose attributes matter. */
function attributesOf(
  name: string,
  attributes: Readonly<Record<string, SaxesAttributeNS>>,
): Attributes {
  if (!name.endsWith("link")) return NO_ATTRIBUTES;
  const values: Record<string, string> = {};
  for (const name in attributes) values[name] = attributes[name]!.value;
  return values;
}

/** saxes with pages made of its events. */
export const contender: Contender = {
  name: "saxes",
  kinds: XML_KINDS,
  read(_kind, chunks, sink) {
    const builder = new PageBuilder(sink);
    const parser = new SaxesParser({ xmlns: true });
    parser.on("opentag", (tag) => builder.open(tag.name, attributesOf(tag.name, tag.attributes)));
    parser.on("text", (text) => builder.text(text));
    parser.on("cdata", (text) => builder.text(text));
    parser.on("closetag", (tag) => builder.close(tag.name));
    parser.on("error", (error) => {
      throw error;
    });
    decodeEach(chunks, (text) => void parser.write(text));
    parser.close();
  },
};
