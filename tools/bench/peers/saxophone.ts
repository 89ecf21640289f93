/**
 * saxophone: a small parser that checks little: attributes and references are left to its users.
 *
 * It takes no DOCTYPE, and no blanks in end tags.
 *
 * @module
 */

import Saxophone from "saxophone";
import type { Contender } from "../contender.ts";
import { type Attributes, decodeEach, PageBuilder, XML_KINDS } from "./page_builder.ts";

const NO_ATTRIBUTES: Attributes = {};

function decoded(text: string): string {
  return text.includes("&") ? Saxophone.parseEntities(text) : text;
}

/** The attributes of the only elements whose attributes matter. */
function attributesOf(name: string, written: string): Attributes {
  if (!name.endsWith("link")) return NO_ATTRIBUTES;
  const values: Record<string, string> = Saxophone.parseAttrs(written);
  for (const name in values) values[name] = decoded(values[name]!);
  return values;
}

/** saxophone with pages made of its events. */
export const contender: Contender = {
  name: "saxophone",
  kinds: XML_KINDS,
  read(_kind, chunks, sink) {
    const builder = new PageBuilder(sink);
    const parser = new Saxophone();
    parser.on("tagopen", (tag: { name: string; attrs: string; isSelfClosing: boolean }) => {
      builder.open(tag.name, attributesOf(tag.name, tag.attrs));
      if (tag.isSelfClosing) builder.close(tag.name);
    });
    parser.on("text", (node: { contents: string }) => builder.text(decoded(node.contents)));
    parser.on("cdata", (node: { contents: string }) => builder.text(node.contents));
    parser.on("tagclose", (tag: { name: string }) => builder.close(tag.name));
    return new Promise((resolve, reject) => {
      parser.on("error", reject);
      parser.on("finish", resolve);
      decodeEach(chunks, (text) => void parser.write(text));
      parser.end();
    });
  },
};
