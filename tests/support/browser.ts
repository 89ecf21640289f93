/** Chromium for tests and benchmarks. @module */

import {
  type Browser,
  type BrowserContext,
  chromium,
  errors,
  type Page,
} from "npm:playwright-core@1.65.0";

export type { Browser, Locator, Page } from "npm:playwright-core@1.65.0";

const CHROMIUM = "/usr/bin/chromium";

const ARGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--hide-scrollbars",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--remote-debugging-port=0",
];

/** Milliseconds after which a start hangs; it takes half a second. */
const START_TIME = 15_000;
const MAX_STARTS = 4;

const ADDRESS_REGEXP = /DevTools listening on (ws:\S+)/;

export function hasChromium(): boolean {
  try {
    return Deno.statSync(CHROMIUM).isFile;
  } catch {
    return false;
  }
}

/** A Chromium that ends with its scope. */
type OpenBrowser = { readonly browser: Browser } & AsyncDisposable;

/** Starts Chromium, once more if it does not answer: it may hang when it starts. */
export async function openBrowser(): Promise<OpenBrowser> {
  for (let start = 1;; start++) {
    try {
      return await startBrowser();
    } catch (error) {
      if (start === MAX_STARTS || !(error instanceof errors.TimeoutError)) throw error;
    }
  }
}

/** Deno cannot talk to Chromium by a pipe, as Playwright would, so that it listens on a port. */
async function startBrowser(): Promise<OpenBrowser> {
  const folder = await Deno.makeTempDir();
  const process = new Deno.Command(CHROMIUM, {
    args: [...ARGS, `--user-data-dir=${folder}`],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let text = "";
  const address = Promise.withResolvers<string>();
  const drained = (async () => {
    for await (const part of process.stderr.pipeThrough(new TextDecoderStream())) {
      text = (text + part).slice(-10_000);
      const found = ADDRESS_REGEXP.exec(text)?.[1];
      if (found !== undefined) address.resolve(found);
    }
    address.reject(new Error(`Cannot start Chromium: ${text}`));
  })();
  const close = async () => {
    try {
      process.kill();
    } catch {
      // it has ended
    }
    await process.status;
    await drained;
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  };
  try {
    const browser = await chromium.connectOverCDP(await address.promise, { timeout: START_TIME });
    return {
      browser,
      async [Symbol.asyncDispose]() {
        await browser.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** How a page is seen. */
export interface View {
  /** Default: 1280. */
  readonly width?: number;
  /** Default: light. */
  readonly colorScheme?: "light" | "dark";
}

/** Opens a page in a context, since a context for each takes longer than the page. */
export async function newPage(
  context: BrowserContext,
  { width = 1280, colorScheme = "light" }: View = {},
): Promise<Page> {
  const page = await context.newPage();
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  return page;
}
