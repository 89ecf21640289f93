/** An operand that is not read, for tests that feed its events by hand. @module */

import { Reading, type UserLimits } from "../../src/cli/run/reading.ts";
import { PageFilter } from "../../src/cli/run/selection.ts";

export function idleReading(name: string, limits: UserLimits = {}): Reading {
  return new Reading(name, new PageFilter(), {
    signal: new AbortController().signal,
    log: { level: 0, write() {}, announce() {} },
    note() {},
    share: () => 1,
    limits,
    retries: 4,
    elapsed: 0,
  });
}
