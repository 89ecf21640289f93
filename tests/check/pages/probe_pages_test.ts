import { assert, assertEquals, assertRejects } from "@std/assert";
import type { ProbeOptions } from "../../../src/check/pages/options.ts";
import { probePages, probeWith } from "../../../src/check/pages/probe_pages.ts";
import type { PageAnswer } from "../../../src/check/answer_rules.ts";
import type { RequestReport } from "../../../src/http/request_report.ts";
import { FakeClock } from "../../http/fake_clock.ts";
import { ScriptedFetch, silence, status as scripted } from "../../http/scripted_fetch.ts";
import { FaultServer, head } from "../../support/fault_server.ts";
import { type Route, serveRoutes } from "../../support/fixture_server.ts";
import { numbered } from "../../walk/site.ts";
import { answer, byMethod, FAST, log, probe, redirectTo, servePages } from "./probe_support.ts";

/** Formats answers: `/old 301 HEAD -> /new`, `/gone 404 HEAD http-status`. */
function outcomes(answers: readonly PageAnswer[]): string[] {
  return answers.map(({ url, status, method, redirects, code }) =>
    [url, status, method, ...redirects.map((target) => `-> ${target}`), code]
      .filter((part) => part !== undefined).join(" ")
  );
}

/** Returns the URL of a page of a scripted site. */
function page(at: number): string {
  return `https://a.test/${at}`;
}

function each<K extends keyof PageAnswer>(answers: readonly PageAnswer[], key: K): PageAnswer[K][] {
  return answers.map((answer) => answer[key]);
}

Deno.test("probePages() asks for pages by HEAD, and by GET where that fails with another status than 404 and 410", async () => {
  const statuses = [200, 204, 400, 401, 403, 404, 405, 410, 418, 451, 500, 501, 502, 503, 504];
  const paths = statuses.map((status) => `/${status}`);
  await using server = serveRoutes({
    "*": (request, path) => answer(paths.includes(path) ? +path.slice(1) : 404)(request, path),
  });
  const answers = await probe(server, paths, { retries: 0, concurrency: 1 });
  const methods = (status: number) =>
    status < 300 || status === 404 || status === 410 ? ["HEAD"] : ["HEAD", "GET"];
  const expected = statuses.map((status) =>
    `/${status} ${status} ${methods(status).at(-1)}${status < 300 ? "" : " http-status"}`
  );
  assertEquals(outcomes(answers), expected);
  const asked = statuses.flatMap((status) => methods(status).map((name) => `${name} /${status}`));
  assertEquals(log(server), asked);
  assertEquals(answers.find(({ status }) => status === 403)?.reason, "403 Forbidden");
});

Deno.test("probePages() says where redirects lead, and finds loops and too many of them", async () => {
  await using server = servePages({
    "/old": redirectTo("/older", 302),
    "/older": redirectTo("/new?a=1", 308),
    "/new": answer(200),
    "/lost": redirectTo("/missing"),
    "/loop": redirectTo("/loop2"),
    "/loop2": redirectTo("/loop#again"),
    "/many": redirectTo("/many1"),
    "/many1": redirectTo("/many2"),
    "/many2": redirectTo("/new"),
    "/invalid": redirectTo("ftp://b.test/"),
    "/away": redirectTo("http://other.test/"),
    "/picky": byMethod(answer(405), redirectTo("/new")),
  });
  const paths = ["/old", "/lost", "/loop", "/many", "/invalid", "/away", "/picky"];
  const options: ProbeOptions = { maxRedirects: 2, hosts: "same-host", concurrency: 1 };
  const answers = await probe(server, paths, options);
  assertEquals(outcomes(answers), [
    "/old 200 HEAD -> /older -> /new?a=1",
    "/lost 404 HEAD -> /missing http-status",
    "/loop HEAD -> /loop2 redirect",
    "/many HEAD -> /many1 -> /many2 redirect",
    "/invalid HEAD redirect",
    "/away HEAD -> http://other.test/ blocked",
    "/picky 200 HEAD -> /new",
  ]);
  assertEquals(each(answers, "reason"), [
    undefined,
    "404 Not Found",
    'Redirect loop at "/loop#again"',
    "More than 2 redirects",
    'Redirect to "ftp://b.test/": expected http(s)',
    'Host "other.test" is not allowed by the hosts policy',
    undefined,
  ]);
});

