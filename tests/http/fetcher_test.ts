import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import type { InvalidSitemapError } from "../../src/data/errors.ts";
import { RetryBudget } from "../../src/http/attempts.ts";
import type { FetchedDocument, FetchResult } from "../../src/http/fetched_document.ts";
import { Fetcher, type RedirectHandler } from "../../src/http/fetcher.ts";
import { requestCodeOf, statusOf } from "../../src/http/failure.ts";
import type { RequestReport } from "../../src/http/request_report.ts";
import { RETRIED_STATUSES } from "../../src/http/retry.ts";
import { withBrowserRequest } from "../platform/browser_request.ts";
import { FakeClock } from "./fake_clock.ts";
import {
  type Answer,
  broken,
  bytes,
  followed,
  redirect,
  refused,
  type Script,
  ScriptedFetch,
  silence,
  status,
  text,
  textOf,
  TrackedBody,
  unfinished,
} from "./scripted_fetch.ts";

const ORIGIN = "https://a.test";
const URL_A = `${ORIGIN}/s.xml`;

/** Options of a fetcher that checks the addresses of host names by this resolver. */
function resolving(resolve: (hostname: string) => Promise<readonly string[]>) {
  return { isRuntimeFetch: true, resolve };
}

type FetcherOptions = ConstructorParameters<typeof Fetcher>[1];

/**
 * A fetcher with a fake clock and a script, by paths of {@linkcode ORIGIN} or other URLs. A script may
 * be no more than the answers of `/s.xml`.
 */
class Setting {
  readonly clock = new FakeClock();
  readonly script: ScriptedFetch;
  readonly fetcher: Fetcher;
  readonly reports: RequestReport[] = [];

  constructor(
    script: Script | Answer | readonly Answer[],
    options: Partial<FetcherOptions> = {},
    homepage = ORIGIN,
  ) {
    const isScript = typeof script === "object" && !Array.isArray(script);
    const answers = isScript ? script as Script : { "/s.xml": script as Answer };
    const { clock } = this;
    this.script = new ScriptedFetch(answers, () => clock.time, (url) => url.replace(ORIGIN, ""));
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
        isHostAllowed: () => true,
        allowPrivateNetwork: undefined,
        isRuntimeFetch: false,
        onRequest: (report) => void this.reports.push(report),
        ...options,
      },
      this.clock,
    );
  }

  /** Reports as `phase attempt status delay code reason`. */
  get lines(): string[] {
    return this.reports.map(({ phase, attempt, status, delayMs, code, reason }) =>
      [phase, attempt, status, delayMs, code, reason].filter((part) => part !== undefined).join(" ")
    );
  }

  get counts(): [requests: number, retries: number] {
    return [this.fetcher.requests, this.fetcher.retries];
  }

  /** Fetches a document, redirects included. */
  open(url = URL_A, retries = 4, redirects?: RedirectHandler): Promise<FetchedDocument> {
    return this.clock.run(this.fetch(url, this.budget(retries), redirects));
  }

  async text(url = URL_A, retries = 4): Promise<string> {
    return await textOf((await this.open(url, retries)).body);
  }

  /** Starts to fetch a document; `outcome` is that or the error. */
  async start(
    retries = 4,
    url = URL_A,
  ): Promise<{ budget: RetryBudget; outcome: Promise<unknown> }> {
    const budget = this.budget(retries);
    const outcome = this.fetch(url, budget).catch((error) => error);
    await this.clock.settle();
    return { budget, outcome };
  }

  budget(retriesLeft: number): RetryBudget {
    return new RetryBudget(URL_A, retriesLeft, this.fetcher.signal);
  }

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

  /** Checks the code and the message of the error of a document, and the number of requests. */
  async fails(code: string, message: string, requests: number, url = URL_A, retries = 4) {
    const error = await this.failure(url, retries);
    assertEquals([error.code, error.message, this.fetcher.requests], [code, message, requests]);
  }

  async fetch(
    url: string,
    budget = this.budget(4),
    redirects?: RedirectHandler,
  ): Promise<FetchedDocument> {
    const result = await this.fetcher.request(new URL(url, ORIGIN), budget);
    return await this.fetcher.follow(result, budget, redirects);
  }
}

// ------------------------------------------------------------------------------------- retries

/** The statuses that USP retries. */
const RETRIED = [
  ...[400, 408, 429, 499, 500, 502, 503, 504, 509],
  ...[520, 521, 522, 523, 524, 525, 526, 527, 530, 598],
];

