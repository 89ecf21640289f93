/**
 * Numbers as XML Schema's `decimal` writes them.
 *
 * @module
 */

const EXPONENT_REGEXP = /^(-?)(\d+)\.?(\d*)e([+-]\d+)$/;

/** A number without exponent; `undefined` if it is not finite. */
export function decimal(number: number): string | undefined {
  if (!Number.isFinite(number)) return undefined;
  const text = String(number);
  const match = EXPONENT_REGEXP.exec(text);
  if (match === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent] = match;
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  // `String()` uses an exponent only where the point falls outside the digits.
  return point > 0 ? sign + digits.padEnd(point, "0") : `${sign}0.${"0".repeat(-point)}${digits}`;
}
