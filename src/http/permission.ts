import { withoutUserInfo } from "../data/url.ts";
import { permissionError, requestNet } from "../platform/environment.ts";

/** Prompts on a terminal for the permission: without it, every request would fail. */
export async function requireNet(homepage: URL): Promise<void> {
  if (await requestNet(homepage)) return;
  const { href } = withoutUserInfo(homepage);
  throw permissionError(
    `Cannot walk "${href}": no permission to contact the host; run Deno with --allow-net`,
  );
}