Deno.test("Fetcher retries some statuses until it succeeds or no retry is left", async () => {
  assertEquals(
    Array.from({ length: 600 }, (_, code) => code).filter((code) => RETRIED_STATUSES.has(code)),
    RETRIED,
  );
  for (const code of RETRIED) {
    const recovers = new Setting([status(code), status(code), text("well")]);
    assertEquals(await recovers.text(), "well", `${code}`);
    assertEquals(recovers.counts, [3, 2], `${code}`);
    assertEquals(recovers.clock.waited, [1000, 2000], `${code}`);

    const stays = new Setting(status(code));
    const error = await stays.failure();
    assertEquals([error.code, statusOf(error)], ["http-status", code]);
    assert(error.message.startsWith(String(code)) || error.message === `Status ${code}`);
    assertEquals(stays.counts, [5, 4], `${code}`);
    assertEquals(stays.clock.waited, [1000, 2000, 4000, 8000], `${code}`);
  }
});

Deno.test("Fetcher does not retry any other status", async () => {
  for (const code of [304, 401, 403, 404, 405, 410, 418, 451, 501, 505, 529, 531, 599]) {
    const setting = new Setting(status(code));
    assertEquals(statusOf(await setting.failure()), code);
    assertEquals(setting.fetcher.requests, 1);
  }
});

Deno.test("Fetcher returns the document of every 2xx", async () => {
  for (const code of [200, 201, 203, 206, 226, 299]) {
    const headers = code === 206 ? { "content-range": "bytes 0-0/1" } : {};
    const setting = new Setting(() => new Response("x", { status: code, headers }));
    assertEquals(await setting.text(), "x", `${code}`);
  }
  assertEquals(await new Setting(status(204)).text(), "");
});

Deno.test("Fetcher describes a status by its standard text, or by that of the server", async () => {
  const own = (code: number, url: string) => () => {
    const response = new Response(null, { status: code, statusText: "Own words" });
    return Object.defineProperty(response, "url", { value: url });
  };
  const answers: readonly (readonly [Answer, message: string])[] = [
    [own(404, URL_A), "404 Not Found"],
    // made by a program, not by a server
    [own(404, ""), "404 Own words"],
    [own(599, URL_A), "599 Own words"],
    [status(404), "404 Not Found"],
    [status(599), "Status 599"],
  ];
  for (const [answer, message] of answers) {
    assertEquals((await new Setting(answer).failure()).message, message);
  }
});

Deno.test("Fetcher respects Retry-After in seconds and as a date", async () => {
  const later = new Date(Date.UTC(2024, 0, 1, 0, 0, 45)).toUTCString();
  const setting = new Setting([
    status(503, { "retry-after": "7" }),
    status(429, { "retry-after": later }),
    status(500, { "retry-after": "30" }),
    status(503, { "retry-after": "whenever" }),
    text("well"),
  ]);
  await setting.open();
  assertEquals(setting.clock.waited, [7000, 38_000, 30_000, 8000]);
});

Deno.test("Fetcher does not wait for a Retry-After beyond the longest delay", async () => {
  for (const code of [429, 500, 503]) {
    const setting = new Setting(status(code, { "retry-after": "61" }));
    const error = await setting.failure();
    assertEquals([error.code, statusOf(error)], ["http-status", code]);
    assert(error.message.endsWith("; asks to wait 61 s"), error.message);
    assertEquals([setting.fetcher.requests, setting.clock.waited], [1, []]);
  }
});

Deno.test("Fetcher asks no more of a host that three times asks for a long wait", async () => {
  const setting = new Setting({ "*": status(503, { "retry-after": "3600" }) });
  for (let at = 0; at < 5; at++) await setting.failure(`/${at}`);
  assertEquals(setting.fetcher.requests, 3);
  const error = await setting.failure("/6");
  assertEquals(
    [error.code, requestCodeOf(error), statusOf(error), error.message],
    ["http-status", "host-down", 503, "Host does not answer: 503 Service Unavailable"],
  );
});

Deno.test("Fetcher waits for nothing without retries", async () => {
  for (const headers of [{}, { "retry-after": "5" }]) {
    const setting = new Setting({ "*": status(429, headers) }, { retries: 0 });
    for (let at = 0; at < 3; at++) await setting.failure(`/${at}`, 0);
    assertEquals([setting.fetcher.requests, setting.clock.waited], [3, []]);
  }
});

Deno.test("Fetcher does not retry a timeout of a host that has never responded", async () => {
  const setting = new Setting(silence());
  assertEquals((await setting.failure()).code, "timeout");
  assertEquals(setting.clock.waited, [30_000]);
});

