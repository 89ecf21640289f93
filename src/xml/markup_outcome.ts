/**
 * What comes of reading on in a piece of markup.
 *
 * @module
 */

/** It goes on behind the text at hand. */
export const UNFINISHED = 0;
/** It was read to its end. */
export const COMPLETE = 1;
/** It is a tag with a `<` in it, which was not read. */
export const BROKEN = 2;
/** It holds what stops all reading: too many attributes, an internal DTD subset. */
export const REFUSED = 3;
