import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import type { InvalidSitemapError } from "../../src/data/errors.ts";
import { RetryBudget } from "../../src/http/attempts.ts";
import {
  type FetchedDocument,
  Fetcher,
  type FetcherOptions,
  type FetchResult,
  type RedirectHandler,
} from "../../src/http/fetcher.ts";
import { requestCodeOf, statusOf } from "../../src/http/failure.ts";
import type { RequestReport } from "../../src/http/report.ts";
import { CallerError } from "../../src/data/errors.ts";
import { withBrowserRequest } from "../platform/browser_request.ts";
import { FakeClock } from "./fake_clock.ts";
import {
  type Answer,
  bytes,
  redirect,
  refused,
  type Script,
  ScriptedFetch,
  silence,
  status,
  text,
  TrackedBody,
} from "./scripted_fetch.ts";

const URL_A = "https://a.test/s.xml";

/** Returns a script with the same answer for some URLs of a host. */
function everywhere(answer: Answer): Script {
  const paths = [...Array(10).keys(), "robots.txt"];
  return Object.fromEntries(paths.map((path) => [`https://a.test/${path}`, answer]));
}

/** A fetcher with a script and a fake clock. */
class Setting {
  readonly clock = new FakeClock();
  readonly script: ScriptedFetch;
  readonly fetcher: Fetcher;

  constructor(
    script: Script,
    options: Partial<FetcherOptions> = {},
    homepage = "https://a.test/",
    resolve?: (hostname: string) => Promise<readonly string[]>,
  ) {
    this.script = new ScriptedFetch(script, () => this.clock.time);
    this.fetcher = new Fetcher(
      new URL(homepage),
      {
        fetch: this.script.fetch,
        headers: undefined,
        userAgent: "sitetree/0",
        timeout: 30_000,
        maxRequestTime: 600_000,
        retries: 4,
        retryDelay: 1000,
        maxRetryDelay: 60_000,
        maxWait: 600_000,
        concurrency: 4,
        maxRedirects: 20,
        wait: 0,
        randomWait: false,
        hosts: "any",
        allowPrivateNetwork: undefined,
        isRuntimeFetch: false,
        ...resolve && { resolve },
        ...options,
      },
      this.clock,
    );
  }

  /** Fetches a document, redirects included. */
  open(url = URL_A, retries = 4, redirects?: RedirectHandler): Promise<FetchedDocument> {
    const budget = this.budget(retries);
    const { fetcher } = this;
    return this.clock.run(
      fetcher.request(new URL(url), budget).then((result) =>
        fetcher.follow(result, budget, redirects)
      ),
    );
  }

  budget(retriesLeft: number): RetryBudget {
    return new RetryBudget(URL_A, retriesLeft, this.fetcher.signal);
  }

  /** Returns the error of a document that cannot be fetched. */
  async failure(
    url = URL_A,
    retries = 4,
    redirects?: RedirectHandler,
  ): Promise<InvalidSitemapError> {
    const arrival = await this.open(url, retries, redirects).catch((error) => error);
    assert(arrival instanceof Error, "it fails");
    assertEquals(this.clock.pending, 0);
    return arrival as InvalidSitemapError;
  }
}

async function textOf({ body }: FetchedDocument): Promise<string> {
  let all = "";
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) {
    all += new TextDecoder().decode(chunk);
  }
  return all;
}

// ------------------------------------------------------------------------------------- retries

const RETRIED = [
  ...[400, 408, 429, 499, 500, 502, 503, 504, 509],
  ...[520, 521, 522, 523, 524, 525, 526, 527, 530, 598],
];

for (const code of RETRIED) {
  Deno.test(`Fetcher retries ${code} until it succeeds or no retry is left`, async () => {
    const recovers = new Setting({ [URL_A]: [status(code), status(code), text("well")] });
    assertEquals(await textOf(await recovers.open()), "well");
    assertEquals([recovers.fetcher.requests, recovers.fetcher.retries], [3, 2]);
    assertEquals(recovers.clock.waited, [1000, 2000]);

    const stays = new Setting({ [URL_A]: status(code) });
    const error = await stays.failure();
    assertEquals([error.code, statusOf(error)], ["http-status", code]);
    assert(error.message.startsWith(String(code)) || error.message === `Status ${code}`);
    assertEquals([stays.fetcher.requests, stays.fetcher.retries], [5, 4]);
    assertEquals(stays.clock.waited, [1000, 2000, 4000, 8000]);
  });
}

Deno.test("Fetcher does not retry any other status", async () => {
  for (const code of [304, 401, 403, 404, 405, 410, 418, 451, 501, 505, 529, 531, 599]) {
    const setting = new Setting({ [URL_A]: status(code) });
    assertEquals(statusOf(await setting.failure()), code);
    assertEquals(setting.fetcher.requests, 1);
  }
});

Deno.test("Fetcher returns the document of every 2xx", async () => {
  for (const code of [200, 201, 203, 206, 226, 299]) {
    const headers = code === 206 ? { "content-range": "bytes 0-0/1" } : {};
    const setting = new Setting({ [URL_A]: () => new Response("x", { status: code, headers }) });
    assertEquals(await textOf(await setting.open()), "x");
  }
  const empty = new Setting({ [URL_A]: status(204) });
  assertEquals(await textOf(await empty.open()), "");
});