Deno.test("Fetcher asks no more of a host that does not respond for three URLs", async () => {
  const setting = new Setting({ "*": refused("connection refused") });
  const codes: string[] = [];
  for (let at = 0; at < 5; at++) {
    const error = await setting.failure(`/${at}`, 1);
    codes.push(`${error.code} ${requestCodeOf(error)}`);
  }
  assertEquals(codes, [
    ...Array(3).fill("network connection-refused"),
    ...Array(2).fill("network host-down"),
  ]);
  assertEquals(setting.fetcher.requests, 5);
});

Deno.test("Fetcher asks for robots.txt before it gives up a host for two URLs", async () => {
  const reset = refused("connection reset");
  for (
    const [robots, requests, code] of [
      [[text("")], 8, "connection-reset"],
      // not retried
      [[text(""), reset], 7, "host-down"],
    ] as const
  ) {
    const setting = new Setting({ "*": reset, "/robots.txt": robots });
    await setting.open("/robots.txt");
    for (const path of ["/1", "/2"]) await setting.failure(path, 2);
    assertEquals(setting.fetcher.requests, requests);
    assertEquals(requestCodeOf(await setting.failure("/3", 0)), code);
  }
});

Deno.test("Fetcher gives up a refused sitemap once the host answers no other", async () => {
  const setting = new Setting({ "/1": status(429), "/2": [status(429), text("well")] });
  const fetched = Promise.allSettled(["/1", "/2"].map((path) => setting.fetch(path)));
  const outcomes = await setting.clock.run(fetched);
  assertEquals(outcomes.map(({ status }) => status), ["rejected", "fulfilled"]);
  // the refusal before the answer does not count
  assertEquals(setting.script.urls.map((url) => url.at(-1)).join(""), "12121111");
});

Deno.test("Fetcher does not wait longer than maxWait", async () => {
  const answer = status(429, { "retry-after": "20" });
  const setting = new Setting({ "*": answer }, { maxWait: 30_000 });
  const error = await setting.failure("/1", 99);
  assertEquals(
    [error.code, statusOf(error), error.message],
    ["http-status", 429, "429 Too Many Requests; not answered within 30000 ms"],
  );
  assertEquals([setting.fetcher.requests, setting.clock.waited], [2, [20_000]]);
});

Deno.test("Fetcher reports a slow-down with the new interval", async () => {
  const answers = [status(429), status(503, { "retry-after": "3" }), status(503), text("well")];
  const setting = new Setting(answers);
  await setting.open();
  const slowDowns = setting.reports.filter(({ phase }) => phase === "slow-down")
    .map(({ status, intervalMs }) => [status, intervalMs]);
  assertEquals(slowDowns, [[429, 1000], [503, 1000]]);
});

Deno.test("Fetcher retries failed connections and timeouts", async () => {
  const reset = refused("connection reset");
  assertEquals(await new Setting([reset, text("well")]).text(), "well");
  await new Setting(reset).fails("network", "Connection reset", 5);
  const silent = new Setting([status(500), silence()]);
  await silent.fails("timeout", "No byte within 30000 ms", 3, URL_A, 2);
  const waited = silent.clock.waited.reduce((sum, wait) => sum + wait);
  assertEquals(waited, 1000 + 30_000 + 2000 + 30_000);
});

Deno.test("Fetcher retries a body that fails before its first byte, but not later", async () => {
  const setting = new Setting([broken("").answer, text("well")]);
  assertEquals(await setting.text(), "well");
  assertEquals(setting.script.requests[1]!.headers.get("accept-encoding"), "identity");

  const late = new Setting(broken("some", "reset").answer);
  const arrival = await late.open();
  assertEquals(await arrival.body.read(), bytes("some"));
  await assertRejects(() => arrival.body.read(), TypeError, "reset");
  assertEquals(late.fetcher.requests, 1);
});

/** Returns a response whose body, declared as gzip, fails before its first byte. */
function undecodable(message: string): Answer {
  const headers = { "content-encoding": "gzip" };
  return () => new Response(broken("", message).stream(), { headers });
}

const NO_GZIP = undecodable("invalid gzip header");
const NO_REASON = undecodable("network error");
const NO_CONNECTION = undecodable("connection reset");
const PLAIN = text("plain", { "content-encoding": "gzip" });

/** Bodies that fail: the delays before requests, how they are sent, and what they lead to. */
const FAILED_BODIES: Readonly<
  Record<string, readonly [Answer | Answer[], waited: number[], sent: string, outcome: string]>