Deno.test("probePages() asks a host by GET once three of its pages differ by HEAD", async () => {
  for (const refusal of [405, 501, 403, 500]) {
    await using server = servePages({
      "*": (request, path) =>
        answer(request.method === "HEAD" ? refusal : path === "/2" ? 404 : 200)(request, path),
      // the same by both: says nothing about the method
      "/same": answer(refusal),
    });
    const paths = ["/1", "/same", "/2", "/3", "/4", "/5"];
    const answers = await probe(server, paths, { concurrency: 1, retries: 0 });
    assertEquals(each(answers, "status"), [200, refusal, 404, 200, 200, 200]);
    assertEquals(each(answers, "method"), paths.map(() => "GET"));
    assertEquals(log(server), [
      ...["/1", "/same", "/2", "/3"].flatMap((path) => [`HEAD ${path}`, `GET ${path}`]),
      ...["GET /4", "GET /5"],
    ]);
  }
});

Deno.test("probePages() asks by GET where a HEAD is answered by closing the connection", async () => {
  const methods: string[] = [];
  await using server = new FaultServer({
    "/robots.txt": async (wire) => {
      await wire.listen();
      await wire.send(head(404, { "Content-Length": "0" }));
    },
    "*": async (wire) => {
      await wire.listen();
      methods.push(`${wire.request.method} ${wire.request.path}`);
      if (wire.request.method === "GET") await wire.send(head(200, { "Content-Length": "0" }));
    },
  });
  // more at a time than unanswered requests that make a host count as down
  const paths = numbered(12, (at) => `/${at}`);
  const answers = await probe(server, paths, { concurrency: 12, retries: 0 });
  assertEquals(outcomes(answers), paths.map((path) => `${path} 200 GET`));
  assertEquals(methods.filter((line) => line.startsWith("GET")).length, 12);
});

Deno.test("probePages() reports a page without any response, and gives up on a host that is down", async () => {
  await using server = new FaultServer({ "*": (wire) => wire.listen() });
  const paths = numbered(8, (at) => `/${at}`);
  const answers = await probe(server, paths, { concurrency: 1, retries: 0 });
  assertEquals(answers[0]?.code, "connection-reset");
  assertEquals(answers.at(-1)?.code, "host-down");
  assertEquals([server.counts["/0"] === undefined, server.counts["/7"]], [false, undefined]);
});

Deno.test("probePages() waits as long as a 429 asks for, by HEAD, and slows down", async () => {
  const clock = new FakeClock();
  const script = new ScriptedFetch({
    [page(0)]: [scripted(429, { "retry-after": "7" }), scripted(200)],
    [page(1)]: [scripted(503, { "retry-after": "20" }), scripted(200)],
    [page(2)]: [scripted(503), scripted(200)],
    [page(3)]: scripted(200),
  }, () => clock.elapsed());
  const started = clock.elapsed();
  const methods: string[] = [];
  const fetch: typeof script.fetch = (url, init) => {
    methods.push(init.method ?? "GET");
    return script.fetch(url, init);
  };
  const options = { fetch, concurrency: 1, retries: 2, retryDelay: 1000 };
  const probing = probeWith(numbered(4, page), page(0), options, clock);
  const answers = await clock.run(Array.fromAsync(probing));
  assertEquals(each(answers, "status"), [200, 200, 200, 200]);
  assertEquals(each(answers, "attempts"), [2, 2, 2, 1]);
  const [, ...times] = script.requests.map(({ url, at }) => [url.slice(-1), at - started] as const);
  const at = (number: number) => times[number]![1];
  assertEquals(times.map(([name]) => name).join(""), "0011223");
  assertEquals(at(1) - at(0), 7000);
  assertEquals(at(3) - at(2), 20_000);
  // at least the interval of a host that has refused
  assert(at(2) - at(1) > 0 && at(6) - at(5) > 0);
  // a 503 that asks for nothing is doubted
  assertEquals(methods.join(" "), "GET HEAD HEAD HEAD HEAD HEAD GET HEAD");
});

Deno.test("probePages() gives up on a page that is refused for too long", async () => {
  await using server = servePages({
    "/limited": answer(429, { "retry-after": "3600" }),
    "/other": answer(200),
  });
  const answers = await probe(server, ["/limited", "/other"], { concurrency: 1 });
  assertEquals(outcomes(answers), ["/limited 429 HEAD http-status", "/other 200 HEAD"]);
  assertEquals(answers[0]?.reason, "429 Too Many Requests; asks to wait 3600 s");
});