Deno.test("Fetcher describes a status by its standard text, or by that of the server", async () => {
  const own = (code: number, url: string) => () => {
    const response = new Response(null, { status: code, statusText: "Own words" });
    return Object.defineProperty(response, "url", { value: url });
  };
  assertEquals(
    (await new Setting({ [URL_A]: own(404, URL_A) }).failure()).message,
    "404 Not Found",
  );
  // made by a program, not by a server
  assertEquals((await new Setting({ [URL_A]: own(404, "") }).failure()).message, "404 Own words");
  assertEquals(
    (await new Setting({ [URL_A]: own(599, URL_A) }).failure()).message,
    "599 Own words",
  );
  assertEquals((await new Setting({ [URL_A]: status(404) }).failure()).message, "404 Not Found");
  assertEquals((await new Setting({ [URL_A]: status(599) }).failure()).message, "Status 599");
});

Deno.test("Fetcher respects Retry-After in seconds and as a date", async () => {
  const later = new Date(Date.UTC(2024, 0, 1, 0, 0, 45)).toUTCString();
  const setting = new Setting({
    [URL_A]: [
      status(503, { "retry-after": "7" }),
      status(429, { "retry-after": later }),
      status(500, { "retry-after": "30" }),
      status(503, { "retry-after": "whenever" }),
      text("well"),
    ],
  });
  await setting.open();
  assertEquals(setting.clock.waited, [7000, 38_000, 30_000, 8000]);
});

Deno.test("Fetcher does not wait for a Retry-After beyond the longest delay", async () => {
  for (const code of [429, 500, 503]) {
    const setting = new Setting({ [URL_A]: status(code, { "retry-after": "61" }) });
    const error = await setting.failure();
    assertEquals([error.code, statusOf(error)], ["http-status", code]);
    assert(error.message.endsWith("; asks to wait 61 s"), error.message);
    assertEquals([setting.fetcher.requests, setting.clock.waited], [1, []]);
  }
});

Deno.test("Fetcher asks no more of a host that three times asks for a long wait", async () => {
  const setting = new Setting(everywhere(status(503, { "retry-after": "3600" })));
  for (let at = 0; at < 5; at++) await setting.failure(`https://a.test/${at}`);
  assertEquals(setting.fetcher.requests, 3);
  const error = await setting.failure("https://a.test/6");
  assertEquals(
    [error.code, requestCodeOf(error), statusOf(error), error.message],
    ["http-status", "host-down", 503, "Host does not answer: 503 Service Unavailable"],
  );
});

Deno.test("Fetcher waits for nothing without retries", async () => {
  for (const headers of [{}, { "retry-after": "5" }]) {
    const setting = new Setting(everywhere(status(429, headers)), { retries: 0 });
    for (let at = 0; at < 3; at++) await setting.failure(`https://a.test/${at}`, 0);
    assertEquals([setting.fetcher.requests, setting.clock.waited], [3, []]);
  }
});

Deno.test("Fetcher adds jitter to retries", async () => {
  const setting = new Setting({ [URL_A]: status(500) });
  setting.clock.randoms.push(1, 0.5, 0, 0.25);
  await setting.failure();
  assertEquals(setting.clock.waited, [1250, 2250, 4000, 8500]);
});

Deno.test("Fetcher does not retry a timeout of a host that has never responded", async () => {
  const setting = new Setting({ [URL_A]: silence() });
  assertEquals((await setting.failure()).code, "timeout");
  assertEquals(setting.clock.waited, [30_000]);
});

Deno.test("Fetcher asks no more of a host that does not respond for three URLs", async () => {
  const setting = new Setting(everywhere(refused("connection refused")));
  const codes: string[] = [];
  for (let at = 0; at < 5; at++) {
    const error = await setting.failure(`https://a.test/${at}`, 1);
    codes.push(`${error.code} ${requestCodeOf(error)}`);
  }
  assertEquals(codes, [
    ...Array(3).fill("network connection-refused"),
    ...Array(2).fill("network host-down"),
  ]);
  assertEquals(setting.fetcher.requests, 5);
});

Deno.test("Fetcher asks for robots.txt before it gives up a host for two URLs", async () => {
  const answers = everywhere(refused("connection reset"));
  const up = new Setting({ ...answers, "https://a.test/robots.txt": text("") });
  await up.open("https://a.test/robots.txt");
  for (const url of ["https://a.test/1", "https://a.test/2"]) await up.failure(url, 2);
  assertEquals(up.fetcher.requests, 8);
  assertEquals(requestCodeOf(await up.failure("https://a.test/3", 0)), "connection-reset");

  const gone = [text(""), refused("connection reset")];
  const down = new Setting({ ...answers, "https://a.test/robots.txt": gone });
  await down.open("https://a.test/robots.txt");
  for (const url of ["https://a.test/1", "https://a.test/2"]) await down.failure(url, 2);
  assertEquals(down.fetcher.requests, 7, "not retried");
  assertEquals(requestCodeOf(await down.failure("https://a.test/3", 0)), "host-down");
});

Deno.test("Fetcher gives up a refused sitemap once the host answers no other", async () => {
  const setting = new Setting({
    "https://a.test/1": status(429),
    "https://a.test/2": [status(429), text("well")],
  });
  const { fetcher, clock } = setting;
  const [refused, answered] = await clock.run(
    Promise.allSettled(
      [1, 2].map((path) => fetcher.request(new URL(`https://a.test/${path}`), setting.budget(4))),
    ),
  );
  assertEquals([refused!.status, answered!.status], ["rejected", "fulfilled"]);
  const paths = setting.script.requests.map(({ url }) => url.at(-1)).join("");
  // the refusal before the answer does not count
  assertEquals(paths, "12121111");
});

