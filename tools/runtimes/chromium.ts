/**
 * Checks a package in Chromium: in a page, across origins, and in service workers.
 *
 * @module
 */

import { type Browser, chromium } from "npm:playwright-core@1.65.0";
import { bundle } from "./bundle.ts";
import { assertPassed, type CheckResult, withLimit } from "./checks.ts";
import { install } from "./install.ts";
import { serveSmokeSite } from "./smoke_site.ts";
import type { Workspace } from "./workspace.ts";

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Milliseconds after which a page counts as hanging. */
const LIMIT = 90_000;

/** Path of the sitemap of which Chromium decodes the first gzip member alone. */
const UNREADABLE = "/encoded-members.xml";

/** A case that needs a request for `identity`, which browsers do not let scripts make. */
const UNREADABLE_CASE = "known__broken_encoding_below_robots.json";

async function launch(): Promise<Browser> {
  return await chromium.launch({ executablePath: await install("chromium"), args: ARGS });
}

/** Runs all checks in Chromium. */
export async function checkChromium(workspace: Workspace): Promise<void> {
  const { report } = workspace;
  const browser = await workspace.installed("chromium", launch);
  if (browser === undefined) return;
  try {
    const scripts = await report.check("chromium", "bundle", () => bundles(workspace.folder));
    if (scripts !== undefined) await checkPages(browser, scripts, workspace);
  } finally {
    await browser.close();
  }
}

/** Returns the scripts of the page and the workers, by path. */
async function bundles(folder: string): Promise<Record<string, string>> {
  const worker = {
    script: "tools/runtimes/web_service_worker.ts",
    folder,
    conditions: ["worker", "browser"],
  };
  return {
    "/page.js": await bundle({
      script: "tools/runtimes/web_page.ts",
      folder,
      conditions: ["browser"],
    }),
    "/module.js": await bundle(worker),
    "/classic.js": await bundle({ ...worker, format: "iife" }),
  };
}

async function checkPages(
  browser: Browser,
  scripts: Readonly<Record<string, string>>,
  workspace: Workspace,
): Promise<void> {
  const cases = await workspace.cases([UNREADABLE_CASE]);
  const javascript = { "content-type": "text/javascript", "service-worker-allowed": "/" };
  const routes = Object.fromEntries(
    Object.entries(scripts).map(([path, text]) => [
      path,
      () => new Response(text, { headers: javascript }),
    ]),
  );
  const html = '<!doctype html><script type="module" src="/page.js"></script>';
  await using site = serveSmokeSite({
    without: [UNREADABLE],
    routes: {
      ...routes,
      "/page.html": () => new Response(html, { headers: { "content-type": "text/html" } }),
      "/cases.json": () => new Response(cases),
    },
  });
  await using other = serveSmokeSite({ without: [UNREADABLE] });

  const page = await browser.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${site.origin}/page.html`);
  const check = (name: string, call: string) =>
    workspace.report.check("chromium", name, async () => {
      const results = await withLimit(page.evaluate<CheckResult[]>(call), LIMIT).catch((error) => {
        throw errors.length === 0 ? error : new Error(errors.join("\n"));
      });
      return assertPassed(results);
    });
  await check("smoke in a page", `smoke("${site.origin}")`);
  await check("smoke across origins", `smoke("${other.origin}")`);
  await check("conformance in a page", `conformance("${site.origin}")`);
  await check("smoke in a service worker (module)", 'serviceWorker("/module.js", "module")');
  await check("smoke in a service worker (classic)", 'serviceWorker("/classic.js", "classic")');
}