Deno.test("probePages() reads bodies of at most 64 KiB, and cancels longer ones", async () => {
  const limit = 64 * 1024;
  const cancelled: string[] = [], ended: string[] = [];
  const streamed = (bytes: number, headers: HeadersInit = {}, status = 200) =>
    byMethod(answer(405), (_request, path) => {
      let left = bytes;
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          // as a network does
          await new Promise((resolve) => setTimeout(resolve));
          const size = Math.min(left, 16 * 1024);
          left -= size;
          if (size > 0) controller.enqueue(new Uint8Array(size));
          if (left > 0) return;
          ended.push(path);
          controller.close();
        },
        cancel: () => void cancelled.push(path),
      });
      return new Response(body, { status, headers });
    });
  const huge = 1024 * limit;
  await using server = servePages({
    "/small": streamed(100),
    "/fitting": streamed(limit, { "content-length": String(limit) }),
    "/failed": streamed(100, {}, 403),
    "/large": streamed(huge),
    "/announced": streamed(huge, { "content-length": String(huge) }),
  });
  const paths = ["/small", "/fitting", "/failed", "/large", "/announced"];
  const answers = await probe(server, paths, { concurrency: 1 });
  assertEquals(each(answers, "status"), [200, 200, 403, 200, 200]);
  for (let turn = 0; cancelled.length < 2 && turn < 1000; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assertEquals([ended, cancelled], [paths.slice(0, 3), paths.slice(3)]);
});

Deno.test("probePages() says which pages must not be indexed, for the given crawler", async () => {
  await using server = servePages({
    "/a": answer(200, { "x-robots-tag": "noindex, nofollow" }),
    "/b": answer(200, [["x-robots-tag", "googlebot: none"], ["x-robots-tag", "bingbot: all"]]),
    "/c": answer(200, { "x-robots-tag": "noarchive" }),
    "/d": redirectTo("/a"),
    "/e": answer(404, { "x-robots-tag": "noindex" }),
  });
  const paths = ["/a", "/b", "/c", "/d", "/e"];
  const noindex = async (agent?: string) =>
    (await probe(server, paths, agent === undefined ? {} : { agent }))
      .filter(({ noindex }) => noindex).map(({ url }) => url);
  assertEquals(await noindex(), ["/a", "/d"]);
  assertEquals(await noindex("Googlebot"), ["/a", "/b", "/d"]);
});

Deno.test("probePages() says which pages robots.txt disallows, and requests them all the same", async () => {
  const robots = "User-agent: *\nDisallow: /private\n\nUser-agent: examplebot\nDisallow: /bots\n";
  await using server = servePages({
    "*": answer(200),
    "/robots.txt": answer(200, { "content-type": "text/plain" }, robots),
  });
  const paths = ["/private/a", "/bots", "/c"];
  const disallowed = (answers: readonly PageAnswer[]) =>
    each(answers.filter(({ disallowed }) => disallowed), "url");
  const answers = await probe(server, paths);
  assertEquals(disallowed(answers), ["/private/a"]);
  assertEquals(each(answers, "status"), [200, 200, 200]);
  assertEquals(server.counts["/robots.txt"], 1);
  assertEquals(disallowed(await probe(server, paths, { agent: "ExampleBot/1.0" })), ["/bots"]);
});

Deno.test("probePages() obeys robots.txt of each host with respectRobots", async () => {
  const serve = (robots: Route) => servePages({ "*": answer(200), "/robots.txt": robots });
  await using server = serve(answer(200, {}, "User-agent: *\nDisallow: /private\n"));
  await using broken = serve(answer(500));
  await using open = serve(answer(403));
  const paths = ["/private", "/a", `${broken.origin}/b`, `${open.origin}/c`];
  const answers = await probe(server, paths, { respectRobots: true });
  const found = answers.map(({ status, code, reason }) => reason ?? code ?? status);
  assertEquals(found, ["Disallowed by robots.txt", 200, "Unreachable robots.txt", 200]);
  assertEquals(answers[0]?.code, "blocked");
  assertEquals([log(server), log(broken), log(open)], [["HEAD /a"], [], ["HEAD /c"]]);
});

