import { assertEquals, assertThrows } from "@std/assert";
import { InvalidSitemapError } from "../../src/data/errors.ts";
import { redirectTarget, RedirectTrail } from "../../src/http/redirect.ts";

function assertRefuses(refuse: () => unknown, message: string): void {
  const error: InvalidSitemapError = assertThrows(refuse, InvalidSitemapError, message);
  assertEquals(error.code, "redirect");
}

Deno.test("redirectTarget() resolves a Location, and drops user info", () => {
  const base = new URL("https://a.test/dir/s.xml?x");
  const targets: Readonly<Record<string, string>> = {
    "https://b.test/": "https://b.test/",
    "other.xml": "https://a.test/dir/other.xml",
    "/root.xml": "https://a.test/root.xml",
    "//b.test/x": "https://b.test/x",
    "?y": "https://a.test/dir/s.xml?y",
    "https://user:pass@b.test/x": "https://b.test/x",
  };
  for (const [location, expected] of Object.entries(targets)) {
    assertEquals(redirectTarget(location, base).href, expected);
  }
});

Deno.test("redirectTarget() throws for other schemes and invalid URLs", () => {
  const base = new URL("https://a.test/");
  assertRefuses(() => redirectTarget("http://", base), 'Invalid redirect target "http://"');
  assertRefuses(
    () => redirectTarget("ftp://files.test/x", base),
    'Redirect to "ftp://files.test/x": expected http(s)',
  );
  assertRefuses(() => redirectTarget("data:text/plain,x", base), "expected http(s)");
});

Deno.test("RedirectTrail finds loops, ignoring fragments", () => {
  const trail = new RedirectTrail(new URL("https://a.test/1"), 20);
  trail.add(new URL("https://a.test/2"));
  assertRefuses(
    () => trail.add(new URL("https://a.test/1#x")),
    'Redirect loop at "https://a.test/1#x"',
  );
  assertRefuses(() => trail.add(new URL("https://a.test/2")), "Redirect loop");
});

Deno.test("RedirectTrail limits the number of redirects", () => {
  for (const max of [0, 1, 20]) {
    const trail = new RedirectTrail(new URL("https://a.test/"), max);
    for (let step = 1; step <= max; step++) trail.add(new URL(`https://a.test/${step}`));
    assertRefuses(() => trail.add(new URL("https://a.test/x")), `More than ${max} redirects`);
  }
});
