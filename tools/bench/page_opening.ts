/// <reference lib="dom" />
/**
 * Measures how long a browser takes to open a page.
 *
 * @module
 */

import { openBrowser } from "../../tests/support/browser.ts";
import { median } from "./table.ts";

/** Milliseconds since the start of a navigation. */
export interface Opening {
  /** Until the first contents can be seen. */
  readonly paint: number;
  /** Until the load event has ended. */
  readonly load: number;
  /** Until everything is drawn. */
  readonly complete: number;
}

/** Opens a page in a fresh tab several times, and returns the medians. */
export async function measureOpening(html: string, rounds = 7): Promise<Opening> {
  const file = await Deno.makeTempFile({ suffix: ".html" });
  await Deno.writeTextFile(file, html);
  try {
    await using chromium = await openBrowser();
    const openings: Opening[] = [];
    for (let round = 0; round < rounds; round++) {
      const page = await chromium.browser.newPage({ viewport: { width: 1280, height: 900 } });
      await page.goto(`file://${file}`);
      openings.push(
        await page.evaluate(async () => {
          const paint = await new Promise<number>((resolve) =>
            new PerformanceObserver((list) => resolve(list.getEntries().at(-1)!.startTime))
              .observe({ type: "paint", buffered: true })
          );
          const [navigation] = performance.getEntriesByType("navigation");
          const { loadEventEnd } = navigation as PerformanceNavigationTiming;
          const [marked] = performance.getEntriesByName("complete");
          return { paint, load: loadEventEnd, complete: marked?.startTime ?? loadEventEnd };
        }),
      );
      await page.close();
    }
    return {
      paint: median(openings.map(({ paint }) => paint)),
      load: median(openings.map(({ load }) => load)),
      complete: median(openings.map(({ complete }) => complete)),
    };
  } finally {
    await Deno.remove(file);
  }
}
