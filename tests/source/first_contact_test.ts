import { assertEquals } from "@std/assert";
import type { RequestReport } from "../../mod.ts";
import { FirstContact, UnreachableError } from "../../src/source/first_contact.ts";

const SITE = "https://a.test/";

function report(phase: RequestReport["phase"], path: string, more: Partial<RequestReport> = {}) {
  const url = new URL(path, SITE).href;
  return { phase, url, sitemap: url, attempt: 1, ...more };
}

const refused = (path: string) =>
  report("failure", path, { code: "connection-refused", reason: "Connection refused" });
const failed = (code: Exclude<RequestReport["code"], undefined>) =>
  report("failure", "/robots.txt", { code, reason: "no" });
const REQUESTED = report("request", "/robots.txt");
const ANSWERED = report("response", "/robots.txt", { status: 500 });
const TWICE = [refused("/robots.txt"), refused("/robots.txt")];
const REFUSED = 'Cannot connect to "https://a.test/robots.txt": Connection refused';
const LOST = 'Cannot connect to "https://a.test/robots.txt": no';

const ROWS: readonly (readonly [
  about: string,
  reports: readonly RequestReport[],
  canTryHttp: boolean,
  message: string | undefined,
])[] = [
  ["one refusal", [refused("/robots.txt")], false, undefined],
  ["two refusals", TWICE, false, REFUSED],
  ["one refusal, where http can be tried", [refused("/robots.txt")], true, REFUSED],
  [
    "refusals of other requests",
    [REQUESTED, refused("/a.xml"), refused("/a.xml")],
    false,
    undefined,
  ],
  ["refusals after a response", [ANSWERED, ...TWICE], false, undefined],
  ["an unknown host", [failed("host-not-found")], false, 'Cannot find host "a.test"'],
  ["an invalid certificate", [failed("tls-certificate")], false, LOST],
  ["no TLS, where http can be tried", [failed("tls-handshake")], true, LOST],
  ["no TLS", [failed("tls-handshake")], false, undefined],
  ["a timeout", [failed("timeout")], false, undefined],
];

for (const [about, reports, canTryHttp, message] of ROWS) {
  const end = message === undefined ? "does not end" : "ends";
  Deno.test(`${about} ${end} a walk at its first request`, () => {
    const contact = new FirstContact();
    let found: string | undefined;
    try {
      for (const one of reports) contact.add(one, canTryHttp);
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      found = error.message;
    }
    assertEquals(found, message);
    assertEquals(contact.isConnected, reports.includes(ANSWERED));
  });
}
