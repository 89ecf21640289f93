/// <reference lib="dom" />
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { REPORT_PAGE } from "../../src/report/page.gen.ts";
import { renderReport } from "../../src/report/render.ts";
import type { Report } from "../../src/report/report.ts";
import {
  type Browser,
  hasChromium,
  type Locator,
  newPage,
  openBrowser,
  type Page,
  type View,
} from "../support/browser.ts";
import { LOCK } from "../../tools/command.ts";
import axe from "npm:axe-core@4.14.0";
import {
  blockedReport,
  HOSTILE,
  hostileReport,
  hugeReport,
  severalReport,
  shopReport,
  tinyReport,
} from "./sample_reports.ts";

type Make = () => Report | Promise<Report>;

const SAMPLES: Readonly<Record<string, Make>> = {
  shop: shopReport,
  tiny: tinyReport,
  blocked: blockedReport,
  several: severalReport,
  huge: hugeReport,
  hostile: hostileReport,
};

const BUILD = new URL("../../tools/build_page.ts", import.meta.url);
const GENERATED = new URL("../../src/report/page.gen.ts", import.meta.url);

Deno.test("page.gen.ts is what `deno task page` makes of the files", async () => {
  // in a process of its own, since esbuild starts one that outlives the test
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--allow-all", LOCK, fileURLToPath(BUILD), "--print"],
  }).output();
  assert(success);
  const committed = await Deno.readTextFile(GENERATED);
  assert(committed === new TextDecoder().decode(stdout), "run `deno task page`");
});

Deno.test("REPORT_PAGE allows its own style and script, and no network", () => {
  const hash = (tag: string) => {
    const text = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(REPORT_PAGE)![1]!;
    return `sha256-${createHash("sha256").update(text).digest("base64")}`;
  };
  assertStringIncludes(
    REPORT_PAGE,
    `content="default-src 'none'; script-src '${hash("script")}'; ` +
      `style-src '${hash("style")}'; img-src data:; base-uri 'none'; form-action 'none'"`,
  );
  assertEquals(REPORT_PAGE.match(/\{\{.*?\}\}/g), ["{{title}}", "{{data}}"]);
  assert(!/\sstyle=|\son\w+="|\b(?:src|href)=/.test(REPORT_PAGE.split("<script>")[0]!));
  assertStringIncludes(REPORT_PAGE, "Mike Bostock", "the licence of d3-hierarchy");
});

type Step = (browser: Browser) => Promise<void>;

/** Returns a step that opens a report, and has all that the page should not do. */
function onReport(
  make: Make,
  test: (page: Page, faults: readonly string[]) => Promise<void>,
  view?: View,
): Step {
  return async (browser) => {
    const file = await Deno.makeTempFile({ suffix: ".html" });
    await Deno.writeTextFile(file, renderReport(await make()));
    const page = await newPage(browser.contexts()[0]!, view);
    const faults: string[] = [];
    page.on("console", (message) => faults.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => {});
    });
    page.on("request", (request) => {
      if (request.url() !== `file://${file}`) faults.push(`request: ${request.url()}`);
    });
    try {
      await page.goto(`file://${file}`);
      await page.waitForFunction(() => performance.getEntriesByName("complete").length > 0);
      await test(page, faults);
    } finally {
      await page.close();
      await Deno.remove(file);
    }
  };
}

/** Waits until the page has drawn what was opened or changed: events of that come later. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() =>
    new Promise((resolve) =>
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))
    )
  );
}

async function openSummary(page: Page, summary: Locator): Promise<void> {
  await summary.click();
  await settled(page);
}

/** Asserts that an element shows texts. */
async function assertShown(shown: Locator, ...texts: readonly string[]): Promise<void> {
  const actual = await shown.innerText();
  for (const text of texts) assertStringIncludes(actual, text);
}

/** Labels of the areas of a treemap. */
function areas(page: Page): Promise<string[]> {
  return page.locator(".cell").evaluateAll((cells) =>
    cells.map((cell) => cell.getAttribute("aria-label")!)
  );
}

function crumbs(page: Page): Promise<string[]> {
  return page.locator(".crumbs button").allTextContents();
}

function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const active = document.activeElement!;
    return active.getAttribute("aria-label") ?? active.textContent ?? "";
  });
}

async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate(`axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
    violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
      .map(({ id, nodes }) => id + ": " + nodes[0].html))`);
}

function fits(make: Make): Step {
  return onReport(make, async (page, faults) => {
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      const { scroll, client } = await page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        client: document.documentElement.clientWidth,
      }));
      assertEquals([width, scroll > client], [width, false]);
      assertEquals(faults, []);
    }
  }, { colorScheme: "dark" });
}

