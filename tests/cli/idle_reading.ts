/** An operand that is not read, for tests that feed its events by hand. @module */

import { parseArguments } from "../../src/cli/arguments.ts";
import { Reading } from "../../src/cli/run/reading.ts";
import { PageFilter } from "../../src/cli/run/selection.ts";
import { walkSettings } from "../../src/cli/run/walk_settings.ts";
import type { WalkOptions } from "../../src/walk/options.ts";

export function idleReading(name: string, limits: WalkOptions = {}): Reading {
  const settings = walkSettings(parseArguments("ls", [name]));
  const options = { ...settings.options, ...limits };
  return new Reading(name, { ...settings, options }, new PageFilter(), {
    signal: new AbortController().signal,
    log: { level: 0, write() {}, announce() {} },
    note() {},
    elapsed: 0,
  });
}