> = {
  "no gzip, then plain": [[NO_GZIP, PLAIN], [], "gi", "plain, not gzip"],
  "no gzip, twice": [NO_GZIP, [], "gi", 'network: Body is not encoded as "gzip"'],
  "no gzip, after an error": [[status(500), NO_GZIP, PLAIN], [1000], "ggi", "plain, not gzip"],
  "no gzip, then an error": [[NO_GZIP, status(500), PLAIN], [2000], "gii", "plain, not gzip"],
  "no reason, then plain": [[NO_REASON, PLAIN], [], "gi", "plain"],
  "no reason, ever": [NO_REASON, [2000, 4000, 8000], "giiii", "network: Request failed"],
  "no connection, ever": [
    NO_CONNECTION,
    [1000, 2000, 4000, 8000],
    "giiii",
    "network: Connection reset",
  ],
  "no connection, then no gzip": [
    [NO_CONNECTION, NO_GZIP],
    [1000],
    "gi",
    'network: Body is not encoded as "gzip"',
  ],
};

for (const [name, [answers, waited, sent, outcome]] of Object.entries(FAILED_BODIES)) {
  Deno.test(`Fetcher requests an encoded body again that fails for ${name}`, async () => {
    const setting = new Setting(answers);
    const arrival = await setting.open().catch((error: InvalidSitemapError) => error);
    const found = arrival instanceof Error
      ? `${arrival.code}: ${arrival.message}`
      : await textOf(arrival.body) + (arrival.misencoded ? `, not ${arrival.misencoded}` : "");
    assertEquals([found, setting.clock.waited], [outcome, waited]);
    const encodings = setting.script.requests.map(({ headers }) => headers.get("accept-encoding"));
    assertEquals(encodings.map((encoding) => encoding?.at(0)).join(""), sent);
  });
}

Deno.test("Fetcher pauses the whole host on 429, and only that host", async () => {
  const setting = new Setting({
    "/1": [status(429, { "retry-after": "10" }), text("well")],
    "/2": text("well"),
    "https://b.test/3": text("well"),
  });
  const { clock, script } = setting;
  const start = clock.time;
  const read: Promise<void>[] = [];
  for (const url of ["/1", "/2", "https://b.test/3"]) {
    read.push(setting.fetch(url).then(({ body }) => body.cancel()));
    await clock.settle();
  }
  await clock.run(Promise.all(read));
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
      "/s.xml": redirect("/b/x.xml", code),
      "/b/x.xml": redirect("//c.test/y.xml#part", code),
      "https://c.test/y.xml#part": text("there"),
    });
    const arrival = await setting.open();
    assertEquals(arrival.url.href, "https://c.test/y.xml#part");
    assertEquals(await textOf(arrival.body), "there");
    assertEquals(setting.fetcher.requests, 3);
    assert(setting.script.requests.every(({ redirect }) => redirect === "manual"));
  });
}

Deno.test("Fetcher does not follow a redirect without Location", async () => {
  for (const code of [300, 301, 304, 305, 399]) {
    assertEquals(statusOf(await new Setting(status(code)).failure()), code);
  }
  assertEquals(statusOf(await new Setting(status(300, { location: "/b" })).failure()), 300);
});

Deno.test("Fetcher limits the number of redirects", async () => {
  const trail = (length: number) =>
    Object.fromEntries([
      ...Array.from({ length }, (_, step) => [`/${step}`, redirect(`/${step + 1}`)]),
      [`/${length}`, text("there")],
    ]);
  assertEquals(await new Setting(trail(20)).text("/0", 0), "there");
  await new Setting(trail(21)).fails("redirect", "More than 20 redirects", 21, "/0");
  const none = new Setting(trail(1), { maxRedirects: 0 });
  await none.fails("redirect", "More than 0 redirects", 1, "/0");
});

Deno.test("Fetcher does not spend retries on redirects", async () => {
  const failsTwice = [status(500), status(500), text("there")];
  const setting = new Setting({
    "/s.xml": [status(500), redirect("/2")],
    "/2": redirect("/3"),
    "/3": failsTwice,
  });
  assertEquals(await setting.text(URL_A, 3), "there");
  const spent = new Setting({ "/s.xml": [status(500), redirect("/2")], "/2": failsTwice });
  assertEquals(statusOf(await spent.failure(URL_A, 2)), 500);
});