Deno.test("Fetcher does not wait longer than maxWait", async () => {
  const setting = new Setting(
    everywhere(status(429, { "retry-after": "20" })),
    { maxWait: 30_000 },
  );
  const error = await setting.failure("https://a.test/1", 99);
  assertEquals(
    [error.code, statusOf(error), error.message],
    ["http-status", 429, "429 Too Many Requests; not answered within 30000 ms"],
  );
  assertEquals([setting.fetcher.requests, setting.clock.waited], [2, [20_000]]);
});

Deno.test("Fetcher reports a slow-down with the new interval", async () => {
  const reports: RequestReport[] = [];
  const setting = new Setting(
    { [URL_A]: [status(429), status(503, { "retry-after": "3" }), status(503), text("well")] },
    { onRequest: (report) => void reports.push(report) },
  );
  await setting.open();
  const slowDowns = reports.filter(({ phase }) => phase === "slow-down");
  assertEquals(slowDowns.map(({ status, intervalMs }) => [status, intervalMs]), [
    [429, 1000],
    [503, 1000],
  ]);
});

Deno.test("Fetcher retries failed connections and timeouts", async () => {
  const connection = new Setting({ [URL_A]: [refused("connection reset"), text("well")] });
  assertEquals(await textOf(await connection.open()), "well");
  const gone = new Setting({ [URL_A]: refused("connection reset") });
  const error = await gone.failure();
  assertEquals([error.code, error.message], ["network", "Connection reset"]);
  assertEquals(gone.fetcher.requests, 5);

  const silent = new Setting({ [URL_A]: [status(500), silence()] });
  const timeout = await silent.failure(URL_A, 2);
  assertEquals([timeout.code, timeout.message], ["timeout", "No byte within 30000 ms"]);
  assertEquals(
    silent.clock.waited.reduce((sum, wait) => sum + wait),
    1000 + 30_000 + 2000 + 30_000,
  );

  const named = new DOMException("Signal timed out", "TimeoutError");
  const own = new Setting({ [URL_A]: () => Promise.reject(named) });
  assertEquals((await own.failure(URL_A, 0)).code, "timeout");
  assertEquals(
    (await new Setting({ [URL_A]: () => Promise.reject("?") }).failure()).message,
    "Request failed",
  );
});

Deno.test("Fetcher finds the reason of a failed connection in the cause of the error", async () => {
  const hidden = new TypeError("error sending request", {
    cause: new Error(
      "error sending request from 1.2.3.4 for https://a.test/: client error (Connect): refused",
    ),
  });
  const setting = new Setting({ [URL_A]: () => Promise.reject(hidden) });
  assertEquals((await setting.failure(URL_A, 0)).message, "Connection refused");
  const mute = new TypeError("fetch failed", { cause: new Error("") });
  const other = new Setting({ [URL_A]: () => Promise.reject(mute) });
  assertEquals((await other.failure(URL_A, 0)).message, "Request failed");
});

Deno.test("Fetcher retries a body that fails before its first byte, but not later", async () => {
  const breaks = (index: number): Uint8Array => {
    if (index > 0) throw new TypeError("reset");
    return bytes("some");
  };
  const early = new TrackedBody(() => {
    throw new TypeError("reset");
  });
  const setting = new Setting({ [URL_A]: [early.answer, text("well")] });
  assertEquals(await textOf(await setting.open()), "well");
  assertEquals(setting.script.requests[1]!.headers.get("accept-encoding"), "identity");

  const late = new Setting({ [URL_A]: new TrackedBody(breaks).answer });
  const arrival = await late.open();
  assertEquals(await arrival.body.read(), bytes("some"));
  await assertRejects(() => arrival.body.read(), TypeError, "reset");
  assertEquals(late.fetcher.requests, 1);
});

Deno.test("Fetcher requests a body with a wrong Content-Encoding again at once", async () => {
  const misencoded = () =>
    new Response(
      new TrackedBody(() => {
        throw new TypeError("invalid gzip header");
      }).stream(),
      { headers: { "content-encoding": "gzip" } },
    );
  const asItIs = text("plain", { "content-encoding": "gzip", "content-type": "text/xml" });
  const setting = new Setting({ [URL_A]: [misencoded, asItIs] });
  const arrival = await setting.open(URL_A, 0);
  assertEquals(await textOf(arrival), "plain");
  assertEquals(
    [arrival.misencoded, arrival.contentEncoding, arrival.contentType],
    [true, "gzip", "text/xml"],
  );
  assertEquals(setting.clock.waited, []);
  assertEquals([setting.fetcher.requests, setting.fetcher.retries], [2, 1]);
  assertEquals(setting.script.requests.map(({ headers }) => headers.get("accept-encoding")), [
    "gzip",
    "identity",
  ]);
  const never = new Setting({ [URL_A]: misencoded });
  assertEquals((await never.failure(URL_A, 1)).message, "Invalid Content-Encoding");
  assertEquals(never.fetcher.requests, 3);
});

Deno.test("Fetcher pauses the whole host on 429, and only that host", async () => {
  const setting = new Setting({
    "https://a.test/1": [status(429, { "retry-after": "10" }), text("well")],
    "https://a.test/2": text("well"),
    "https://b.test/3": text("well"),
  });
  const { clock, fetcher, script } = setting;
  const requests = Promise.all(["https://a.test/1", "https://a.test/2", "https://b.test/3"].map(
    async (url, index) => {
      if (index > 0) await clock.settle();
      const { body } = await fetcher.request(new URL(url), setting.budget(4)) as FetchedDocument;
      body.cancel();
    },
  ));
  await clock.run(requests);
  const start = script.requests[0]!.at;
  const starts = script.requests.map(({ url, at }) => `${url} ${at - start}`).sort();
  assertEquals(starts, [
    "https://a.test/1 0",
    "https://a.test/1 10000",
    "https://a.test/2 11000",
    "https://b.test/3 0",
  ]);
});

