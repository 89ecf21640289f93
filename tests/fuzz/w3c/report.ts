/** Report of a run of the XML conformance suite. @module */

export interface W3cReport {
  readonly version: string;
  readonly cases: number;
  /** Well-formed ones without DTD, or with an external one alone, that read as with saxes. */
  readonly equal: number;
  /** Well-formed ones with an internal subset: refused, as they should be. */
  readonly refused: number;
  /** Well-formed ones that saxes does not accept, mostly for entities of an external DTD. */
  readonly beyondSaxes: number;
  /** Cases of XML 1.1, read without failing, not compared. */
  readonly xml11: number;
  /** Ill-formed ones, read without failing, the same in chunks of any size. */
  readonly illFormed: number;
  /** Of these, those that were repaired or refused, and reported. */
  readonly reported: number;
  /** Cases that were read otherwise than they should be. */
  readonly mismatches: readonly string[];
}
