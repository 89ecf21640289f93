/** Reads the text format of Prometheus strictly. @module */

export interface Metric {
  readonly type: string;
  readonly help: string;
  /** Values by labels, such as `verdict=none` or, of several, `run=nov round=1`. */
  readonly values: ReadonlyMap<string, number>;
}

const LABEL_REGEXP = /([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy;
const SAMPLE_REGEXP = /^([a-z_]+)(?:\{(.+)\})? (\d+(?:\.\d+)?(?:e[+-]\d+)?)$/;

/** Returns metrics by name. Throws if a line is invalid, out of place or there twice. */
export function parseMetrics(text: string): Map<string, Metric> {
  if (!text.endsWith("\n")) throw new Error("The last line has no end");
  const metrics = new Map<string, Metric & { readonly values: Map<string, number> }>();
  const lines = text.slice(0, -1).split("\n");
  for (let at = 0; at < lines.length;) {
    const [, name = "", help = ""] = /^# HELP (sitetree_[a-z_]+) (\S.*\.)$/.exec(lines[at++]!) ??
      [];
    const [, type = ""] = new RegExp(`^# TYPE ${name} (gauge|counter)$`).exec(lines[at++] ?? "") ??
      [];
    if (name === "" || type === "" || metrics.has(name)) {
      throw new Error(`Line ${at}: ${lines[at - 1]}`);
    }
    if (name.endsWith("_total") !== (type === "counter")) throw new Error(`${name} is a ${type}`);
    const values = new Map<string, number>();
    for (; at < lines.length && !lines[at]!.startsWith("#"); at++) {
      const [, sample, labels = "", value] = SAMPLE_REGEXP.exec(lines[at]!) ?? [];
      const key = labelsOf(labels);
      if (sample !== name || values.has(key)) throw new Error(`Line ${at + 1}: ${lines[at]}`);
      values.set(key, Number(value));
    }
    if (values.size === 0) throw new Error(`${name} has no value`);
    metrics.set(name, { type, help, values });
  }
  return metrics;
}

function labelsOf(text: string): string {
  const found = [...text.matchAll(LABEL_REGEXP)];
  if (found.map(([whole]) => whole).join("") !== text) throw new Error(`Invalid labels: ${text}`);
  return found.map(([, name, value = ""]) =>
    `${name}=${value.replace(/\\(.)/g, (_, character) => character === "n" ? "\n" : character)}`
  ).join(" ");
}