// ----------------------------------------------------------------------------------- redirects

for (const code of [301, 302, 303, 307, 308]) {
  Deno.test(`Fetcher follows each ${code} itself, and returns the final URL`, async () => {
    const setting = new Setting({
      [URL_A]: redirect("/b/x.xml", code),
      "https://a.test/b/x.xml": redirect("//c.test/y.xml#part", code),
      "https://c.test/y.xml#part": text("there"),
    });
    const arrival = await setting.open();
    assertEquals(arrival.url.href, "https://c.test/y.xml#part");
    assertEquals(await textOf(arrival), "there");
    assertEquals(setting.fetcher.requests, 3);
    assert(setting.script.requests.every(({ redirect }) => redirect === "manual"));
  });
}

Deno.test("Fetcher does not follow a redirect without Location", async () => {
  for (const code of [300, 301, 304, 305, 399]) {
    const setting = new Setting({ [URL_A]: status(code) });
    assertEquals(statusOf(await setting.failure()), code);
  }
  const choices = new Setting({ [URL_A]: status(300, { location: "/b" }) });
  assertEquals(statusOf(await choices.failure()), 300);
});

Deno.test("Fetcher fails on redirect loops, too many redirects and invalid targets", async () => {
  const loop = new Setting({ [URL_A]: redirect("/2"), "https://a.test/2": redirect("/s.xml#x") });
  assertEquals((await loop.failure()).message, 'Redirect loop at "https://a.test/s.xml#x"');
  assertEquals(loop.fetcher.requests, 2);

  const trail = (length: number) =>
    Object.fromEntries([
      ...Array.from({ length }, (_, step) => [`https://a.test/${step}`, redirect(`/${step + 1}`)]),
      [`https://a.test/${length}`, text("there")],
    ]);
  const long = new Setting(trail(20));
  assertEquals(await textOf(await long.open("https://a.test/0", 0)), "there");
  const longer = new Setting(trail(21));
  const error = await longer.failure("https://a.test/0");
  assertEquals([error.code, error.message], ["redirect", "More than 20 redirects"]);
  assertEquals(longer.fetcher.requests, 21);
  const none = new Setting(trail(1), { maxRedirects: 0 });
  assertEquals((await none.failure("https://a.test/0")).message, "More than 0 redirects");

  for (const location of ["ftp://f.test/", "http://", "javascript:alert(1)"]) {
    const setting = new Setting({ [URL_A]: redirect(location) });
    assertEquals((await setting.failure()).code, "redirect");
    assertEquals(setting.fetcher.requests, 1);
  }
});

Deno.test("Fetcher does not spend retries on redirects", async () => {
  const setting = new Setting({
    [URL_A]: [status(500), redirect("/2")],
    "https://a.test/2": redirect("/3"),
    "https://a.test/3": [status(500), status(500), text("there")],
  });
  assertEquals(await textOf(await setting.open(URL_A, 3)), "there");
  const spent = new Setting({
    [URL_A]: [status(500), redirect("/2")],
    "https://a.test/2": [status(500), status(500), text("there")],
  });
  assertEquals(statusOf(await spent.failure(URL_A, 2)), 500);
});

Deno.test("Fetcher calls the redirect handler, and uses its response", async () => {
  const checked: string[] = [];
  const setting = new Setting({ [URL_A]: redirect("/2"), "https://a.test/2": redirect("/3") });
  const stop = new Error("not there");
  const error = await setting.failure(URL_A, 4, {
    check(target) {
      checked.push(target.pathname);
      if (target.pathname === "/3") throw stop;
    },
  });
  assertStrictEquals(error as Error, stop);
  assertEquals([checked, setting.script.urls], [["/2", "/3"], [URL_A, "https://a.test/2"]]);

  const other = new Setting({ [URL_A]: redirect("/2"), "https://a.test/4": text("own") });
  const here: FetchResult = {
    requestedUrl: new URL("https://a.test/2"),
    url: new URL("https://a.test/2"),
    redirect: new URL("https://a.test/4"),
  };
  const arrival = await other.open(URL_A, 4, {
    check() {},
    answer: (target) => target.pathname === "/2" ? Promise.resolve(here) : undefined,
  });
  assertEquals(await textOf(arrival), "own");
  assertEquals(other.script.urls, [URL_A, "https://a.test/4"]);
});

Deno.test("Fetcher checks the final URL of a fetch that follows redirects by itself", async () => {
  const followed = (url: string, body: TrackedBody) => () =>
    Object.defineProperties(new Response(body.stream()), {
      url: { value: url },
      redirected: { value: true },
    });
  const once = () => new TrackedBody((index) => index === 0 ? bytes("there") : undefined);

  const setting = new Setting({ [URL_A]: followed("https://b.test/end", once()) });
  const checked: string[] = [];
  const arrival = await setting.open(URL_A, 0, {
    check: (target) => void checked.push(target.href),
  });
  assertEquals([arrival.url.href, checked], ["https://b.test/end", ["https://b.test/end"]]);
  assertEquals(await textOf(arrival), "there");

  const refusedBody = once();
  const checking = new Setting({ [URL_A]: followed("https://b.test/end", refusedBody) });
  const stop = new Error("above it");
  const error = await checking.failure(URL_A, 0, {
    check() {
      throw stop;
    },
  });
  assertStrictEquals(error as Error, stop);
  assert(refusedBody.cancelled);

  const privateBody = once();
  const policy = new Setting({ [URL_A]: followed("http://127.0.0.1/", privateBody) });
  assertEquals((await policy.failure()).code, "blocked");
  assert(privateBody.cancelled);
  const nonsense = new Setting({ [URL_A]: followed("", once()) });
  assertEquals((await nonsense.open()).url.href, URL_A);
});

