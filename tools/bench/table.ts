/**
 * Tables and figures as the benchmarks print them.
 *
 * @module
 */

/** Returns the median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Formats a number with three significant digits and grouped thousands. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats an integer with grouped thousands. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats a Markdown table; all columns but the first are aligned right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) =>
    Math.max(3, title.length, ...rows.map((row) => row[at]?.length ?? 0))
  );
  const line = (cells: readonly string[]) =>
    `| ${
      widths.map((width, at) =>
        at === 0 ? (cells[at] ?? "").padEnd(width) : (cells[at] ?? "").padStart(width)
      ).join(" | ")
    } |`;
  const rule = widths.map((width, at) =>
    at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`
  );
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** The machine and the versions that figures belong to. */
export function machine(): string {
  const model = cpuModel();
  return `Deno ${Deno.version.deno} (V8 ${Deno.version.v8}), ${Deno.build.os} ${Deno.build.arch}, ` +
    `${navigator.hardwareConcurrency} cores${model === undefined ? "" : ` (${model})`}`;
}

function cpuModel(): string | undefined {
  try {
    return /^model name\s*:\s*(.+)$/m.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1]?.trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
