import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { Failure } from "../../src/cli/failure.ts";
import { serveStatus, type StatusServer } from "../../src/cli/fleet/status_page.ts";
import { FleetError } from "../../src/fleet/errors.ts";
import {
  type Browser,
  type BrowserContext,
  hasChromium,
  newPage,
  openBrowser,
  type Page,
  type View,
} from "../support/browser.ts";
import { activeHost, failedSite, ScriptedFleet } from "./scripted_fleet.ts";

async function openStatus(fleet: ScriptedFleet): Promise<StatusServer & AsyncDisposable> {
  const controller = new AbortController();
  const server = await serveStatus(fleet, "news", { port: 0, signal: controller.signal });
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      controller.abort();
      await server.closed;
    },
  };
}

Deno.test("serveStatus() serves the current values without a script, and JSON", async () => {
  const fleet = new ScriptedFleet({
    ...{ total: 1500, done: 1236, waiting: 7, round: 3, pages: 98_765, active: 1 },
    verdicts: { complete: 1229, partial: 3, none: 1, blocked: 1, failed: 2 },
  });
  fleet.hosts = [activeHost("slow.test", 75)];
  fleet.failedSites = [
    { ...failedSite("https://denied.test/", "403 Forbidden"), verdict: "blocked" },
    failedSite("https://bad.test/", "its worker stopped 5 times"),
  ];
  await using server = await openStatus(fleet);
  const response = await fetch(server.url);
  const html = await response.text();
  for (
    const text of [
      ...["1,236 of 1,500 sites", "82.4 %", "98,765", "slow.test"],
      ...[
        "https://bad.test/",
        "its worker stopped 5 times",
        "https://denied.test/",
        "403 Forbidden",
      ],
      ...["First 2 of 3", "Round 3", "Waiting for a retry", ">7<", "Blocked"],
    ]
  ) assertStringIncludes(html, text);
  assertMatch(html, />1:[1-5]\d</);
  const json = await (await fetch(new URL("status.json", server.url))).json();
  const { hosts, unread } = json;
  assertEquals([json.total, json.done, json.round, hosts[0].host], [1500, 1236, 3, "slow.test"]);
  // those that stopped their workers come first
  assertEquals(unread.map(({ verdict }: { verdict: string }) => verdict), ["failed", "blocked"]);
});

Deno.test("serveStatus() answers while the database or the run is missing", async () => {
  for (
    const [failure, ...expected] of [
      [new Error("connection terminated"), 503, "Cannot read the database\n"],
      [new FleetError("unknown-run", "x"), 404, "The run does not exist\n"],
    ] as const
  ) {
    const fleet = new ScriptedFleet();
    fleet.failure = failure;
    await using server = await openStatus(fleet);
    for (const path of ["", "status.json"]) {
      const response = await fetch(server.url + path);
      assertEquals([response.status, await response.text()], expected);
    }
  }
});

