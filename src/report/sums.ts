import type { Mutable } from "../data/page.ts";
import { type Loose, shortened } from "./limits.ts";
import type { ReportFault } from "./report.ts";

const MAX_EXAMPLES = 3;

type Example = ReportFault["examples"][number];

export class FaultTally {
  readonly #faults = new Map<string, Mutable<ReportFault>>();

  add(code: string, count: number, example?: () => Loose<Example>): void {
    let fault = this.#faults.get(code);
    if (fault === undefined) this.#faults.set(code, fault = { code, count: 0, examples: [] });
    fault.count += count;
    if (example === undefined || fault.examples.length >= MAX_EXAMPLES) return;
    fault.examples = [...fault.examples, shortened<Example>(example())];
  }

  result(): ReportFault[] {
    return [...this.#faults.values()].map((fault) => ({ ...fault }))
      .sort((a, b) => b.count - a.count);
  }
}

export function sumOfPages(items: readonly { readonly pages: number }[]): number {
  return items.reduce((sum, { pages }) => sum + pages, 0);
}

/** Returns numbers by name, added to those of the same name. */
export function sumsOf<Name extends string>(
  some: Readonly<Partial<Record<Name, number>>>,
  more: Readonly<Partial<Record<Name, number>>>,
): Record<Name, number> {
  const all = { ...some } as Record<Name, number>;
  for (const name in more) all[name] = (all[name] ?? 0) + more[name]!;
  return all;
}
