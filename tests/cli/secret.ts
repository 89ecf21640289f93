/** A secret, a site, and assertions that the secret is nowhere. @module */

import { assert } from "@std/assert";
import { type Answer, type FaultServer, ok } from "../support/fault_server.ts";
import { ALL_PERMISSIONS } from "./run_cli.ts";

export const SECRET = "kT9vQ2xW";
export const USER: string = `ann:${SECRET}`;
/** The secret as it is in a header. */
export const ENCODED: string = btoa(USER);

export const SITE: Record<"/robots.txt" | "/s.xml", Answer> = {
  "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
  "/s.xml": ok("<urlset><url><loc>{{origin}}/a</loc></url><url><loc>/b</loc></url></urlset>"),
};

export function hostOf({ url }: FaultServer): string {
  return new URL(url).host;
}

export const PERMISSIONS: string[] = [...ALL_PERMISSIONS, "--allow-env"];

export function assertWithoutSecret(text: string): void {
  for (const secret of [SECRET, ENCODED]) {
    const at = text.indexOf(secret);
    assert(at < 0, `Secret in ${JSON.stringify(text.slice(Math.max(0, at - 200), at + 50))}`);
  }
}

export async function assertFilesWithoutSecret(
  folder: string,
  except: readonly string[],
): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) await assertFilesWithoutSecret(path, except);
    else if (!except.includes(name)) {
      const bytes = await Deno.readFile(path);
      assertWithoutSecret(new TextDecoder("latin1").decode(bytes));
    }
  }
}
