import type { Mutable } from "../data/page.ts";
import { type Loose, shortened } from "./limited.ts";
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