Deno.test("serveStatus() lets browsers run only its own script, and cache nothing", async () => {
  await using server = await openStatus(new ScriptedFleet());
  const response = await fetch(server.url);
  await response.body!.cancel();
  const policy = response.headers.get("content-security-policy")!;
  assertMatch(policy, /^default-src 'none'; style-src 'sha256-[\w+/]+='; script-src 'sha256-/);
  assertMatch(policy, /frame-ancestors 'none'/);
  assert(!policy.includes("unsafe"));
  for (const path of ["", "view.json", "status.json", "x"]) {
    const { headers, body } = await fetch(server.url + path);
    await body!.cancel();
    assertEquals(headers.get("x-content-type-options"), "nosniff");
    assertEquals(headers.get("cache-control"), "no-store");
  }
});

Deno.test("serveStatus() refuses other paths, methods and hosts", async () => {
  await using server = await openStatus(new ScriptedFleet());
  const statusOf = async (path: string, init?: RequestInit) => {
    const response = await fetch(server.url + path, init);
    return [response.status, await response.text()];
  };
  assertEquals(await statusOf("x"), [404, "Not found\n"]);
  assertEquals(await statusOf("..%2fview.json"), [404, "Not found\n"]);
  assertEquals(await statusOf("", { method: "POST", body: "x" }), [405, "Only GET\n"]);
  assertEquals(await statusOf("view.json", { method: "HEAD" }), [200, ""]);
  assertEquals((await statusOf("?query"))[0], 200);
  // as the page of a website whose name leads to this machine would ask
  const connection = await Deno.connect({ port: Number(new URL(server.url).port) });
  const request = "GET /status.json HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n";
  await connection.write(new TextEncoder().encode(request));
  assertMatch(await new Response(connection.readable).text(), /^HTTP\/1.1 403 /);
});

Deno.test("serveStatus() reads the database once for all viewers, and only for them", async () => {
  const fleet = new ScriptedFleet({ done: 3 });
  await using server = await openStatus(fleet);
  assertEquals(fleet.looks, 0);
  const views = await Promise.all(Array.from({ length: 50 }, async () => {
    const response = await fetch(new URL("view.json", server.url));
    return (await response.json()).summary;
  }));
  assertEquals(new Set(views), new Set(["Running: 3 of 10 sites, 0 pages, 0 unread"]));
  // more than one if the viewers took longer than a second
  assert(fleet.looks < 25, `${fleet.looks} looks`);
});

Deno.test("serveStatus() keeps the last status while the database is gone, and its rates", async () => {
  const fleet = new ScriptedFleet({ done: 1 });
  await using server = await openStatus(fleet);
  const statusWith = async (isWanted: (status: Record<string, unknown>) => boolean) => {
    for (;;) {
      const status = await (await fetch(`${server.url}status.json`)).json();
      if (isWanted(status)) return status;
    }
  };
  await statusWith(({ done }) => done === 1);
  fleet.failure = new Error("connection terminated");
  const kept = await statusWith(({ problem }) => problem !== undefined);
  assertEquals([kept.done, kept.problem], [1, "Cannot read the database; trying again"]);
  fleet.failure = new FleetError("unknown-run", "x");
  await statusWith(({ problem }) => problem === "The run was removed");
  fleet.failure = undefined;
  fleet.update({ done: 5, pages: 100 });
  const later = await statusWith(({ problem, done }) => problem === undefined && done === 5);
  assert(later.sitesPerSecond > 0 && later.pagesPerSecond > 0, JSON.stringify(later));
});

Deno.test("serveStatus() reports a port that is in use", async () => {
  await using server = await openStatus(new ScriptedFleet());
  const port = Number(new URL(server.url).port);
  const { signal } = new AbortController();
  await assertRejects(
    () => serveStatus(new ScriptedFleet(), "news", { port, signal }),
    Failure,
    `Cannot listen on port ${port}: it is in use`,
  );
});

Deno.test({
  name: "the status page in Chromium",
  ignore: !hasChromium(),
  async fn(t) {
    await using chromium = await openBrowser();
    const { browser } = chromium;
    await t.step("updates itself without a reload", () => updatesItself(browser));
    await t.step("shows that the connection or the database is lost", () => showsLoss(browser));
    await t.step("keeps hostile names inert and within its width", () => keepsInert(browser));
  },
});

/** Opens a page; fails later if its script does, or if the browser refuses a part of it. */
async function openPage(
  url: string,
  context: BrowserContext,
  view?: View,
): Promise<Page> {
  const page = await newPage(context, view);
  page.on("pageerror", (error) => void Promise.reject(error));
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) throw new Error(message.text());
  });
  await page.goto(url);
  return page;
}

async function waitForText(page: Page, id: string, text: string): Promise<void> {
  await page.locator(`#${id}`, { hasText: text }).waitFor({ timeout: 20_000 });
}

async function updatesItself(browser: Browser): Promise<void> {
  const fleet = new ScriptedFleet({ active: 1 });
  fleet.hosts = [activeHost("first.test", 5)];
  await using server = await openStatus(fleet);
  const page = await openPage(server.url, browser.contexts()[0]!);
  await page.evaluate("window.isSamePage = true");
  await waitForText(page, "summary", "Running: 0 of 10 sites");
  fleet.hosts = [activeHost("second.test", 65), activeHost("third.test", 3)];
  fleet.failedSites = [failedSite("https://bad.test/", "its worker stopped")];
  fleet.update({
    ...{ done: 5, pages: 1234, active: 2 },
    verdicts: { complete: 3, partial: 1, none: 0, blocked: 0, failed: 1 },
  });
  await waitForText(page, "sites", "5 of 10 sites");
  assertEquals(await page.locator("#bar").getAttribute("value"), "0.5");
  assertEquals(await page.locator("#complete-sites").textContent(), "3");
  assertEquals(await page.locator("#complete-share").textContent(), "30.0 %");
  // rates are those since the page was opened
  assertMatch((await page.locator("#left").textContent())!, /^\d+\.\d s$|^\d:/);
  assertMatch((await page.locator("#pages-rate").textContent())!, /^\d/);
  const hosts = await page.locator("#hosts .text").allTextContents();
  assertMatch(hosts.join(" "), /^second\.test 1:\d\d third\.test \d+\.\d s$/);
  assertEquals(await page.locator("#unread .text").allTextContents(), [
    ...["https://bad.test/", "its worker stopped"],
  ]);
  assertMatch(await page.title(), /^50\.0 % · news · /);
  fleet.hosts = [];
  fleet.update({ done: 10, active: 0 });
  await waitForText(page, "state", "Finished");
  assertEquals(await page.locator("#hosts tr").count(), 0);
  await waitForText(page, "summary", "Finished: 10 of 10 sites");
  assertEquals(await page.evaluate("window.isSamePage"), true);
  await page.close();
}

