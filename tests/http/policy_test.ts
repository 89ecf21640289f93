import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { CallerError } from "../../src/errors.ts";
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
  assertEquals(judged("https://a.test/"), undefined, "the caller named it");
  assertEquals(asked, ["evil.test", "good.test"]);
});

Deno.test("Policy resolves nothing where private networks are allowed or names are not its business", () => {
  const resolve = () => Promise.reject(new Error("must not be asked"));
  for (
    const options of [{ allowPrivateNetwork: true, isRuntimeFetch: true }, {
      isRuntimeFetch: false,
    }]
  ) {
    const policy = new Policy(new URL("https://a.test/"), { ...OPEN, ...options }, { resolve });
    assertEquals(policy.resolvedRefusal(new URL("https://b.test/")), undefined);
  }
});
