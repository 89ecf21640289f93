/** Events without times, which differ from run to run. @module */

/** Returns JSON with the same duration and the same end everywhere. */
export function timeless(json: string): string {
  return json.replace(/("durationMs": ?)\d+/g, "$10")
    .replace(/("endedAt": ?)"[^"]*"/g, '$1"2026-01-01T00:00:00.000Z"');
}
