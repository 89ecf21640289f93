import { assertEquals } from "@std/assert";
import type { RequestReport } from "../../mod.ts";
import { RequestWatch } from "../../src/cli/run/request_watch.ts";

const SITE = "https://a.test/";

function report(phase: RequestReport["phase"], path: string, more: Partial<RequestReport> = {}) {
  const url = new URL(path, SITE).href;
  return { phase, url, sitemap: url, attempt: 1, ...more };
}

function pendingAfter(...reports: RequestReport[]): string[] {
  const watch = new RequestWatch({ retries: 4, onlyKinds: false });
  reports.forEach((report) => watch.add(report));
  return watch.pending(SITE);
}

Deno.test("RequestWatch lists a request until its response, and the response until events arrive", () => {
  const watch = new RequestWatch({ retries: 4, onlyKinds: false });
  watch.add(report("request", "/a.xml"));
  assertEquals(watch.pending(SITE), ["waiting for /a.xml"]);
  watch.add(report("response", "/a.xml", { status: 200 }));
  assertEquals(watch.pending(SITE), ["reading /a.xml"]);
  watch.progress();
  assertEquals(watch.pending(SITE), []);
});

Deno.test("RequestWatch describes a retry with its delay, number and status", () => {
  const retry = (more: Partial<RequestReport>) =>
    pendingAfter(report("request", "/500.xml"), report("retry", "/500.xml", more))[0];
  assertEquals(
    retry({ attempt: 2, delayMs: 4000, code: "http-status", status: 503, reason: "Busy" }),
    "retrying /500.xml in 4 s (2 of 4, 503)",
  );
  assertEquals(
    retry({ attempt: 1, delayMs: 300, reason: "Connection reset" }),
    "retrying /500.xml in 1 s (1 of 4, Connection reset)",
  );
});

Deno.test("RequestWatch lists a redirect under the declared URL", () => {
  const declared = report("request", "/old.xml");
  assertEquals(
    pendingAfter(
      declared,
      { ...declared, phase: "redirect", status: 301, location: `${SITE}new.xml` },
      { ...declared, url: `${SITE}new.xml` },
    ),
    ["waiting for /old.xml"],
  );
});

Deno.test("RequestWatch shows URLs of other hosts in full, and drops failed requests", () => {
  assertEquals(
    pendingAfter(
      report("request", "https://b.test/b.xml"),
      report("request", "/gone.xml"),
      report("response", "/gone.xml", { status: 404 }),
      report("request", "/lost.xml"),
      report("failure", "/lost.xml", { code: "connection-reset" }),
    ),
    ["waiting for https://b.test/b.xml"],
  );
});

Deno.test("RequestWatch hides short waits", () => {
  const watch = new RequestWatch({ retries: 4, onlyKinds: false });
  watch.add(report("request", "/a.xml"));
  assertEquals(watch.waiting(SITE), undefined);
});

Deno.test("RequestWatch shows a request before a body where bodies are brief", () => {
  const rows: readonly (readonly [onlyKinds: boolean, line: string])[] = [
    [false, "reading /a.html, 2 s"],
    [true, "waiting for /b.xml, 2 s"],
  ];
  const { now } = performance;
  for (const [onlyKinds, line] of rows) {
    const watch = new RequestWatch({ retries: 4, onlyKinds });
    watch.add(report("response", "/a.html", { status: 200 }));
    watch.add(report("request", "/b.xml"));
    const later = now.call(performance) + 2500;
    try {
      performance.now = () => later;
      assertEquals(watch.waiting(SITE), line);
    } finally {
      performance.now = now;
    }
  }
});