Deno.test("probePages() requests each page once, in any spelling", async () => {
  await using server = servePages({ "*": answer(200) });
  const { host } = new URL(server.url);
  const paths = ["/a", "/a#part", "/b", `HTTP://${host}/a`, "/./a", "/a?x", "/b"];
  const answers = await probe(server, paths, { concurrency: 1 });
  assertEquals(each(answers, "url"), ["/a", "/b", "/a?x"]);
  assertEquals(log(server), ["HEAD /a", "HEAD /b", "HEAD /a?x"]);
});

Deno.test("probePages() takes pages of a walk, and reports addresses that are not URLs", async () => {
  await using server = servePages({ "/a": answer(200) });
  const pages = [{ url: `${server.url}a`, priority: 0.5 }, { url: "ftp://a.test/" }, { url: "a" }];
  const answers = await Array.fromAsync(probePages(pages, server.url, FAST));
  const found = answers.map(({ code, status }) => code ?? status);
  assertEquals(found, [200, "invalid-url", "invalid-url"]);
});

Deno.test("probePages() sends credentials only to the origin of the homepage", async () => {
  await using own = servePages({ "*": answer(200) });
  await using other = servePages({ "*": answer(200) });
  const homepage = own.url.replace("//", "//user:secret@");
  await Array.fromAsync(probePages([own.url, other.url], homepage, FAST));
  const sent = [own, other].map(({ requests }) => requests.at(-1)?.headers.get("authorization"));
  assertEquals(sent, [`Basic ${btoa("user:secret")}`, null]);
});

Deno.test("probePages() yields in the order of the pages, with at most so many requests at a time", async () => {
  let open = 0, most = 0;
  await using server = serveRoutes({
    "*": async (_request, path) => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, path.endsWith("0") ? 9 : 1));
      open--;
      return new Response(null, { status: path.endsWith("5") ? 405 : 200 });
    },
  });
  const paths = numbered(40, (at) => `/${at}`);
  const answers = await probe(server, paths, { concurrency: 3 });
  assertEquals(each(answers, "url"), paths);
  assertEquals(most, 3);
});

Deno.test("probePages() throws the reason of its signal, after the answers that have arrived", async () => {
  const controller = new AbortController();
  const reason = new Error("stop");
  const { fetch } = new ScriptedFetch({
    "*": scripted(200),
    [page(1)]: silence(),
    [page(4)]: (url, init) => {
      setTimeout(() => controller.abort(reason));
      return silence()(url, init);
    },
  });
  const seen: string[] = [];
  const options: ProbeOptions = { fetch, concurrency: 2, signal: controller.signal };
  const error = await assertRejects(async () => {
    for await (const { url } of probePages(numbered(6, page), page(0), options)) seen.push(url);
  });
  assertEquals(error, reason);
  assertEquals(seen, [page(0), page(2), page(3)]);
});

Deno.test("probePages() ends at its deadline, and when the loop is left", async () => {
  const clock = new FakeClock();
  const urls = numbered(3, page);
  const { fetch } = new ScriptedFetch({ [page(0)]: scripted(200), [page(1)]: silence() });
  const options = { fetch, concurrency: 1, timeout: 60_000 };
  const probing = probeWith(urls, page(0), { ...options, deadline: 5000 }, clock);
  const answers = await clock.run(Array.fromAsync(probing));
  assertEquals([each(answers, "url"), clock.running], [[page(0)], 0]);
  for await (const { status } of probePages(urls, page(0), options)) {
    assertEquals(status, 200);
    break;
  }
});

Deno.test("probePages() rejects unknown and invalid options", async () => {
  const run = (options: object) => Array.fromAsync(probePages([], "https://a.test/", options));
  await assertRejects(() => run({ sitemaps: [] }), TypeError, 'Unknown option "sitemaps"');
  await assertRejects(() => run({ agent: "" }), TypeError, 'Cannot use option "agent"');
  await assertRejects(() => run({ concurrency: 0 }), RangeError);
  await assertRejects(() => Array.fromAsync(probePages([], "a")), TypeError, 'Cannot walk "a"');
});

