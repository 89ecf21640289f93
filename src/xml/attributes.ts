/**
 * The attributes of one start tag after the other: decoded, counted, the namespaces they bind.
 *
 * @module
 */

import { ownCopy } from "../text.ts";
import type { AttributeMap } from "./attribute_map.ts";
import type { AttributeName } from "./attribute_names.ts";
import { FewAttributes } from "./few_attributes.ts";
import { MAX_NAME_LENGTH } from "./limited_text.ts";
import { ManyAttributes, MAX_ATTRIBUTES } from "./many_attributes.ts";
import type { Binding } from "./namespaces.ts";
import { decodeReferences } from "./references.ts";
import type { Source } from "./source.ts";

/** Ceilings of a start tag. */
export interface AttributeLimits {
  /** Attributes. */
  readonly maxAttributes: number;
  /** Characters of one value. */
  readonly maxValueLength: number;
}

/** Characters that the attributes of all open elements may have, unless one value may have more. */
const MAX_ATTRIBUTE_WEIGHT = 1024 * 1024;

/** As soon as there are so many, they are no longer looked through one by one. */
const MANY = 16;

const SPACE_REGEXP = /[\n\t]/g;

/** Gathers the attributes of a tag. */
export class Attributes {
  /** By name; `undefined` as long as there are none. */
  map: AttributeMap | undefined = undefined;
  /** What they bind; `undefined` where they bind nothing. */
  bindings: Binding[] | undefined = undefined;
  /** How many characters they have. */
  weight = 0;

  readonly #source: Source;
  readonly #maxAttributes: number;
  readonly #maxValueLength: number;
  readonly #maxWeight: number;
  #outerWeight = 0;

  /** Tells of what is wrong by `source`, where that stands. */
  constructor(source: Source, { maxAttributes, maxValueLength }: AttributeLimits) {
    this.#source = source;
    this.#maxAttributes = Math.min(maxAttributes, MAX_ATTRIBUTES);
    this.#maxValueLength = maxValueLength;
    this.#maxWeight = Math.max(maxValueLength, MAX_ATTRIBUTE_WEIGHT);
  }

  /** Begins anew; the open elements have attributes of so many characters. */
  begin(outerWeight: number): void {
    this.map = undefined;
    this.bindings = undefined;
    this.weight = 0;
    this.#outerWeight = outerWeight;
  }

  /**
   * Adds an attribute: false where there are too many. A plain value has no reference in it and no
   * white space but blanks. `owner` is the name of the tag.
   */
  add({ name, boundPrefix }: AttributeName, raw: string, isPlain: boolean, owner: string): boolean {
    const source = this.#source;
    const { map } = this;
    if (map?.has(name)) {
      source.fault("xml-duplicate-attribute", `Attribute "${name}" given twice`, source.at);
      return true;
    }
    if ((map?.size ?? 0) >= this.#maxAttributes) return false;
    const weight = this.weight + name.length + raw.length;
    const isOverlong = raw.length > this.#maxValueLength || name.length > MAX_NAME_LENGTH ||
      this.#outerWeight + weight > this.#maxWeight;
    if (isOverlong) {
      source.fault("value-too-long", `Attribute of "${owner}" is too long`, source.at);
      return true;
    }
    const value = ownCopy(isPlain ? raw : this.#decoded(raw));
    if (map === undefined) this.map = new FewAttributes(name, value);
    else {
      map.set(name, value);
      if (map.size === MANY) this.map = new ManyAttributes(map);
    }
    this.weight = weight;
    if (boundPrefix !== undefined) this.#bind({ prefix: boundPrefix, uri: value.trim() });
    return true;
  }

  /** Notes a binding. Most tags have one, if any: a list that begins empty takes room for many. */
  #bind(binding: Binding): void {
    if (this.bindings === undefined) this.bindings = [binding];
    else this.bindings.push(binding);
  }

  #decoded(raw: string): string {
    const source = this.#source;
    return decodeReferences(raw.replace(SPACE_REGEXP, " "), (code, message) => {
      source.fault(code, message, source.at);
    });
  }
}