Deno.test("Fetcher calls the redirect handler, and uses its response", async () => {
  const checked: string[] = [];
  const setting = new Setting({ "/s.xml": redirect("/2"), "/2": redirect("/3") });
  const stop = new Error("not there");
  const error = await setting.failure(URL_A, 4, {
    check(target) {
      checked.push(target.pathname);
      if (target.pathname === "/3") throw stop;
    },
  });
  assertStrictEquals(error as Error, stop);
  assertEquals([checked, setting.script.urls], [["/2", "/3"], [URL_A, `${ORIGIN}/2`]]);

  const other = new Setting({ "/s.xml": redirect("/2"), "/4": text("own") });
  const url = new URL("/2", ORIGIN);
  const here: FetchResult = { requestedUrl: url, url, redirect: new URL("/4", ORIGIN) };
  const arrival = await other.open(URL_A, 4, {
    check() {},
    answer: (target) => target.pathname === "/2" ? Promise.resolve(here) : undefined,
  });
  assertEquals(await textOf(arrival.body), "own");
  assertEquals(other.script.urls, [URL_A, `${ORIGIN}/4`]);
});

Deno.test("Fetcher checks the final URL of a fetch that follows redirects by itself", async () => {
  const once = () => new TrackedBody((index) => index === 0 ? bytes("there") : undefined);
  const setting = new Setting(followed("https://b.test/end", "there"));
  const checked: string[] = [];
  const check = (target: URL) => void checked.push(target.href);
  const arrival = await setting.open(URL_A, 0, { check });
  assertEquals([arrival.url.href, checked], ["https://b.test/end", ["https://b.test/end"]]);
  assertEquals(await textOf(arrival.body), "there");

  const refusedBody = once();
  const checking = new Setting(followed("https://b.test/end", refusedBody.stream()));
  const stop = new Error("above it");
  const error = await checking.failure(URL_A, 0, {
    check() {
      throw stop;
    },
  });
  assertStrictEquals(error as Error, stop);
  assert(refusedBody.cancelled);

  const privateBody = once();
  const policy = new Setting(followed("http://127.0.0.1/", privateBody.stream()));
  assertEquals((await policy.failure()).code, "blocked");
  assert(privateBody.cancelled);
  assertEquals((await new Setting(followed("", "there")).open()).url.href, URL_A);
});

// ------------------------------------------------------------------------- headers and policies

Deno.test("Fetcher sends credentials only to the origin of the homepage, also after redirects", async () => {
  const setting = new Setting(
    {
      "/1": redirect("https://b.test/2"),
      "https://b.test/2": redirect("https://ann:secret@a.test/3"),
      "/3": text("there"),
    },
    { headers: { cookie: "c=1", "x-trace": "t" } },
    "https://ann:pw@a.test/",
  );
  await setting.open("/1");
  const names = ["authorization", "cookie", "x-trace", "user-agent"];
  const sent = setting.script.requests
    .map(({ url, headers }) => [url, ...names.map((name) => headers.get(name))]);
  const basic = `Basic ${btoa("ann:pw")}`;
  assertEquals(sent, [
    ["https://a.test/1", basic, "c=1", "t", "sitetree/0"],
    ["https://b.test/2", null, null, "t", "sitetree/0"],
    ["https://a.test/3", basic, "c=1", "t", "sitetree/0"],
  ]);
});

function isOwn({ host }: URL): boolean {
  return host !== "b.test";
}

Deno.test("Fetcher sends no request to hosts that the policy refuses, redirects included", async () => {
  const setting = new Setting(redirect("https://b.test/"), { isHostAllowed: isOwn });
  await setting.fails("blocked", 'Host "b.test" is not allowed by the hosts policy', 1);
  assertEquals(setting.script.urls, [URL_A]);

  const metadata = new Setting(redirect("http://169.254.169.254/"));
  await metadata.fails("blocked", 'Host "169.254.169.254" is on a private network', 1);
  const scheme = 'Unsupported scheme "ftp:": expected http(s)';
  await new Setting({}).fails("blocked", scheme, 0, "ftp://a.test/");
});

/** Returns a resolver with these results in turn; a code is an error. */
function answers(...turns: (string | readonly string[])[]): () => Promise<readonly string[]> {
  let turn = 0;
  return () => {
    const answer = turns[Math.min(turn++, turns.length - 1)]!;
    return typeof answer === "string"
      ? Promise.reject(Object.assign(new Error(`getaddrinfo ${answer}`), { code: answer }))
      : Promise.resolve(answer);
  };
}

