import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { CallerError } from "../../src/data/errors.ts";
import { Policy, type PolicyOptions } from "../../src/http/policy.ts";

const OPEN: PolicyOptions = { hosts: "any", allowPrivateNetwork: undefined, isRuntimeFetch: false };

function refusals(policy: Policy, ...urls: string[]): (string | undefined)[] {
  return urls.map((url) => policy.refusal(new URL(url)));
}

Deno.test("Policy refuses schemes other than http and https", () => {
  const policy = new Policy(new URL("https://a.test/"), OPEN);
  assertEquals(refusals(policy, "https://b.test/", "http://b.test:81/", "file:///etc/passwd"), [
    undefined,
    undefined,
    'Scheme "file:" is not http(s)',
  ]);
});

Deno.test("Policy refuses private networks unless the homepage is private, or told otherwise", () => {
  const refusal = 'Host "10.0.0.1:8080" is on a private network';
  const target = "http://10.0.0.1:8080/";
  const judged = (homepage: string, allowPrivateNetwork: boolean | undefined) =>
    refusals(new Policy(new URL(homepage), { ...OPEN, allowPrivateNetwork }), target)[0];
  assertEquals(judged("https://a.test/", undefined), refusal);
  assertEquals(judged("https://a.test/", true), undefined);
  assertEquals(judged("http://127.0.0.1/", undefined), undefined);
  assertEquals(judged("http://127.0.0.1/", false), refusal);
});

Deno.test("Policy asks the caller's function, and hands on what it throws", () => {
  const own = new Policy(new URL("https://a.test/"), {
    ...OPEN,
    hosts: ({ host }) => host === "b.test",
  });
  assertEquals(refusals(own, "https://b.test/", "https://c.test/"), [
    undefined,
    'Host "c.test" is not allowed by the hosts policy',
  ]);
  const mine = new Error("mine");
  const failing = new Policy(new URL("https://a.test/"), {
    ...OPEN,
    hosts() {
      throw mine;
    },
  });
  const error: Error = assertThrows(() => refusals(failing, "https://b.test/"), CallerError);
  assertStrictEquals(error.cause, mine);
});

Deno.test("Policy resolves each name once, and refuses those that lead into a private network", async () => {
  const asked: string[] = [];
  const resolve = (hostname: string) => {
    asked.push(hostname);
    return Promise.resolve([hostname === "evil.test" ? "10.0.0.1" : "8.8.8.8"]);
  };
  const policy = new Policy(new URL("https://a.test/"), { ...OPEN, isRuntimeFetch: true }, {
    resolve,
  });
  const judged = (url: string) => policy.resolvedRefusal(new URL(url));
  assertEquals(
    await judged("https://evil.test:8443/x"),
    'Host "evil.test:8443" resolves to a private network',
  );
  assertEquals(
    await judged("https://evil.test/y"),
    'Host "evil.test" resolves to a private network',
  );
  assertEquals(await judged("https://good.test/"), undefined);
  assertEquals(asked, ["evil.test", "good.test"]);
});

Deno.test("Policy lets the homepage's own name, and all names if the option says so, lead into a private network", async () => {
  const resolve = () => Promise.resolve(["10.0.0.1"]);
  const judged = (url: string, allowPrivateNetwork: boolean | undefined) => {
    const options = { ...OPEN, allowPrivateNetwork, isRuntimeFetch: true };
    return new Policy(new URL("https://a.test/"), options, { resolve }).resolvedRefusal(
      new URL(url),
    );
  };
  assertEquals(await judged("https://a.test/", undefined), undefined);
  assertEquals(await judged("https://b.test/", true), undefined);
  assertEquals(
    await judged("https://a.test/", false),
    'Host "a.test" resolves to a private network',
  );
});

Deno.test("Policy rejects names that cannot be resolved, the homepage's own included", async () => {
  const resolve = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
  for (const allowPrivateNetwork of [undefined, true, false]) {
    const options = { ...OPEN, allowPrivateNetwork, isRuntimeFetch: true };
    const policy = new Policy(new URL("https://a.test/"), options, { resolve });
    await assertRejects(async () => await policy.resolvedRefusal(new URL("https://a.test/")));
  }
});

Deno.test("Policy resolves nothing if the fetch of the caller does so, or for an address", () => {
  const resolve = () => Promise.reject(new Error("must not be asked"));
  const judged = (homepage: string, isRuntimeFetch: boolean) =>
    new Policy(new URL(homepage), { ...OPEN, isRuntimeFetch }, { resolve }).resolvedRefusal(
      new URL(homepage),
    );
  assertEquals(judged("https://a.test/", false), undefined);
  assertEquals(judged("http://127.0.0.1/", true), undefined);
  assertEquals(judged("http://localhost/", true), undefined);
});