// ------------------------------------------------------------------------- headers and policies

Deno.test("Fetcher sends credentials only to the origin of the homepage, also after redirects", async () => {
  const setting = new Setting(
    {
      "https://a.test/1": redirect("https://b.test/2"),
      "https://b.test/2": redirect("https://ann:secret@a.test/3"),
      "https://a.test/3": text("there"),
    },
    { headers: { cookie: "c=1", "x-trace": "t" } },
    "https://ann:pw@a.test/",
  );
  await setting.open("https://a.test/1");
  const sent = setting.script.requests.map(({ url, headers }) => [
    url,
    headers.get("authorization"),
    headers.get("cookie"),
    headers.get("x-trace"),
    headers.get("user-agent"),
  ]);
  const basic = `Basic ${btoa("ann:pw")}`;
  assertEquals(sent, [
    ["https://a.test/1", basic, "c=1", "t", "sitetree/0"],
    ["https://b.test/2", null, null, "t", "sitetree/0"],
    ["https://a.test/3", basic, "c=1", "t", "sitetree/0"],
  ]);
});

Deno.test("Fetcher sends no request to hosts that the policy refuses, redirects included", async () => {
  const setting = new Setting({ [URL_A]: redirect("https://b.test/") }, { hosts: "same-host" });
  const error = await setting.failure();
  assertEquals(error.code, "blocked");
  assertEquals(error.message, 'Host "b.test" is not allowed by the hosts policy');
  assertEquals(setting.script.urls, [URL_A]);

  const metadata = new Setting({ [URL_A]: redirect("http://169.254.169.254/") });
  assertEquals(
    (await metadata.failure()).message,
    'Host "169.254.169.254" is on a private network',
  );
  const scheme = new Setting({});
  assertEquals(
    (await scheme.failure("ftp://a.test/")).message,
    'Unsupported scheme "ftp:": expected http(s)',
  );
});

Deno.test("Fetcher throws the exception of a policy function as a CallerError, without a retry", async () => {
  const mine = new Error("mine");
  const setting = new Setting({}, {
    hosts() {
      throw mine;
    },
  });
  const error = await assertRejects(() => setting.open(), CallerError);
  assertStrictEquals(error.cause, mine);
  assertEquals(setting.fetcher.requests, 0);
});

Deno.test("Fetcher resolves host names before requests by the fetch of the runtime", async () => {
  const script = { "https://good.test/": text("well"), [URL_A]: text("own") };
  const resolve = (name: string) =>
    Promise.resolve([name === "good.test" ? "8.8.8.8" : "10.0.0.1"]);
  const setting = new Setting(script, { isRuntimeFetch: true }, "https://a.test/", resolve);
  assertEquals(await textOf(await setting.open()), "own", "the caller has named this host");
  assertEquals(await textOf(await setting.open("https://good.test/")), "well");
  const error = await setting.failure("https://evil.test/");
  assertEquals([error.code, error.message], [
    "blocked",
    'Host "evil.test" resolves to a private network',
  ]);
  assertEquals(setting.script.urls, [URL_A, "https://good.test/"]);
});

/** Returns a resolver with these results in turn; a code is an error. */
function answers(
  ...turns: (string | readonly string[])[]
): (name: string) => Promise<readonly string[]> {
  let turn = 0;
  return () => {
    const answer = turns[Math.min(turn++, turns.length - 1)]!;
    return typeof answer === "string"
      ? Promise.reject(Object.assign(new Error(`getaddrinfo ${answer}`), { code: answer }))
      : Promise.resolve(answer);
  };
}

Deno.test("Fetcher neither requests nor retries a host name that is not found", async () => {
  const options = { isRuntimeFetch: true };
  const setting = new Setting({}, options, "https://a.test/", answers("ENOTFOUND", ["127.0.0.1"]));
  const error = await setting.failure("https://gone.test/");
  assertEquals([error.code, error.message], ["network", "Host name not found"]);
  assertEquals([setting.fetcher.requests, setting.fetcher.retries], [0, 0]);
});

Deno.test("Fetcher checks the addresses of a host name before each attempt", async () => {
  const url = "https://rebound.test/";
  const late = answers("EAI_AGAIN", ["127.0.0.1"]);
  const setting = new Setting({}, { isRuntimeFetch: true }, "https://a.test/", late);
  assertEquals((await setting.failure(url)).code, "blocked");
  assertEquals([setting.fetcher.requests, setting.fetcher.retries], [0, 1]);

  const turned = answers(["8.8.8.8"], ["127.0.0.1"]);
  const options = { isRuntimeFetch: true, retryDelay: 10_000 };
  const other = new Setting({ [url]: status(503) }, options, "https://a.test/", turned);
  assertEquals((await other.failure(url)).code, "blocked");
  assertEquals(other.fetcher.requests, 1);

  const never = new Setting({}, { isRuntimeFetch: true }, "https://a.test/", answers("EAI_AGAIN"));
  const error = await never.failure(url, 2);
  assertEquals([error.code, error.message], ["network", "Host name cannot be resolved"]);
  assertEquals([never.fetcher.requests, never.fetcher.retries], [0, 2]);
});

