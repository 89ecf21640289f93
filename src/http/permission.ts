/**
 * The permission of Deno to contact the host of a walk.
 *
 * @module
 */

import { withoutUserInfo } from "../data/url.ts";
import { permissionError, requestNet } from "../platform/environment.ts";

/**
 * Requests the permission to contact a homepage, with a prompt on a terminal. Without it, every request
 * would fail.
 *
 * @throws {Deno.errors.NotCapable} If it is not granted.
 */
export async function requireNet(homepage: URL): Promise<void> {
  if (await requestNet(homepage)) return;
  const { href } = withoutUserInfo(homepage);
  throw permissionError(
    `Cannot walk "${href}": no permission to contact the host; run Deno with --allow-net`,
  );
}
