import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { CallerError, InvalidSitemapError } from "../../src/data/errors.ts";
import { addRedirect, Policy, type PolicyOptions, redirectTarget } from "../../src/http/policy.ts";
import { withBypass } from "../../src/platform/proxies.ts";
import { FakeClock } from "./fake_clock.ts";

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "home.test": ["192.168.0.2"],
  "public.test": ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
  "private.test": ["10.0.0.7"],
  "mixed.test": ["93.184.216.34", "127.0.0.1"],
  "mapped.test": ["::ffff:169.254.169.254"],
};

function resolve(hostname: string): Promise<readonly string[]> {
  const addresses = ADDRESSES[hostname];
  return addresses === undefined
    ? Promise.reject(Object.assign(new Error("?"), { code: "ENOTFOUND" }))
    : Promise.resolve(addresses);
}

function unused(): Promise<Response> {
  return Promise.reject(new Error("must not be called"));
}

function policyOf(options: Partial<PolicyOptions> = {}, homepage = "https://home.test/"): Policy {
  return new Policy(new URL(homepage), {
    isHostAllowed: () => true,
    fetch: undefined,
    allowPrivateNetwork: undefined,
    timeout: 1000,
    resolve,
    ...options,
  }, new FakeClock());
}

/** Returns why a URL is refused; `undefined` if it is not. */
function refusalOf(policy: Policy, url: string): string | undefined {
  try {
    policy.check(new URL(url));
    return undefined;
  } catch (error) {
    if (!(error instanceof InvalidSitemapError) || error.code !== "blocked") throw error;
    return error.message;
  }
}

/** Returns why the addresses of a URL are refused; `undefined` if they are not. */
async function addressRefusalOf(policy: Policy, url: string): Promise<string | undefined> {
  return await policy.checkAddresses(new URL(url), [])?.catch(({ message }) => message);
}

Deno.test("Policy refuses schemes other than http and https", () => {
  const policy = policyOf();
  for (const url of ["https://b.test/", "http://b.test:81/"]) {
    assertEquals(refusalOf(policy, url), undefined);
  }
  const refusal = 'Unsupported scheme "file:": expected http(s)';
  assertEquals(refusalOf(policy, "file:///etc/passwd"), refusal);
});

Deno.test("Policy refuses hosts of more than 253 characters", () => {
  const refusal = "Host name has more than 253 characters";
  for (const [length, expected] of [[253, undefined], [254, refusal]] as const) {
    assertEquals(refusalOf(policyOf(), `https://${"a".repeat(length)}/`), expected);
  }
});

Deno.test("Policy refuses private networks, unless the homepage or an option allows them", () => {
  const target = "http://10.0.0.1:8080/";
  const refusal = 'Host "10.0.0.1:8080" is on a private network';
  const refusalFrom = (homepage: string, allowPrivateNetwork: boolean | undefined) =>
    refusalOf(policyOf({ allowPrivateNetwork }, homepage), target);
  assertEquals(refusalFrom("https://a.test/", undefined), refusal);
  assertEquals(refusalFrom("https://a.test/", true), undefined);
  assertEquals(refusalFrom("http://127.0.0.1/", undefined), undefined);
  assertEquals(refusalFrom("http://127.0.0.1/", false), refusal);
});

Deno.test("Policy calls the function of the caller, and throws its exception", () => {
  const own = policyOf({ isHostAllowed: ({ host }) => host === "b.test" });
  const refusal = 'Host "c.test" is not allowed by the hosts policy';
  assertEquals(["b", "c"].map((name) => refusalOf(own, `https://${name}.test/`)), [
    undefined,
    refusal,
  ]);
  const mine = new Error("mine");
  const failing = policyOf({
    isHostAllowed() {
      throw mine;
    },
  });
  const error: Error = assertThrows(() => refusalOf(failing, "https://b.test/"), CallerError);
  assertStrictEquals(error.cause, mine);
});