Deno.test("Fetcher checks only the host name if it must not resolve it", async () => {
  const script = { "https://other.test/": text("well") };
  const setting = new Setting(
    script,
    { isRuntimeFetch: true },
    "https://a.test/",
    answers("EPERM"),
  );
  assertEquals(await textOf(await setting.open("https://other.test/")), "well");
});

/** Errors of runtimes, with the failure and the number of attempts. */
const THROWN: readonly (readonly [error: unknown, code: string, message: string, tries: number])[] =
  [
    [
      deno("tcp connect error: Connection refused (os error 111)"),
      "network",
      "Connection refused",
      3,
    ],
    [node("ECONNREFUSED"), "network", "Connection refused", 3],
    [
      Object.assign(new Error("?"), { code: "ConnectionRefused" }),
      "network",
      "Connection refused",
      3,
    ],
    [deno("connection closed before message completed"), "network", "Connection reset", 3],
    [node("ECONNRESET"), "network", "Connection reset", 3],
    [node("UND_ERR_SOCKET"), "network", "Connection reset", 3],
    [
      deno("dns error: failed to lookup address information: Name or service not known"),
      "network",
      "Host name not found",
      1,
    ],
    [node("ENOTFOUND"), "network", "Host name not found", 1],
    [
      deno("dns error: failed to lookup address information: Temporary failure in name resolution"),
      "network",
      "Host name cannot be resolved",
      3,
    ],
    [node("EAI_AGAIN"), "network", "Host name cannot be resolved", 3],
    [deno("invalid peer certificate: UnknownIssuer"), "network", "Invalid TLS certificate", 1],
    [node("CERT_HAS_EXPIRED"), "network", "Invalid TLS certificate", 1],
    [deno("tls handshake eof"), "network", "Connection reset", 3],
    [deno("received fatal alert: HandshakeFailure"), "network", "TLS handshake failed", 3],
    [node("EPROTO"), "network", "TLS handshake failed", 3],
    [node("UND_ERR_CONNECT_TIMEOUT"), "timeout", "Timed out", 1],
    [new TypeError("Invalid URL http://{host}.example/"), "network", "Invalid URL", 1],
    [
      new URIError("invalid host 'a..b': empty label found in FQDN"),
      "network",
      "Invalid URL",
      1,
    ],
    [
      new TypeError("Fetch failed: Requests to port 6000 are blocked"),
      "blocked",
      "Port not allowed",
      1,
    ],
    [
      new TypeError("fetch failed", { cause: new Error("bad port") }),
      "blocked",
      "Port not allowed",
      1,
    ],
    [
      new Deno.errors.NotCapable('Requires net access to "x.test:80"'),
      "blocked",
      "No permission to contact the host",
      1,
    ],
    [deno("proxy authentication required"), "network", "Proxy requires a login", 1],
    [deno("unsuccessful tunnel"), "network", "Proxy refused to connect", 3],
    [undici("407"), "network", "Proxy requires a login", 1],
    [undici("502"), "network", "Proxy refused to connect", 3],
    [new TypeError("?"), "network", "Request failed", 3],
    [undefined, "network", "Request failed", 3],
  ];

/** Returns an error of Deno's `fetch`, whose URL contains words of other reasons. */
function deno(reason: string): Error {
  const url = "http://x.test/certificate-timed-out/bad%20port";
  const cause = new Error(
    `error sending request for url (${url}): client error (Connect): ${reason}`,
  );
  return new TypeError("fetch failed", { cause });
}

/** Returns an error of Node's `fetch` whose proxy did not connect. */
function undici(status: string): Error {
  const message = `Proxy response (${status}) !== 200 when HTTP Tunneling`;
  return new TypeError("fetch failed", { cause: new Error(message) });
}

/** Returns an error of Node's `fetch`. */
function node(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(""), { code }) });
}

for (const [error, code, message, tries] of THROWN) {
  Deno.test(`Fetcher reports ${Deno.inspect(error).split("\n")[0]!.slice(0, 60)} as "${message}" (${tries})`, async () => {
    const setting = new Setting({ [URL_A]: () => Promise.reject(error) });
    const failure = await setting.failure(URL_A, 2);
    assertEquals([failure.code, failure.message], [code, message]);
    assertEquals(setting.fetcher.requests, tries);
  });
}

Deno.test("Fetcher limits the time of the resolver, and stops waiting when its signal aborts", async () => {
  const never = () => new Promise<never>(() => {});
  const setting = new Setting({}, { isRuntimeFetch: true }, "https://a.test/", never);
  const error = await setting.failure("https://slow.test/", 0);
  assertEquals([error.code, error.message], ["timeout", "Host name not resolved within 30000 ms"]);
  const budget = setting.budget(0);
  const waiting = setting.fetcher.request(new URL("https://slow.test/"), budget)
    .catch((error) => error);
  await setting.clock.settle();
  budget.cancel("enough");
  assertEquals([await waiting, setting.clock.pending], ["enough", 0]);
});

Deno.test("Fetcher keeps the pace over retries and redirects", async () => {
  const setting = new Setting({
    [URL_A]: [status(500), redirect("/2")],
    "https://a.test/2": text("there"),
  }, { wait: 5000 });
  await setting.open();
  const start = setting.script.requests[0]!.at;
  assertEquals(setting.script.requests.map(({ at }) => at - start), [0, 5000, 10_000]);
});