Deno.test("Fetcher resolves host names before requests by the fetch of the runtime", async () => {
  const script = { "https://good.test/": text("well"), "/s.xml": text("own") };
  const resolve = (name: string) =>
    Promise.resolve([name === "good.test" ? "8.8.8.8" : "10.0.0.1"]);
  const setting = new Setting(script, resolving(resolve));
  assertEquals(await setting.text(), "own", "the caller has named this host");
  assertEquals(await setting.text("https://good.test/"), "well");
  const reason = 'Host "evil.test" resolves to a private network';
  await setting.fails("blocked", reason, 2, "https://evil.test/");
  assertEquals(setting.script.urls, [URL_A, "https://good.test/"]);
});

Deno.test("Fetcher checks the addresses of a host name before each attempt", async () => {
  const url = "https://rebound.test/";
  const late = new Setting({}, resolving(answers("EAI_AGAIN", ["127.0.0.1"])));
  assertEquals((await late.failure(url)).code, "blocked");
  assertEquals(late.counts, [0, 1]);

  const turned = resolving(answers(["8.8.8.8"], ["127.0.0.1"]));
  const other = new Setting({ [url]: status(503) }, { ...turned, retryDelay: 10_000 });
  assertEquals((await other.failure(url)).code, "blocked");
  assertEquals(other.fetcher.requests, 1);
});

