/** Tests with a temporary folder each. @module */

import { inFolder } from "../support/in_folder.ts";

export function test(
  name: string,
  run: (folder: string) => void | Promise<void>,
  ignore = false,
): void {
  Deno.test({ name, ignore, fn: () => inFolder(async (folder) => await run(folder)) });
}

export function testOnUnix(name: string, run: (folder: string) => void | Promise<void>): void {
  test(name, run, Deno.build.os === "windows");
}