// ------------------------------------------------------------------------------------ stopping

Deno.test("Fetcher aborts at every stage, and leaves nothing open", async () => {
  const open = new TrackedBody((index) => index === 0 ? bytes("a") : new Promise(() => {}));
  const stages: Readonly<Record<string, readonly [Script, Partial<FetcherOptions>]>> = {
    "before the answer": [{ [URL_A]: silence(false) }, {}],
    "before the first byte": [{ [URL_A]: new TrackedBody(() => new Promise(() => {})).answer }, {}],
    "between two tries": [{ [URL_A]: status(500) }, {}],
    "behind a redirect": [{ [URL_A]: redirect("/2"), "https://a.test/2": silence() }, {}],
  };
  for (const [stage, [script, options]] of Object.entries(stages)) {
    const setting = new Setting(script, options);
    const budget = setting.budget(4);
    const request = setting.fetcher.request(new URL(URL_A), budget)
      .then((result) => setting.fetcher.follow(result, budget));
    const outcome = request.catch((error) => error);
    await setting.clock.settle();
    const reason = new Error(stage);
    budget.cancel(reason);
    assertStrictEquals(await outcome, reason);
    assertEquals([stage, setting.clock.pending], [stage, 0]);
  }

  const setting = new Setting({ [URL_A]: open.answer });
  const arrival = await setting.open();
  await arrival.body.read();
  const reading = textOf(arrival).catch((error) => error);
  const reason = new Error("all of it");
  setting.fetcher.stop(reason);
  assertStrictEquals(await reading, reason);
  assert(open.cancelled);
  assertStrictEquals(await setting.open().catch((error) => error), reason);
  assertEquals(setting.fetcher.requests, 1, "no request follows");
});

Deno.test("Fetcher stops waiting for the pace of a host when its signal aborts", async () => {
  const setting = new Setting({ [URL_A]: text("x") }, { wait: 1000 });
  (await setting.open()).body.cancel();
  const budget = setting.budget(0);
  const waiting = setting.fetcher.request(new URL(URL_A), budget).catch((error) => error);
  await setting.clock.settle();
  budget.cancel("enough");
  assertEquals(await waiting, "enough");
  assertEquals([setting.clock.pending, setting.fetcher.requests], [0, 1]);
});

// ------------------------------------------------------------------------------------- reports

/** Returns a function that records reports as `phase attempt reason`. */
function reporter(): { readonly lines: string[]; onRequest(report: RequestReport): void } {
  const lines: string[] = [];
  return {
    lines,
    onRequest: ({ phase, attempt, status, delayMs, code, reason }) =>
      void lines.push(
        [phase, attempt, status, delayMs, code, reason].filter((part) => part !== undefined)
          .join(" "),
      ),
  };
}

Deno.test("Fetcher reports a host name that is not found as a failure without a request", async () => {
  const resolve = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
  const { lines, onRequest } = reporter();
  const setting = new Setting({}, { isRuntimeFetch: true, onRequest }, undefined, resolve);
  await setting.failure("https://b.test/");
  assertEquals(lines, ["failure 1 host-not-found Host name not found"]);
});

Deno.test("Fetcher reports a host name that cannot be resolved now, and each retry", async () => {
  const resolve = () => Promise.reject(Object.assign(new Error("no"), { code: "EAI_AGAIN" }));
  const { lines, onRequest } = reporter();
  const options = { isRuntimeFetch: true, retryDelay: 0, onRequest };
  await new Setting({}, options, undefined, resolve).failure("https://b.test/", 1);
  assertEquals(lines, [
    "failure 1 dns Host name cannot be resolved",
    "retry 1 0 dns Host name cannot be resolved",
    "failure 2 dns Host name cannot be resolved",
  ]);
});

Deno.test("Fetcher reports a request without a range after one that was refused", async () => {
  const { lines, onRequest } = reporter();
  const setting = new Setting({ [URL_A]: [status(416), text("well")] }, { onRequest });
  assertEquals(await textOf(await setting.open(URL_A, 0)), "well");
  assertEquals(lines, [
    "request 1",
    "response 1 416",
    "retry 1 416 0 http-status 416 Range Not Satisfiable",
    "request 2",
    "response 2 200",
  ]);
});

Deno.test("Fetcher reports a timeout as a failure, before the response and in the body", async () => {
  const { lines, onRequest } = reporter();
  const options = { timeout: 10, retryDelay: 0, onRequest };
  const setting = new Setting({ [URL_A]: silence() }, options);
  await setting.failure(URL_A, 0);
  assertEquals(lines.splice(0), ["request 1", "failure 1 timeout No byte within 10 ms"]);
  const body = new TrackedBody((at) => at === 0 ? bytes("a") : new Promise<never>(() => {}));
  const slow = new Setting({ [URL_A]: body.answer }, options);
  const arrival = await slow.open();
  await assertRejects(() => slow.clock.run(textOf(arrival)));
  assertEquals(lines, [
    "request 1",
    "response 1 200",
    "failure 1 timeout Truncated body: No byte within 10 ms",
  ]);
});