/** Errors of runtimes by the failure they are reported as: its code, message and attempts. */
const THROWN: readonly (readonly [code: string, message: string, tries: number, unknown[]])[] = [
  ["network", "Connection refused", 3, [
    deno("tcp connect error: Connection refused (os error 111)"),
    node("ECONNREFUSED"),
    Object.assign(new Error("?"), { code: "ConnectionRefused" }),
    new TypeError("error sending request", {
      cause: new Error(
        "error sending request from 1.2.3.4 for https://a.test/: client error (Connect): refused",
      ),
    }),
  ]],
  ["network", "Connection reset", 3, [
    deno("connection closed before message completed"),
    node("ECONNRESET"),
    node("UND_ERR_SOCKET"),
    deno("tls handshake eof"),
  ]],
  ["network", "Host name not found", 1, [
    deno("dns error: failed to lookup address information: Name or service not known"),
    node("ENOTFOUND"),
  ]],
  ["network", "Host name cannot be resolved", 3, [
    deno("dns error: failed to lookup address information: Temporary failure in name resolution"),
    node("EAI_AGAIN"),
  ]],
  ["network", "Invalid TLS certificate", 1, [
    deno("invalid peer certificate: UnknownIssuer"),
    node("CERT_HAS_EXPIRED"),
  ]],
  ["network", "TLS handshake failed", 3, [
    deno("received fatal alert: HandshakeFailure"),
    node("EPROTO"),
  ]],
  ["timeout", "Timed out", 1, [
    node("UND_ERR_CONNECT_TIMEOUT"),
    new DOMException("Signal timed out", "TimeoutError"),
  ]],
  ["network", "Invalid URL", 1, [
    new TypeError("Invalid URL http://{host}.example/"),
    new URIError("invalid host 'a..b': empty label found in FQDN"),
  ]],
  ["blocked", "Port not allowed", 1, [
    new TypeError("Fetch failed: Requests to port 6000 are blocked"),
    new TypeError("fetch failed", { cause: new Error("bad port") }),
  ]],
  ["blocked", "No permission to contact the host", 1, [
    new Deno.errors.NotCapable('Requires net access to "x.test:80"'),
  ]],
  ["network", "Proxy requires a login", 1, [deno("proxy authentication required"), undici("407")]],
  ["network", "Proxy refused to connect", 3, [deno("unsuccessful tunnel"), undici("502")]],
  ["network", "Request failed", 3, [
    new TypeError("?"),
    undefined,
    "?",
    new TypeError("fetch failed", { cause: new Error("") }),
  ]],
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

for (const [code, message, tries, errors] of THROWN) {
  Deno.test(`Fetcher reports the errors of runtimes for "${message}" after ${tries} attempts`, async () => {
    for (const error of errors) {
      const setting = new Setting(() => Promise.reject(error));
      await setting.fails(code, message, tries, URL_A, 2);
    }
  });
}

Deno.test("Fetcher limits the time of the resolver, and stops waiting when its signal aborts", async () => {
  const setting = new Setting({}, resolving(() => new Promise<never>(() => {})));
  const reason = "Host name not resolved within 30000 ms";
  await setting.fails("timeout", reason, 0, "https://slow.test/", 0);
  const { budget, outcome } = await setting.start(0, "https://slow.test/");
  budget.cancel("enough");
  assertEquals([await outcome, setting.clock.pending], ["enough", 0]);
});

Deno.test("Fetcher keeps the pace over retries and redirects", async () => {
  const script = { "/s.xml": [status(500), redirect("/2")], "/2": text("there") };
  const setting = new Setting(script, { wait: 5000 });
  const start = setting.clock.time;
  await setting.open();
  assertEquals(setting.script.requests.map(({ at }) => at - start), [0, 5000, 10_000]);
});

// ------------------------------------------------------------------------------------ stopping

Deno.test("Fetcher aborts at every stage, and leaves nothing open", async () => {
  const stages: Readonly<Record<string, Script | Answer>> = {
    "before the answer": silence(false),
    "before the first byte": new TrackedBody(() => new Promise(() => {})).answer,
    "between two tries": status(500),
    "behind a redirect": { "/s.xml": redirect("/2"), "/2": silence() },
  };
  for (const [stage, script] of Object.entries(stages)) {
    const setting = new Setting(script);
    const { budget, outcome } = await setting.start();
    const reason = new Error(stage);
    budget.cancel(reason);
    assertStrictEquals(await outcome, reason);
    assertEquals(setting.clock.pending, 0, stage);
  }

  const body = unfinished("a");
  const setting = new Setting(body.answer);
  const arrival = await setting.open();
  await arrival.body.read();
  const reading = textOf(arrival.body).catch((error) => error);
  const reason = new Error("all of it");
  setting.fetcher.stop(reason);
  assertStrictEquals(await reading, reason);
  assert(body.cancelled);
  assertStrictEquals(await setting.open().catch((error) => error), reason);
  assertEquals(setting.fetcher.requests, 1, "no request follows");
});

Deno.test("Fetcher stops waiting for the pace of a host when its signal aborts", async () => {
  const setting = new Setting(text("x"), { wait: 1000 });
  (await setting.open()).body.cancel();
  const { budget, outcome } = await setting.start(0);
  budget.cancel("enough");
  assertEquals(await outcome, "enough");
  assertEquals([setting.clock.pending, setting.fetcher.requests], [0, 1]);
});

// ------------------------------------------------------------------------------------- reports

/** Failures with their reports: script, options, URL and retries. */
const REPORTED: Readonly<
  Record<
    string,
    readonly [Script | Answer, Partial<FetcherOptions>, url: string, retries: number, string[]]
  >
> = {
  "a host name that is not found, without a request": [
    {},
    resolving(answers("ENOTFOUND")),
    "https://b.test/",
    4,
    ["failure 1 host-not-found Host name not found"],
  ],
  "a host name that cannot be resolved now, and each retry": [
    {},
    { ...resolving(answers("EAI_AGAIN")), retryDelay: 0 },
    "https://b.test/",
    1,
    [
      "failure 1 dns Host name cannot be resolved",
      "retry 1 0 dns Host name cannot be resolved",
      "failure 2 dns Host name cannot be resolved",
    ],
  ],
  "a timeout before the response": [
    silence(),
    { timeout: 10, retryDelay: 0 },
    URL_A,
    0,
    ["request 1", "failure 1 timeout No byte within 10 ms"],
  ],
  "a refused document that fetch was redirected to": [
    followed("https://b.test/", "x"),
    { isHostAllowed: isOwn },
    URL_A,
    4,
    [
      ...["request 1", "redirect 1", "request 1", "response 1 200"],
      'failure 1 blocked Host "b.test" is not allowed by the hosts policy',
    ],
  ],
};

for (const [name, [script, options, url, retries, expected]] of Object.entries(REPORTED)) {
  Deno.test(`Fetcher reports ${name}`, async () => {
    const setting = new Setting(script, options);
    await setting.failure(url, retries);
    assertEquals(setting.lines, expected);
  });
}

Deno.test("Fetcher reports a timeout in the body as a failure", async () => {
  const slow = new Setting(unfinished("a").answer, { timeout: 10, retryDelay: 0 });
  const arrival = await slow.open();
  await assertRejects(() => slow.clock.run(textOf(arrival.body)));
  const failure = "failure 1 timeout Truncated body: No byte within 10 ms";
  assertEquals(slow.lines, ["request 1", "response 1 200", failure]);
});

Deno.test("Fetcher reports a request without a range after one that was refused", async () => {
  const setting = new Setting([status(416), text("well")]);
  assertEquals(await setting.text(URL_A, 0), "well");
  assertEquals(setting.lines, [
    "request 1",
    "response 1 416",
    "retry 1 416 0 http-status 416 Range Not Satisfiable",
    "request 2",
    "response 2 200",
  ]);
});

Deno.test("Fetcher reports no failure of requests that are aborted", async () => {
  const reason = new Error("enough");
  const silent = new Setting(silence());
  const { outcome } = await silent.start();
  silent.fetcher.stop(reason);
  assertStrictEquals(await outcome, reason);
  const open = new Setting(unfinished("a").answer);
  const reading = open.text().catch((error) => error);
  await open.clock.settle();
  open.fetcher.stop(reason);
  assertStrictEquals(await reading, reason);
  assertEquals([silent.lines, open.lines], [["request 1"], ["request 1", "response 1 200"]]);
});

// ------------------------------------------------------------------------------------- browsers

/** Returns a response of a browser to a redirect that it must not follow. */
function opaqueRedirect(): Response {
  return Object.defineProperties(new Response(null), {
    type: { value: "opaqueredirect" },
    status: { value: 0 },
  });
}

/** Responds as a browser, which hides the target of a redirect unless it may follow it. */
function inBrowser(target: string, body: string): Answer {
  return (url, init) =>
    init.redirect === "follow" ? followed(target, body)(url, init) : opaqueRedirect();
}

Deno.test("Fetcher lets a browser follow a hidden redirect, and checks the final URL", async () => {
  const checked: string[] = [];
  const target = "https://b.test/end";
  const setting = new Setting(inBrowser(target, "there"));
  const check = ({ href }: URL) => void checked.push(href);
  const arrival = await setting.open(URL_A, 0, { check });
  assertEquals([arrival.requestedUrl.href, arrival.url.href], [URL_A, target]);
  assertEquals([await textOf(arrival.body), checked], ["there", [target]]);
  assertEquals(setting.script.requests.map(({ redirect }) => redirect), ["manual", "follow"]);
  assertEquals(setting.fetcher.requests, 2);
  const reports = setting.reports.map(({ phase, url, status, location }) =>
    [phase, url, status, location].filter(Boolean).join(" ")
  );
  assertEquals(reports, [
    `request ${URL_A}`,
    `redirect ${URL_A} ${target}`,
    `request ${target}`,
    `response ${target} 200`,
  ]);
});

Deno.test("Fetcher refuses a document that a browser was redirected to against the policy", async () => {
  const refusalOf = async (target: string, options: object) =>
    (await new Setting(inBrowser(target, "x"), options).failure()).code;
  assertEquals(await refusalOf("http://127.0.0.1/", {}), "blocked");
  assertEquals(await refusalOf("https://b.test/", { isHostAllowed: isOwn }), "blocked");
  assertEquals(await refusalOf("https://b.test/", { maxRedirects: 0 }), "redirect");
});

Deno.test("Fetcher reads a document that no longer redirects on the second request of a browser", async () => {
  const arrival = await new Setting([opaqueRedirect, text("here")]).open();
  assertEquals([arrival.url.href, await textOf(arrival.body)], [URL_A, "here"]);
});

Deno.test("Fetcher ignores the Content-Length of a body that a browser has decoded", async () => {
  const answer = text("short", { "content-length": "30" });
  assertEquals(await withBrowserRequest(() => new Setting(answer)).text(), "short");
});

Deno.test("request() is not conditional after a response with a body", async () => {
  const validators = { url: URL_A, etag: '"1"', lastModified: undefined };
  for (const body of [text("new"), broken("").answer]) {
    const { fetcher, clock, script } = new Setting([status(503), body, text("new")]);
    for (let request = 0; request < 2; request++) {
      const budget = new RetryBudget(URL_A, 4, fetcher.signal, 1, validators);
      const result = await clock.run(fetcher.request(new URL(URL_A), budget));
      assertEquals(await textOf((result as FetchedDocument).body), "new");
    }
    const sent = script.requests.map(({ headers }) => headers.get("if-none-match"));
    assertEquals(sent, ['"1"', '"1"', ...sent.slice(2).map(() => null)]);
  }
});

for (const code of [429, 500, 503]) {
  Deno.test(`Fetcher retries ${code} of a host that fails only if there is nothing to wait for`, async () => {
    for (const retryDelay of [0, 1000]) {
      const url = "/4";
      const setting = new Setting(
        { "*": status(500), [url]: [status(code), text("well")] },
        { retryDelay },
      );
      // three sitemaps are given up
      for (const path of [1, 2, 3]) await setting.failure(`/${path}`, 0);
      if (retryDelay === 0) assertEquals(await setting.text(url), "well");
      else assertEquals(statusOf(await setting.failure(url)), code);
      assertEquals(setting.clock.waited.filter((time) => time > 0), []);
    }
  });
}
