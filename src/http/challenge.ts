/**
 * Detects browser challenges: responses of firewalls that only a browser gets past, by running a
 * script or by a person solving a puzzle.
 *
 * @module
 */

import { type ByteSource, peek } from "../bytes/byte_source.ts";
import { decompress } from "../bytes/gunzip.ts";
import type { Clock } from "./clock.ts";

/** Headers that only challenges have, with their values. */
const HEADERS: readonly (readonly [name: string, value: RegExp])[] = [
  // Cloudflare
  ["cf-mitigated", /^challenge$/i],
  // AWS WAF: 202 for a script, 405 for a puzzle, both without content unless HTML is accepted
  ["x-amzn-waf-action", /^(?:challenge|captcha)$/i],
  // Vercel
  ["x-vercel-mitigated", /^challenge$/i],
];

/** Statuses of challenges that only their content shows. */
const STATUSES: ReadonlySet<number> = new Set([403, 405, 428, 429, 503]);

/**
 * Texts of challenges. Not matched are scripts that the same products add to ordinary pages, such as
 * `/cdn-cgi/challenge-platform/scripts/jsd/`, captchas of forms, and pages that only deny access.
 */
const PAGES: readonly RegExp[] = [
  // Cloudflare
  /<title>Just a moment\.\.\.|_cf_chl_opt|cf-browser-verification/i,
  /challenge-platform\/h\/\w\/orchestrate/i,
  // Akamai
  /sec-if-cpt-container|\/_sec\/cp_challenge\/|[?&]bm-verify=/i,
  // Imperva, formerly Incapsula and Distil
  /Incapsula incident ID|_Incapsula_Resource\?[CS]W(?:UDNSAI|HANEDL)/i,
  /<title>Pardon Our Interruption/i,
  // DataDome
  /captcha-delivery\.com/i,
  // HUMAN, formerly PerimeterX
  /px-captcha|perimeterx\.(?:com|net)\/whywasiblocked/i,
  // AWS WAF
  /\.awswaf\.com\/|gokuProps|AwsWafIntegration/i,
  // Sucuri
  /sucuri_cloudproxy_js/i,
  // DDoS-Guard
  /check\.ddos-guard\.net|\/\.well-known\/ddos-guard\/|<title>DDoS-Guard/i,
  // Kasada
  /\bKPSDK\b/,
  // Vercel
  /<title>Vercel Security Checkpoint/i,
];

const MAX_BYTES = 32 * 1024;
const MAX_TIME = 5000;

/** Reads the body only of HTML with a status that challenges have. */
export async function isChallenge(
  response: Pick<Response, "status" | "headers">,
  body: ByteSource,
  clock: Clock,
): Promise<boolean> {
  const { status, headers } = response;
  if (HEADERS.some(([name, value]) => value.test(headers.get(name) ?? ""))) return true;
  if (!STATUSES.has(status) || !/^text\/html\b/i.test(headers.get("content-type") ?? "")) {
    return false;
  }
  const timer = clock.startTimer(MAX_TIME, () => body.cancel());
  try {
    const contentEncoding = headers.get("content-encoding");
    const { source } = await decompress(body, { warn: () => {}, contentEncoding });
    const { head } = await peek(source, MAX_BYTES);
    const html = new TextDecoder().decode(head.subarray(0, MAX_BYTES));
    return PAGES.some((pattern) => pattern.test(html));
  } finally {
    timer.clear();
  }
}