Deno.test("Fetcher reports no failure of requests that are aborted", async () => {
  const { lines, onRequest } = reporter();
  const setting = new Setting({ [URL_A]: silence() }, { onRequest });
  const request = setting.fetcher.request(new URL(URL_A), setting.budget(4));
  await setting.clock.settle();
  setting.fetcher.stop(new Error("enough"));
  await assertRejects(() => request, Error, "enough");
  const body = new TrackedBody((at) => at === 0 ? bytes("a") : new Promise<never>(() => {}));
  const open = new Setting({ [URL_A]: body.answer }, { onRequest });
  const reading = textOf(await open.open());
  open.fetcher.stop(new Error("enough"));
  await assertRejects(() => reading, Error, "enough");
  assertEquals(lines, ["request 1", "request 1", "response 1 200"]);
});

Deno.test("Fetcher reports a refused document that fetch was redirected to", async () => {
  const { lines, onRequest } = reporter();
  const answer = () => {
    const response = new Response("x");
    Object.defineProperty(response, "redirected", { value: true });
    Object.defineProperty(response, "url", { value: "https://b.test/" });
    return response;
  };
  const setting = new Setting({ [URL_A]: answer }, { onRequest, hosts: "same-host" });
  await setting.failure();
  assertEquals(lines, [
    "request 1",
    "redirect 1",
    "request 1",
    "response 1 200",
    'failure 1 blocked Host "b.test" is not allowed by the hosts policy',
  ]);
});

/** Returns a response of a browser to a redirect that it must not follow. */
function opaqueRedirect(): Response {
  return Object.defineProperties(new Response(null), {
    type: { value: "opaqueredirect" },
    status: { value: 0 },
  });
}

/** Responds as a browser, which hides the target of a redirect unless it may follow it. */
function inBrowser(target: string, body: string) {
  return (_url: string, { redirect }: RequestInit): Response =>
    redirect === "follow"
      ? Object.defineProperties(new Response(body), {
        url: { value: target },
        redirected: { value: true },
      })
      : opaqueRedirect();
}

Deno.test("Fetcher lets a browser follow a hidden redirect, and checks the final URL", async () => {
  const reports: string[] = [], checked: string[] = [];
  const onRequest = ({ phase, url, status, location }: RequestReport) =>
    void reports.push([phase, url, status, location].filter(Boolean).join(" "));
  const target = "https://b.test/end";
  const setting = new Setting({ [URL_A]: inBrowser(target, "there") }, { onRequest });
  const arrival = await setting.open(URL_A, 0, {
    check: ({ href }) => void checked.push(href),
  });
  assertEquals([arrival.requestedUrl.href, arrival.url.href], [URL_A, target]);
  assertEquals(await textOf(arrival), "there");
  assertEquals(checked, [target]);
  assertEquals(setting.script.requests.map(({ redirect }) => redirect), ["manual", "follow"]);
  assertEquals(setting.fetcher.requests, 2);
  assertEquals(reports, [
    `request ${URL_A}`,
    `redirect ${URL_A} ${target}`,
    `request ${target}`,
    `response ${target} 200`,
  ]);
});

Deno.test("Fetcher refuses a document that a browser was redirected to against the policy", async () => {
  const refusalOf = async (target: string, options: object) =>
    (await new Setting({ [URL_A]: inBrowser(target, "x") }, options).failure()).code;
  assertEquals(await refusalOf("http://127.0.0.1/", {}), "blocked");
  assertEquals(await refusalOf("https://b.test/", { hosts: "same-host" }), "blocked");
  assertEquals(await refusalOf("https://b.test/", { maxRedirects: 0 }), "redirect");
});

Deno.test("Fetcher reads a document that no longer redirects on the second request of a browser", async () => {
  const answers = [opaqueRedirect, text("here")];
  const arrival = await new Setting({ [URL_A]: answers }).open();
  assertEquals([arrival.url.href, await textOf(arrival)], [URL_A, "here"]);
});

Deno.test("Fetcher ignores the Content-Length of a body that a browser has decoded", async () => {
  const script = { [URL_A]: text("short", { "content-length": "30" }) };
  const arrival = await withBrowserRequest(() => new Setting(script)).open();
  assertEquals(await textOf(arrival), "short");
});

Deno.test("request() is not conditional after a response with a body", async () => {
  const validators = { url: URL_A, etag: '"1"', lastModified: undefined };
  const failing = new TrackedBody(() => Promise.reject(new TypeError("connection reset")));
  for (const body of [text("new"), failing.answer]) {
    const setting = new Setting({ [URL_A]: [status(503), body, text("new")] });
    const { fetcher, clock, script } = setting;
    for (let request = 0; request < 2; request++) {
      const budget = new RetryBudget(URL_A, 4, fetcher.signal, 1, validators);
      const result = await clock.run(fetcher.request(new URL(URL_A), budget));
      assertEquals(await textOf(result as FetchedDocument), "new");
    }
    const sent = script.requests.map(({ headers }) => headers.get("if-none-match"));
    assertEquals(sent, ['"1"', '"1"', ...sent.slice(2).map(() => null)]);
  }
});

for (const code of [429, 500, 503]) {
  Deno.test(`Fetcher retries ${code} of a host that fails only if there is nothing to wait for`, async () => {
    for (const retryDelay of [0, 1000]) {
      const url = "https://a.test/4";
      const setting = new Setting(
        { ...everywhere(status(500)), [url]: [status(code), text("well")] },
        { retryDelay },
      );
      // three sitemaps are given up
      for (const path of [1, 2, 3]) await setting.failure(`https://a.test/${path}`, 0);
      if (retryDelay === 0) assertEquals(await textOf(await setting.open(url)), "well");
      else assertEquals(statusOf(await setting.failure(url)), code);
      assertEquals(setting.clock.waited.filter((time) => time > 0), []);
    }
  });
}
