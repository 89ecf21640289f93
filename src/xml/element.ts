/**
 * Elements as the tokenizer reports them.
 *
 * @module
 */

/** The attributes of an element without any. */
export const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** A name taken apart once and shared by all elements that bear it. */
export interface XmlName {
  /** As written, such as `image:Loc`. */
  readonly name: string;
  /** What stands before the colon, `""` without one. */
  readonly prefix: string;
  /** What stands behind the colon, or all of it. */
  readonly local: string;
  /** `name` in lower case, by which end tags find their start tags. */
  readonly lowerName: string;
  /** `local` in lower case. */
  readonly lowerLocal: string;
  /**
   * A number of its own among the names of the document, counted from 0, by which things can be kept
   * in an array; -1 for one of the names, too many or too long, that are taken apart each time.
   */
  readonly index: number;
}

/** An element that was opened. Those without attributes that are otherwise alike may be shared. */
export interface XmlElement extends XmlName {
  /** Namespace of the element: `""` for none, `undefined` where the prefix is not bound. */
  readonly uri: string | undefined;
  /** Attributes by name as written, in order, values decoded. */
  readonly attributes: ReadonlyMap<string, string>;
}
