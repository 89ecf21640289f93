/**
 * `--sample`, `--per-pattern` and `--seed`: random pages instead of all.
 *
 * @module
 */

import { randomKey } from "../../bytes/value_scan.ts";
import type { PageEvent, TreeEvent } from "../../data/events.ts";
import { Sample } from "../../data/sample.ts";
import { count, grouped } from "../../data/text.ts";
import type { Arguments, SamplingOption } from "../arguments.ts";
import { type EventWriter, foldWriter } from "./event_writer.ts";

/** A sample that the options ask for. */
export class Sampling<T> extends Sample<T> {
  /** Whether the user chose the seed. */
  readonly isSeedGiven: boolean;
  readonly #end: string;

  private constructor(args: Arguments, option: SamplingOption) {
    const size = args.value<number>(option)!;
    const seed = args.value<number>("seed") ?? randomKey()[0];
    const perPattern = option === "per-pattern";
    super(size, seed, perPattern);
    this.isSeedGiven = args.has("seed");
    const limit = perPattern ? `, at most ${grouped(size)} of each pattern` : "";
    this.#end = `${limit}: --seed ${seed} gives them again`;
  }

  /** Returns an empty sample, if the options ask for one. */
  static of<T>(args: Arguments): Sampling<T> | undefined {
    const option = args.sampling;
    return option && new Sampling<T>(args, option);
  }

  /** Line such as `sampled 100 of 2,600,025 pages: --seed 1234567 gives them again`. */
  get summary(): string {
    const pages = `${grouped(this.items().length)} of ${count(this.seen, "page")}`;
    return `sampled ${pages}${this.#end}`;
  }
}

/** A page, and the site that it belongs to. */
export interface SampledPage {
  readonly event: PageEvent;
  readonly site: string | undefined;
}

/**
 * Returns a writer that writes a sample of the pages of all operands once there are no more. `open`
 * opens the writer of all pages, or if they differ that of the pages of a site.
 */
export function sampleWriter(
  sampling: Sampling<SampledPage>,
  open: (site: string | undefined) => Promise<EventWriter>,
  isWriterPerSite: boolean,
): EventWriter {
  const add = (event: TreeEvent, site: string | undefined) => {
    if (event.type === "page") sampling.add(event.page.url, () => ({ event, site }));
  };
  return foldWriter(add, async () => {
    const pages = sampling.items();
    let last = pages[0]?.site;
    let writer = await open(last);
    for (const { event, site } of pages) {
      if (isWriterPerSite && site !== last) {
        await writer.close();
        writer = await open(site);
      }
      last = site;
      await writer.writeAll([event], site);
    }
    await writer.close();
  });
}
