/**
 * The checks for runtimes without `node:` modules, which fetch what they need.
 *
 * @module
 */

import * as library from "@sitetree/sitetree";
import { type Check, type CheckResult, runChecks } from "./checks.ts";
import { type ConformanceCase, runCase } from "../../tests/support/conformance_case.ts";
import { smokeChecks } from "./smoke.ts";

/** Runs the checks against a site. */
export function smoke(origin: string): Promise<CheckResult[]> {
  return runChecks(smokeChecks(origin));
}

/** Runs the conformance cases that a site has at `/cases.json`. */
export async function conformance(origin: string): Promise<CheckResult[]> {
  const cases: readonly ConformanceCase[] = await (await fetch(`${origin}/cases.json`)).json();
  const checks: Record<string, Check> = {};
  for (const test of cases) {
    checks[test.name] = async () => {
      const problem = await runCase(library, test);
      if (problem !== undefined) throw new Error(problem);
    };
  }
  return await runChecks(checks);
}