const STEPS: Readonly<Record<string, Step>> = {
  ...Object.fromEntries(
    Object.entries(SAMPLES).map(([name, make]) =>
      [`a report fits into every width, without faults and requests: ${name}`, fits(make)] as const
    ),
  ),

  "axe finds nothing serious, light and dark": onReport(severalReport, async (page) => {
    await page.locator("summary").evaluateAll((all) => {
      for (const { parentElement } of all.slice(0, 20)) parentElement!.setAttribute("open", "");
    });
    await settled(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assertEquals([colorScheme, await seriousFaults(page)], [colorScheme, []]);
    }
  }),

  "dark mode is dark": onReport(tinyReport, async (page) => {
    const brightness = () =>
      page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)![0]));
    assert(await brightness() > 200);
    await page.emulateMedia({ colorScheme: "dark" });
    assert(await brightness() < 50);
  }),

  "the head says what was read": onReport(shopReport, async (page) => {
    await assertShown(
      page.locator("header"),
      ...["shop.example", "Not everything could be read", "2026-06-15", "7.41 MB"],
      "18 in several sitemaps",
    );
    await assertShown(
      page.locator("#contents"),
      "Sets of languages have faults in about 310 places, links back in about 2,400 places (estimated)",
    );
    await openSummary(page, page.locator("summary", { hasText: "18 in several sitemaps" }));
    await assertShown(page.locator("#faults"), "/products/garden/hose");
  }),

  "the head counts sites that were read completely": onReport(severalReport, async (page) => {
    await assertShown(
      page.locator("header"),
      "Everything declared was read on 1 of 5 sites",
      "about 40 in several sitemaps",
    );
  }),

  "a site that blocks has its sitemaps only": onReport(blockedReport, async (page) => {
    await assertShown(page.locator(".verdict"), "Nothing could be read: 403 Forbidden");
    assertEquals(await page.locator("section h2").allTextContents(), ["Sitemaps"]);
  }),

  "the treemap zooms by click, and back by its breadcrumb": onReport(shopReport, async (page) => {
    const [first, second] = await areas(page);
    assertMatch(first!, /^shop\.example, 14,\d{3} pages, 9\d\.\d %, newest 2026-06-14, /);
    assertMatch(second!, /^cdn\.shop\.example, 420 pages, 2\.9 %, undated$/);
    await page.locator(".cell").first().click({ position: { x: 20, y: 10 } });
    assertEquals(await crumbs(page), ["All hosts", "shop.example"]);
    // an area in an area is two levels down
    await page.locator(".map text", { hasText: "kitchen" }).click({ force: true });
    assertEquals(await crumbs(page), ["All hosts", "shop.example", "products"]);
    const sum = (await areas(page)).map((label) =>
      Number(/ ([\d,]+) pages?/.exec(label)![1]!.replace(",", ""))
    )
      .reduce((a, b) => a + b);
    const products = shopReport().paths.children![0]!.children![0]!;
    assertEquals(sum, products.pages);
    await openSummary(page, page.locator(".treemap summary"));
    assertEquals(await page.locator(".treemap tbody tr").count(), products.children!.length + 1);
    await page.locator(".crumbs button").first().click();
    assertEquals(await crumbs(page), ["All hosts"]);
  }),

  "the treemap zooms by keyboard": onReport(shopReport, async (page) => {
    await page.locator(".cell").first().focus();
    assertEquals(await page.locator(".tip").getAttribute("visibility"), "visible");
    await page.keyboard.press("ArrowRight");
    assertMatch(await focused(page), /^cdn\.shop\.example/);
    await page.keyboard.press("Enter");
    assertEquals(await crumbs(page), ["All hosts"], "it contains nothing");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    assertEquals(await crumbs(page), ["All hosts", "shop.example"]);
    assertMatch(await focused(page), /^products, /);
    assertMatch(
      await page.locator(".treemap [role=status]").innerText(),
      /^shop\.example: .* areas$/,
    );
    await page.keyboard.press("Enter");
    assertEquals((await crumbs(page)).length, 3);
    await page.keyboard.press("Escape");
    assertMatch(await focused(page), /^products, /);
    await page.keyboard.press("Backspace");
    assertMatch(await focused(page), /^shop\.example, /);
    assertEquals(await page.locator('.cell[tabindex="0"]').count(), 1);
  }),

  "the treemap shows sitemaps by their worst finding": onReport(shopReport, async (page) => {
    await page.getByText("By sitemap").click();
    const labels = await areas(page);
    assertMatch(labels[0]!, /^\/robots\.txt, /);
    assertEquals(await crumbs(page), ["shop.example"]);
    assertEquals(
      await page.locator(".cell").first().getAttribute("class"),
      "cell zooms mark-error",
    );
    await page.locator(".cell").first().focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    const third = page.locator('.cell[aria-label^="/sitemap-products-3"]');
    assertMatch((await third.getAttribute("aria-label"))!, /1 error, 2 warnings$/);
    assert((await areas(page)).some((label) => label.startsWith("other (14 sitemaps)")));
  }),

  "a search of sitemaps keeps their ancestors": onReport(hugeReport, async (page) => {
    const search = page.getByLabel("Search sitemaps");
    await search.fill("part-777.");
    await settled(page);
    assertMatch(
      await page.locator("#sitemaps [role=status]").innerText(),
      /^1 of [\d,]+ sitemaps$/,
    );
    assertEquals(await page.locator("#sitemaps .line .url").allTextContents(), [
      ...["shop.example", "/robots.txt", "/sitemap.xml", "/sitemaps/part-777.xml.gz"],
    ]);
    await openSummary(page, page.locator("#sitemaps summary").last());
    await assertShown(page.locator("#sitemaps .facts").last(), "bad-date (3)");
    await search.fill("");
    await settled(page);
    assertEquals(await page.locator("#sitemaps .line").count(), 3 + 25);
    await page.locator("#sitemaps .more:visible").click();
    assertEquals(await page.locator("#sitemaps .line").count(), 3 + 25 + 200);
  }),

  "findings are filtered by severity and sitemap": onReport(shopReport, async (page) => {
    const shown = () => page.locator(".finding h3").allTextContents();
    assertEquals((await shown()).length, 5);
    await assertShown(page.locator("#findings"), "about 2,400 places (estimated)");
    await page.getByLabel("2 errors").uncheck();
    assertEquals((await shown()).length, 3);
    await page.locator("#findings select").selectOption({
      label: "https://shop.example/sitemap-products-3.xml.gz",
    });
    assertEquals(await shown(), ["▲ warning Last modifications are in the future"]);
    assertEquals(await page.locator("#findings [role=status]").innerText(), "1 of 5 findings");
    await openSummary(page, page.locator(".finding summary"));
    await assertShown(page.locator(".finding li"), "2062-01-01");
  }),

  "a sample of pages is searched": onReport(shopReport, async (page) => {
    const rows = page.locator("#pages tbody tr");
    assertEquals(await rows.count(), 25);
    await page.locator("#pages .more").click();
    assertEquals(await rows.count(), 120);
    await page.getByLabel("Search: Sample of pages").fill("ITEM-2340");
    assertEquals(await rows.count(), 1);
    await assertShown(page.locator("#pages"), "sitetree ls shop.example");
  }),

  "everything is reached by keyboard": onReport(shopReport, async (page) => {
    await page.evaluate(() => {
      const reached: string[] = [];
      Object.assign(globalThis, { reached });
      addEventListener("focusin", ({ target }) => {
        const { tagName, classList, type } = target as HTMLInputElement;
        reached.push([tagName.toLowerCase(), classList[0] ?? "", type ?? ""].join(" "));
      });
    });
    for (let presses = 0; presses < 100; presses++) await page.keyboard.press("Tab");
    const reached = await page.evaluate<string[]>("reached");
    for (
      const kind of [
        ...["a", "rect cell", "summary", "input  radio", "input  checkbox", "input  search"],
        ...["select  select-one", "button more", "a url"],
      ]
    ) assert(reached.some((one) => one.startsWith(kind)), kind);
  }),

  "hostile strings are text": onReport(hostileReport, async (page, faults) => {
    for (let round = 0; round < 4; round++) {
      await page.locator("details:not([open])").evaluateAll((all) => {
        for (const details of all) (details as HTMLDetailsElement).open = true;
      });
      await settled(page);
    }
    await page.getByText("By sitemap").click();
    const elements = (selector: string) => page.locator(selector).count();
    assertEquals(await elements("body script"), 2);
    assertEquals(
      await elements("img, iframe, object, embed, base, [style], [onload], [onerror]"),
      0,
    );
    assertEquals(await elements("a:not([href^='http']):not([href^='#'])"), 0);
    const text = await page.evaluate(() => document.body.textContent!);
    for (const string of HOSTILE.slice(0, 6)) assertStringIncludes(text, string);
    assert(!(await page.locator("main").innerText()).includes("\u202e"), "controls are escaped");
    await assertShown(page.locator("main"), "\\u202egnp.exe");
    assertEquals(faults, []);
  }),

  "a printer gets the numbers, and no controls": onReport(shopReport, async (page) => {
    const pdf = await page.pdf({ format: "A4" });
    assertEquals(new TextDecoder().decode(pdf.slice(0, 5)), "%PDF-");
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assertEquals(
      await page.locator(".toc, .switch, .search, .filters").locator("visible=true").count(),
      0,
    );
    assert(await page.locator(".treemap table").isVisible());
    assertEquals(await page.locator(".finding ul").count(), 3);
    assert(await page.getByText('Invalid date "31.12.2025"').isVisible());
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assertEquals(await page.locator("details.printed[open]").count(), 0);
  }),
};

Deno.test("the page of a report works in Chromium", { ignore: !hasChromium() }, async (t) => {
  await using chromium = await openBrowser();
  for (const [name, test] of Object.entries(STEPS)) {
    await t.step(name, () => test(chromium.browser));
  }
});
