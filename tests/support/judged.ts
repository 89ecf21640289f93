/** Judgements of many values, compared in one assertion. @module */

import { assertEquals } from "@std/assert";

/** Checks a list of hosts, or words. */
export async function assertEach(
  judge: (host: string) => boolean | Promise<boolean>,
  list: readonly string[] | string,
  expected: boolean,
): Promise<void> {
  const hosts = typeof list === "string" ? list.match(/\S+/g) ?? [] : list;
  const judged = await Promise.all(hosts.map(judge));
  assertEquals(hosts.map((host, at) => [host, judged[at]]), hosts.map((host) => [host, expected]));
}
