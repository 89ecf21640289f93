import { assertEquals } from "@std/assert";
import { chunkSource } from "../../src/bytes/byte_source.ts";
import { isChallenge } from "../../src/http/challenge.ts";
import { FakeClock } from "./fake_clock.ts";
import { bytes } from "./scripted_fetch.ts";

function html(status: number, headers: HeadersInit = {}) {
  return {
    status,
    headers: new Headers({ "content-type": "text/html; charset=UTF-8", ...headers }),
  };
}

/** Returns whether a page of some status is a challenge, whatever its chunks are. */
async function isPageChallenge(page: string, status = 403): Promise<boolean> {
  const whole = bytes(page);
  const single = Array.from(whole, (_, at) => whole.subarray(at, at + 1));
  const [one, other] = await Promise.all([[whole], single].map((chunks) => {
    return isChallenge(html(status), chunkSource(chunks), new FakeClock());
  }));
  assertEquals(one, other, page);
  return one!;
}

const CHALLENGES: Readonly<Record<string, string>> = {
  "Cloudflare": '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>',
  "Cloudflare, translated":
    "<title>Nur einen Moment…</title><script>(function(){window._cf_chl_opt={cvId:'3',",
  "Cloudflare, script":
    "a.src = '/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8c1';",
  "Cloudflare, old": '<div class="cf-browser-verification cf-im-under-attack">',
  "Akamai": '<div id="sec-if-cpt-container" class="behavioral-content">',
  "Akamai, script": '<script src="/_sec/cp_challenge/ak-challenge-4-3.htm"></script>',
  "Akamai, refresh": `<meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQAAAAJ'" />`,
  "Imperva":
    '<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=9">Request unsuccessful.' +
    " Incapsula incident ID: 1230000450-99</iframe>",
  "Imperva, formerly Distil": "<html><head><title>Pardon Our Interruption</title>",
  "DataDome": "<script>var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script>",
  "HUMAN": '<div id="px-captcha"></div>',
  "HUMAN, link": '<a href="https://www.perimeterx.com/whywasiblocked">',
  "AWS WAF": '<script src="https://1a2b.edge.token.awswaf.com/1a2b/challenge.js"></script>',
  "AWS WAF, script": '<script>window.gokuProps = {"key":"AQIDAHj"};</script>',
  "Sucuri": "<script>var s={},u,c,U;sucuri_cloudproxy_js='';S='cz0iMi';</script>",
  "DDoS-Guard": "<title>DDoS-Guard</title>",
  "DDoS-Guard, script": '<script src="/.well-known/ddos-guard/js-challenge/index.js"></script>',
  "Kasada": "<script>window.KPSDK={};KPSDK.now=typeof performance</script>",
  "Vercel": "<html><head><title>Vercel Security Checkpoint</title>",
};

Deno.test("isChallenge() detects the pages of common products", async () => {
  for (const [name, page] of Object.entries(CHALLENGES)) {
    for (const status of [403, 429, 503]) {
      assertEquals(await isPageChallenge(page, status), true, `${name} ${status}`);
    }
  }
});

const OTHER_PAGES: Readonly<Record<string, string>> = {
  "nginx": "<html><head><title>403 Forbidden</title></head><body>nginx</body></html>",
  "Cloudflare, blocked": "<title>Attention Required! | Cloudflare</title>you have been blocked",
  "Cloudflare, script of ordinary pages":
    "a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js';window.__CF$cv$params={r:'8c1'}",
  "Akamai, denied": "<TITLE>Access Denied</TITLE> https://errors.edgesuite.net/18.d9dd3e17",
  "Imperva, script of ordinary pages":
    '<script src="/_Incapsula_Resource?SWJIYLWA=719d34d"></script>',
  "Sucuri, denied": "<title>Sucuri WebSite Firewall - Access Denied</title>",
  "captcha of a form": '<script src="https://www.google.com/recaptcha/api.js"></script>',
  "empty": "",
};

Deno.test("isChallenge() does not match pages that deny access or are protected", async () => {
  for (const [name, page] of Object.entries(OTHER_PAGES)) {
    assertEquals(await isPageChallenge(page), false, name);
  }
});

Deno.test("isChallenge() knows headers, whatever the status", async () => {
  const rows: readonly (readonly [status: number, name: string, value: string, boolean])[] = [
    [403, "cf-mitigated", "challenge", true],
    [202, "x-amzn-waf-action", "challenge", true],
    [405, "x-amzn-waf-action", "captcha", true],
    [429, "x-vercel-mitigated", "challenge", true],
    [403, "x-vercel-mitigated", "deny", false],
    [403, "server", "cloudflare", false],
  ];
  for (const [status, name, value, expected] of rows) {
    const response = { status, headers: new Headers({ [name]: value }) };
    assertEquals(await isChallenge(response, chunkSource([]), new FakeClock()), expected, name);
  }
});

Deno.test("isChallenge() reads only HTML with a status of challenges", async () => {
  const page = CHALLENGES["Cloudflare"]!;
  const read = async (response: Pick<Response, "status" | "headers">) => {
    const source = chunkSource([bytes(page)]);
    const result = await isChallenge(response, source, new FakeClock());
    return [result, await source.read() === undefined];
  };
  assertEquals(await read(html(403)), [true, true]);
  assertEquals(await read(html(200)), [false, false]);
  assertEquals(await read(html(404)), [false, false]);
  assertEquals(await read(html(403, { "content-type": "application/xml" })), [false, false]);
});

Deno.test("isChallenge() reads compressed pages", async () => {
  const stream = new Blob([CHALLENGES["DataDome"]!]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  const gzip = new Uint8Array(await new Response(stream).arrayBuffer());
  const response = html(403, { "content-encoding": "gzip" });
  assertEquals(await isChallenge(response, chunkSource([gzip]), new FakeClock()), true);
  // what the header says is not always true
  const plain = chunkSource([bytes(CHALLENGES["DataDome"]!)]);
  assertEquals(await isChallenge(response, plain, new FakeClock()), true);
});

Deno.test("isChallenge() gives up on a body that does not arrive, and one that fails", async () => {
  const clock = new FakeClock();
  const pending = Promise.withResolvers<undefined>();
  const body = {
    read: () => pending.promise,
    cancel: () => pending.reject(new Error("Cancelled")),
  };
  assertEquals(await clock.run(isChallenge(html(403), body, clock)), false);
  assertEquals(clock.waited, [5000]);
  const broken = { read: () => Promise.reject(new Error("Reset")), cancel() {} };
  assertEquals(await isChallenge(html(403), broken, clock), false);
  assertEquals(clock.running, 0);
});

Deno.test("isChallenge() searches the beginning of a page only", async () => {
  const far = " ".repeat(40_000) + CHALLENGES["HUMAN"];
  assertEquals(await isPageChallenge(far), false);
});
