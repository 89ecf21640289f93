/**
 * What XML asks of text before it is looked at: line ends, forbidden characters.
 *
 * @module
 */

// deno-lint-ignore no-control-regex -- XML 1.0 §2.2 forbids them
const FORBIDDEN_REGEXP = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const LINE_END_REGEXP = /\r\n?/g;

/** Told of each forbidden character, with the place in what remains that it stood before. */
export type ForbiddenCallback = (codePoint: string, before: number) => void;

/** Normalises the line ends of chunks, a CR and LF that an edge parts included. */
export class LineEnds {
  #endedInCr = false;

  /** The chunk with line ends as XML 1.0 §2.11 has them. */
  normalize(chunk: string): string {
    const text = this.#endedInCr && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
    this.#endedInCr = chunk.endsWith("\r");
    return text.includes("\r") ? text.replace(LINE_END_REGEXP, "\n") : text;
  }
}

/** Whether text holds characters that XML forbids. */
export function hasForbidden(text: string): boolean {
  return text.search(FORBIDDEN_REGEXP) >= 0;
}

/** The text without them. */
export function withoutForbidden(text: string, onForbidden: ForbiddenCallback): string {
  let left = 0;
  return text.replace(FORBIDDEN_REGEXP, (character: string, at: number) => {
    const codePoint = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    onForbidden(`U+${codePoint}`, at - left++);
    return "";
  });
}