Deno.test("probePages() reports requests with their method, and throws what the callback throws", async () => {
  await using server = servePages({ "/a": byMethod(answer(405), answer(200)) });
  const reports: RequestReport[] = [];
  await probe(server, ["/a"], { onRequest: (report) => void reports.push(report) });
  const steps = reports.filter(({ url }) => url.endsWith("/a"))
    .map(({ phase, method, status, attempt }) => [phase, method ?? status, attempt]);
  assertEquals(steps, [
    ["request", "HEAD", 1],
    ["response", 405, 1],
    ["request", undefined, 2],
    ["response", 200, 2],
  ]);
  const failure = new Error("callback");
  const onRequest = () => {
    throw failure;
  };
  assertEquals(await assertRejects(() => probe(server, ["/a"], { onRequest })), failure);
});

for (const status of [400, 401, 403, 404, 410, 429, 451, 500, 502, 503, 504]) {
  const isUnreachable = status === 429 || status >= 500;
  const consequence = isUnreachable ? "requests nothing" : "obeys no rules";
  Deno.test(`probePages() ${consequence} if the robots.txt that it obeys is ${status}`, async () => {
    await using server = servePages({ "*": answer(200), "/robots.txt": answer(status) });
    const [found] = await probe(server, ["/a"], { respectRobots: true });
    assertEquals(
      [found?.status, found?.reason, log(server)],
      isUnreachable ? [undefined, "Unreachable robots.txt", []] : [200, undefined, ["HEAD /a"]],
    );
  });
}

Deno.test("probePages() obeys 500 KiB of robots.txt, to the last whole line", async () => {
  const end = "\nDisallow: /a";
  const limited = `User-agent: *\n${"#".repeat(500 * 1024 - 14 - end.length)}${end}`;
  for (const [chunks, isObeyed] of [[[limited], true], [[limited, "/b"], false]] as const) {
    const body = ReadableStream.from(chunks).pipeThrough(new TextEncoderStream());
    const [robots, ...pages] = ["robots.txt", "a", "c"].map((path) => `https://a.test/${path}`);
    const script = new ScriptedFetch({ [robots!]: () => new Response(body), "*": scripted(200) });
    const options = { fetch: script.fetch, respectRobots: true, concurrency: 1 };
    await Array.fromAsync(probePages(pages, robots!, options));
    assertEquals(script.urls, [robots, ...pages.slice(isObeyed ? 1 : 0)]);
  }
});

/** Requests for robots.txt of many hosts, whose pages come in turn. */
const IN_TURN: Readonly<
  Record<string, { hosts: number; robots: string; known: readonly [least: number, most: number] }>
> = {
  "small rules": {
    hosts: 1500,
    robots: "User-agent: *\nDisallow: /no\n",
    known: [1500, 1500],
  },
  "rules that fill what is kept": {
    hosts: 32,
    robots: `User-agent: *\nDisallow: /no\n${
      numbered(30_000, (at) => `Disallow: /*${at}*b`).join("\n")
    }`,
    known: [5, 25],
  },
};

for (const [name, { hosts, robots, known: [least, most] }] of Object.entries(IN_TURN)) {
  for (const respectRobots of [false, true]) {
    const how = respectRobots ? "obeyed" : "judged";
    Deno.test(`probePages() requests robots.txt of each host once at most: ${name}, ${how}`, async () => {
      const requested = new Map<string, number>();
      const fetch = (url: string | URL | Request) => {
        const { host, pathname } = new URL(url instanceof Request ? url.url : url);
        if (pathname !== "/robots.txt") return Promise.resolve(new Response());
        requested.set(host, (requested.get(host) ?? 0) + 1);
        return Promise.resolve(new Response(robots));
      };
      const pages = numbered(3 * hosts, (at) => `https://host-${at % hosts}.test/no/${at}`);
      const options: ProbeOptions = { ...FAST, fetch, respectRobots, concurrency: 1 };
      const answers = await Array.fromAsync(probePages(pages, page(0), options));
      assertEquals(Math.max(...requested.values()), 1);
      // the one that does not fit was requested too
      assert(requested.size >= least && requested.size <= most + 1, `${requested.size} requests`);
      const disallowed = answers.filter(({ disallowed }) => disallowed).length / 3;
      assert(disallowed >= least && disallowed <= most, `${disallowed} hosts`);
      const reasons = new Set(answers.map(({ reason, status }) => reason ?? status));
      const limit = "Unknown robots.txt: the limit for rules of all hosts is reached";
      const isFull = disallowed < hosts;
      assertEquals(
        [...reasons],
        respectRobots ? ["Disallowed by robots.txt", ...(isFull ? [limit] : [])] : [200],
      );
    });
  }
}
