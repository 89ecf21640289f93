/**
 * Points in time, as callers give them and as pages hand them out.
 *
 * @module
 */

/** A point in time: a `Date`, milliseconds since 1970, or an ISO string as `toJSON()` writes it. */
export type Time = Date | number | string;

/** Milliseconds since 1970, `NaN` where there is no readable time. */
export function toMilliseconds(time: Time | undefined): number {
  if (typeof time === "number") return time;
  if (time === undefined) return NaN;
  return typeof time === "string" ? Date.parse(time) : time.getTime();
}

/** A new `Date`, where there is a time. */
export function toDate(milliseconds: number | undefined): Date | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds);
}
