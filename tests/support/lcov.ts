/** Line coverage by file, read from an lcov report. @module */

export interface FileCoverage {
  /** Path of the file as the report gives it. */
  readonly path: string;
  /** Lines that hold code. */
  readonly lines: number;
  readonly covered: number;
  /** Numbers of the lines that did not run. */
  readonly missed: readonly number[];
}

/** Reads an lcov report, merging repeated entries of a file. */
export function readLcov(report: string): FileCoverage[] {
  const files = new Map<string, Map<number, number>>();
  let current: Map<number, number> | undefined;
  for (const line of report.split(/\r?\n/)) {
    if (line.startsWith("SF:")) {
      const path = line.slice(3);
      current = files.get(path) ?? new Map();
      files.set(path, current);
    } else if (line.startsWith("DA:")) {
      const [number, count] = line.slice(3).split(",").map(Number);
      if (current === undefined || number === undefined || count === undefined) {
        throw new SyntaxError(`Cannot read the line "${line}" of the coverage report`);
      }
      current.set(number, (current.get(number) ?? 0) + count);
    } else if (line === "end_of_record") current = undefined;
  }
  return [...files].map(([path, hits]) => {
    const missed = [...hits].filter(([, count]) => count === 0).map(([number]) => number);
    missed.sort((a, b) => a - b);
    return { path, lines: hits.size, covered: hits.size - missed.length, missed };
  });
}

/** Covered lines of all files in percent; 0 without lines. */
export function percentage(files: Iterable<Pick<FileCoverage, "lines" | "covered">>): number {
  let lines = 0;
  let covered = 0;
  for (const file of files) {
    lines += file.lines;
    covered += file.covered;
  }
  return lines === 0 ? 0 : covered / lines * 100;
}

/** Whether a source has code: files with only types are never in a report. */
export function hasCode(source: string): boolean {
  const code = source.replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "");
  return /^(?:export\s+)?(?:default\s+)?(?:async\s+|abstract\s+)?(?:function|class|const|let|var)\b/m
    .test(code);
}

/** Line numbers as ranges: `3-5, 9`. */
export function ranges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let start = 0; start < numbers.length;) {
    let end = start;
    while (numbers[end + 1] === numbers[end]! + 1) end++;
    parts.push(end > start ? `${numbers[start]}-${numbers[end]}` : `${numbers[start]}`);
    start = end + 1;
  }
  return parts.join(", ");
}
