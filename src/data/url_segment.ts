/** Kind of a segment: an index of {@linkcode TOKENS}. */
export type SegmentKind = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** Placeholders of the kinds; that of a word is used if there are too many words. */
export const TOKENS: readonly [string, ...string[]] & Readonly<Record<SegmentKind, string>> = [
  "{slug}", // about
  "{slug}", // red-shoes
  "{number}", // 12345
  "{year}", // 2024
  "{date}", // 2024-05-01
  "{id}", // a uuid, 3f2a9c0d11, B00XYZ123
  "{slug}-{number}", // red-shoes-12345
  "{number}-{slug}", // 12345-red-shoes
  "{slug}.{number}", // red-shoes.12345
  "{number}", // 05, a month or day after a year
];

export const WORD = 0, SLUG = 1, TWO_DIGITS = 9;
const NUMBER = 2, YEAR = 3, DATE = 4, ID = 5, SLUG_NUMBER = 6, NUMBER_SLUG = 7, DOT_NUMBER = 8;

const DASH = 0x2d, DOT = 0x2e, UNDERSCORE = 0x5f;
const MAX_ENDING_LENGTH = 6;
const MAX_WORD_LENGTH = 24;
/** Least digits of a number beside words that is one of its own, and least length of a hash. */
const MIN_DIGITS = 3, MIN_HEX_LENGTH = 8;
const UUID_LENGTH = 36, UUID_DASHES = 4;
const MAX_PARAMETERS = 8, MAX_PARAMETER_LENGTH = 30;
const MAX_QUERY_LENGTH = 1000;
const OTHER_PARAMETER = "{value}";
const PARAMETER_REGEXP = /^[a-z_][\w.[\]-]*$/i;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

export class SegmentScan {
  /** Offset at which the last segment has an ending such as `.html`, or its end. */
  stemEnd = 0;

  scan(text: string, start: number, end: number): SegmentKind {
    const stemEnd = this.stemEnd = endingStart(text, start, end);
    let digits = 0, letters = 0, dashes = 0, dots = 0, uppers = 0, beyondHex = 0;
    let first = -1, run = 0, changes = 0;
    for (let at = start; at < stemEnd; at++) {
      const code = text.charCodeAt(at);
      if (code <= 0x39 && code >= 0x30) {
        if (run++ === 0 && letters > 0) changes++;
        digits++;
        continue;
      }
      if (first < 0) first = digits;
      if (run > 0) changes++;
      run = 0;
      const lower = code | 0x20;
      if (lower >= 0x61 && lower <= 0x7a) {
        letters++;
        if (lower > 0x66) beyondHex++;
        if (code < 0x61) uppers++;
      } else if (code === DASH || code === UNDERSCORE) dashes++;
      else if (code === DOT) dots++;
      // words, whatever follows
      if (beyondHex > 0 && dashes > 0) return titleKind(text, start, stemEnd, first);
    }
    const length = stemEnd - start;
    if (digits === 0) return letters === length && length <= MAX_WORD_LENGTH ? WORD : SLUG;
    if (digits === length) {
      if (length === 2) return TWO_DIGITS;
      return length === 4 && isYear(text, start) ? YEAR : NUMBER;
    }
    if (digits + dashes === length) return isDate(text, start, length) ? DATE : NUMBER;
    if (digits + dashes + dots === length) return NUMBER;
    const isHex = beyondHex === 0 && digits + letters + dashes === length;
    if (isHex && dashes === UUID_DASHES && length === UUID_LENGTH) return ID;
    if (digits + letters < length) return titleKind(text, start, stemEnd, first);
    const isId = (isHex && length >= MIN_HEX_LENGTH) || uppers > 0 || changes > 1 ||
      (digits >= MIN_DIGITS && digits > letters);
    return isId ? ID : SLUG;
  }
}

/** Returns the kind of words that begin with so many digits, and may end with some. */
function titleKind(text: string, start: number, end: number, first: number): SegmentKind {
  let last = end;
  while (last > start && isDigit(text.charCodeAt(last - 1))) last--;
  if (end - last >= MIN_DIGITS && !(end - last === 4 && isYear(text, last))) {
    const before = text.charCodeAt(last - 1);
    if (before === DASH || before === UNDERSCORE) return SLUG_NUMBER;
    if (before === DOT) return DOT_NUMBER;
  }
  const after = text.charCodeAt(start + first);
  const isNumbered = first >= MIN_DIGITS && (after === DASH || after === UNDERSCORE) &&
    !(first === 4 && isYear(text, start));
  return isNumbered ? NUMBER_SLUG : SLUG;
}

/** Returns the offset of an ending such as `.html`; the end if there is none. */
function endingStart(text: string, start: number, end: number): number {
  const from = Math.max(start + 1, end - MAX_ENDING_LENGTH);
  for (let at = end - 1; at >= from; at--) {
    const code = text.charCodeAt(at);
    if (code === DOT) return at < end - 2 && isLetter(text.charCodeAt(at + 1)) ? at : end;
    if (!isLetter(code) && !isDigit(code)) return end;
  }
  return end;
}

/** Whether the text at an offset begins with `19` or `20`. */
function isYear(text: string, at: number): boolean {
  const tens = text.charCodeAt(at) * 256 + text.charCodeAt(at + 1);
  return tens === 0x3139 || tens === 0x3230;
}

/** Whether a segment of digits and dashes has the form of `2024-05-01`. */
function isDate(text: string, start: number, length: number): boolean {
  return length === 10 && isYear(text, start) && !isDigit(text.charCodeAt(start + 4)) &&
    !isDigit(text.charCodeAt(start + 7));
}

/** Returns the names of the parameters of a URL from the offset of its query on, such as `?q&page`. */
export function queryNames(url: string, at: number): string {
  if (url[at] !== "?") return "";
  const [query = ""] = url.slice(at + 1, at + 1 + MAX_QUERY_LENGTH).split("#", 1);
  if (query === "") return "";
  const names = query.split("&", MAX_PARAMETERS).map((parameter) => {
    const [name = ""] = parameter.split("=", 1);
    const isName = name.length <= MAX_PARAMETER_LENGTH && PARAMETER_REGEXP.test(name);
    return isName ? name : OTHER_PARAMETER;
  });
  return `?${names.join("&")}`;
}
