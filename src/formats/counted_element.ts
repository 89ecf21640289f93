/**
 * Elements that count, and what names mean inside them: looked up once for each document.
 *
 * @module
 */

import type { XmlName } from "../xml/element.ts";
import type { Families } from "./families.ts";
import type { ElementSpec, ElementTable } from "./record_format.ts";

/** Names and namespaces longer than this together are not worth keeping. */
const MAX_KEPT_LENGTH = 256;

/** What a name means inside an element. */
export interface Meaning<D> {
  /** The namespace it has. */
  readonly uri: string | undefined;
  /** Its family and its name, as tables have them. */
  readonly key: string;
  /** The element that it is there; `undefined` for one that does not count. */
  readonly counted: CountedElement<D> | undefined;
}

/**
 * An element that counts, or the root. Specs come in all shapes; what is looked at with every element
 * is copied, as fields of many shapes take five times as long to look up.
 */
export class CountedElement<D> {
  readonly isEntry: boolean;
  readonly hasMarkup: boolean;
  readonly isPassing: boolean;
  readonly open: ElementSpec<D>["open"];
  readonly value: ElementSpec<D>["value"];
  readonly bytes: ElementSpec<D>["bytes"];
  readonly wants: ElementSpec<D>["wants"];
  readonly separator: ElementSpec<D>["separator"];
  readonly close: ElementSpec<D>["close"];
  readonly #children: ElementSpec<D>["children"];
  /** What names mean inside it, by their index. */
  readonly #meanings: (Meaning<D> | undefined)[] = [];

  constructor(spec: ElementSpec<D>) {
    this.isEntry = spec.entry === true;
    this.hasMarkup = spec.markup === true;
    this.isPassing = spec.isPassing === true;
    this.open = spec.open;
    this.value = spec.value;
    this.bytes = spec.bytes;
    this.wants = spec.wants;
    this.separator = spec.separator;
    this.close = spec.close;
    this.#children = spec.children;
  }

  /** What a name with that namespace means inside it. */
  meaningOf(name: XmlName, uri: string | undefined, families: Families): Meaning<D> {
    const known = name.index < 0 ? undefined : this.#meanings[name.index];
    return known !== undefined && known.uri === uri ? known : this.#lookUp(name, uri, families);
  }

  #lookUp(name: XmlName, uri: string | undefined, families: Families): Meaning<D> {
    const key = `${families.of({ prefix: name.prefix, uri })}:${name.lowerLocal}`;
    const spec = this.#children === undefined ? undefined : specOf(this.#children, key);
    const counted = spec === undefined ? undefined : new CountedElement(spec);
    const meaning = { uri, key, counted };
    const isShort = name.name.length + (uri?.length ?? 0) <= MAX_KEPT_LENGTH;
    if (isShort && name.index >= 0) this.#meanings[name.index] = meaning;
    return meaning;
  }
}

/**
 * What a key stands for in a table. No `get()`: V8 makes every string old that is looked up in a
 * `Map`, and names that come once each, by the million, would pile up.
 */
function specOf<D>(table: ElementTable<D>, key: string): ElementSpec<D> | undefined {
  for (const [other, spec] of table) {
    if (other === key) return spec;
  }
  return undefined;
}