async function showsLoss(browser: Browser): Promise<void> {
  const fleet = new ScriptedFleet({ done: 1 });
  let page: Page;
  {
    await using server = await openStatus(fleet);
    page = await openPage(server.url, browser.contexts()[0]!);
    await waitForText(page, "summary", "Running");
    assertEquals(await page.locator("#connection, #problem").allTextContents(), ["", ""]);
    fleet.failure = new Error("connection terminated");
    fleet.update({});
    await waitForText(page, "problem", "Cannot read the database; trying again");
    assertEquals(await page.locator("#problem").isVisible(), true);
    assertEquals(await page.locator("#sites").textContent(), "1 of 10 sites");
    fleet.failure = undefined;
    await page.locator("#problem").waitFor({ state: "hidden", timeout: 20_000 });
  }
  await waitForText(page, "connection", "Connection lost; trying to reconnect");
  assertEquals(await page.locator("#connection").isVisible(), true);
  await page.close();
}

const HOSTILE: readonly string[] = [
  '<img src=x onerror="window.isHacked = true">',
  "</script><script>window.isHacked = true</script>",
  `" onmouseover="window.isHacked = true" x='&#0;`,
  "\u202etxt.exe\u2066\0\x1b[31m",
  "W".repeat(5000),
  "e\u0301\u0301\u0301\u0301".repeat(1000),
];

async function keepsInert(browser: Browser): Promise<void> {
  const verdicts = { complete: 0, partial: 0, none: 0, blocked: 0, failed: 6 };
  const fleet = new ScriptedFleet({
    run: HOSTILE.join(""),
    total: 50,
    done: 6,
    verdicts,
    active: 6,
  });
  const fill = () => {
    fleet.hosts = HOSTILE.map((text) => ({ ...activeHost(text, 1), homepage: text, worker: text }));
    fleet.failedSites = HOSTILE.map((text) => failedSite(text, text));
  };
  const withScript = browser.contexts()[0]!;
  await using withoutScript = await browser.newContext({ javaScriptEnabled: false });
  for (const width of [390, 1280]) {
    for (const colorScheme of ["light", "dark"] as const) {
      // in the page as it is served, then in rows that its script adds
      for (const context of [withoutScript, withScript]) {
        await using server = await openStatus(fleet);
        if (context === withScript) fleet.hosts = fleet.failedSites = [];
        else fill();
        const page = await openPage(server.url, context, { width, colorScheme });
        if (context === withScript) {
          await waitForText(page, "summary", "Running");
          fill();
          const failed = fleet.progressNow.verdicts.failed === 6 ? 7 : 6;
          fleet.update({ verdicts: { ...verdicts, failed } });
        }
        await page.locator("#unread tr").nth(HOSTILE.length - 1).waitFor({ timeout: 20_000 });
        await assertInert(page, width);
        await page.close();
      }
    }
  }
}

async function assertInert(page: Page, width: number): Promise<void> {
  for (const column of ["#hosts th", "#unread th", "#unread td"]) {
    const texts = await page.locator(`${column} .text`).allTextContents();
    assertEquals(texts.slice(0, 3), HOSTILE.slice(0, 3));
    assertEquals(texts[3], "\\u202etxt.exe\\u2066\\x00\\x1b[31m");
    assertEquals(texts[4], `${"W".repeat(200)}…`);
  }
  await page.mouse.move(width / 2, 400);
  assertEquals(await page.locator("img, main script, [onmouseover]").count(), 0);
  assertEquals(await page.evaluate("window.isHacked"), undefined);
  assertEquals(await page.evaluate("document.documentElement.scrollWidth"), width);
}
