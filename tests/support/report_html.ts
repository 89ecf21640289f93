/** Takes the HTML file of a report apart. @module */

import { assert, assertEquals, assertFalse } from "@std/assert";
import type { Report } from "../../src/report/mod.ts";

const DATA_REGEXP = /<script type="application\/json" id="data">([^]*?)<\/script>/;

function dataText(html: string): string {
  return DATA_REGEXP.exec(html)![1]!;
}

export function dataOf(html: string): Report {
  return JSON.parse(dataText(html));
}

/** Asserts that a report contains nothing but its page and its data. */
export async function assertInert(html: string): Promise<void> {
  const data = dataText(html);
  assertFalse(data.includes("<"), "no `<` in the data");
  const visible = [...data].every((character) =>
    !/[\p{Cc}\u2028\u2029\u202a-\u202e]/u.test(character)
  );
  assert(visible, "no controls in the data");
  const page = html.replace(DATA_REGEXP, "");
  assertFalse(
    / style=/.test(page.replace(/<(script|style)\b[^]*?<\/\1>/g, "")),
    "no style attribute",
  );
  const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  assert(policy.startsWith("default-src 'none';"), policy);
  for (const name of ["script", "style"]) {
    const [, allowed = ""] = new RegExp(`${name}-src ([^;]*)`).exec(policy) ?? [];
    const elements = [...page.matchAll(new RegExp(`<${name}\\b[^>]*>([^]*?)</${name}>`, "g"))];
    const hashes = await Promise.all(elements.map(([, content]) => hashSource(content!)));
    assertEquals(hashes, allowed.split(" "), `${name} by its hash`);
  }
}

async function hashSource(content: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(content));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}