Deno.test("Policy refuses names with a private address, and resolves each name once", async () => {
  const resolved: string[] = [];
  const policy = policyOf({
    resolve: (hostname) => {
      resolved.push(hostname);
      return resolve(hostname);
    },
  });
  const names = ["public.test", "private.test", "mixed.test", "mapped.test", "private.test:81"];
  const refusals = await Promise.all(
    names.map((name) => addressRefusalOf(policy, `https://${name}/x`)),
  );
  const refused = names.slice(1).map((name) => `Host "${name}" resolves to a private network`);
  assertEquals(refusals, [undefined, ...refused]);
  assertEquals(resolved, names.slice(0, 4));
});

Deno.test("Policy allows the homepage, or all names by option, to have a private address", async () => {
  const refusalFor = (name: string, allowPrivateNetwork: boolean | undefined) =>
    addressRefusalOf(policyOf({ allowPrivateNetwork }), `https://${name}/robots.txt`);
  assertEquals(await refusalFor("home.test", undefined), undefined);
  assertEquals(await refusalFor("private.test", true), undefined);
  const refusal = 'Host "home.test" resolves to a private network';
  assertEquals(await refusalFor("home.test", false), refusal);
});

Deno.test("Policy refuses names that do not resolve, the homepage included", async () => {
  for (const allowPrivateNetwork of [undefined, true, false]) {
    const policy = policyOf({ allowPrivateNetwork }, "https://unknown.test/");
    await assertRejects(
      () => policy.checkAddresses(new URL("https://unknown.test/"), []),
      InvalidSitemapError,
      "Host name not found",
    );
  }
});

Deno.test("Policy resolves no addresses, and no names for the fetch of the caller", async () => {
  const failing = () => Promise.reject(new Error("must not be called"));
  for (const homepage of ["https://public.test/", "http://127.0.0.1/", "http://localhost/"]) {
    const isRuntimeFetch = homepage !== "https://public.test/";
    const policy = policyOf({ isRuntimeFetch, resolve: failing }, homepage);
    assertEquals(await addressRefusalOf(policy, homepage), undefined);
  }
});

Deno.test("Policy resolves names that may bypass the proxies of a fetch, and no others", async () => {
  const fetch = withBypass(() => unused(), ({ hostname }) => hostname !== "mixed.test");
  const policy = policyOf({ fetch });
  const refusal = 'Host "private.test" resolves to a private network';
  assertEquals(await addressRefusalOf(policy, "https://private.test/"), refusal);
  assertEquals(await addressRefusalOf(policy, "https://mixed.test/"), undefined);
  // a proxy may know it
  assertEquals(await addressRefusalOf(policy, "https://unknown.test/"), undefined);
  const failing = () => Promise.reject(new Error("must not be called"));
  const own = policyOf({ fetch, resolve: failing });
  assertEquals(await addressRefusalOf(own, "https://home.test/"), undefined);
});

Deno.test("Policy stops waiting for the resolver of a fetch with proxies", async () => {
  const fetch = withBypass(() => unused(), () => true);
  const policy = policyOf({ fetch, resolve: () => new Promise(() => {}) });
  const controller = new AbortController();
  const check = policy.checkAddresses(new URL("https://public.test/"), [controller.signal]);
  controller.abort(new Error("stopped"));
  await assertRejects(() => check, Error, "stopped");
});

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

Deno.test("addRedirect() finds loops, ignoring fragments", () => {
  const seen = new Set(["https://a.test/1"]);
  addRedirect(seen, new URL("https://a.test/2"), 20);
  assertRefuses(
    () => addRedirect(seen, new URL("https://a.test/1#x"), 20),
    'Redirect loop at "https://a.test/1#x"',
  );
  assertRefuses(() => addRedirect(seen, new URL("https://a.test/2"), 20), "Redirect loop");
});

Deno.test("addRedirect() limits the number of redirects", () => {
  for (const max of [0, 1, 20]) {
    const seen = new Set(["https://a.test/"]);
    const add = (path: string | number) =>
      addRedirect(seen, new URL(`https://a.test/${path}`), max);
    for (let step = 1; step <= max; step++) add(step);
    assertRefuses(() => add("x"), `More than ${max} redirects`);
  }
});
