/**
 * The regular expressions that the modules of `src/` build from strings.
 *
 * @module
 */

const SRC: URL = new URL("../../src/", import.meta.url);

/** Scripts of pages, which need a browser. */
const PAGES = "src/report/page/";

/** An expression, and the place where it was built. */
export interface Expression {
  readonly source: string;
  readonly flags: string;
  /** Path and line: `src/data/date.ts:225`. */
  readonly place: string;
}

/** Returns the paths of all modules. */
export function modules(folder: URL = SRC): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return modules(new URL(`${name}/`, folder));
    const path = new URL(name, folder).pathname;
    return /(?<!\.gen)\.ts$/.test(name) ? [path.slice(path.lastIndexOf("/src/") + 1)] : [];
  }).sort();
}

/**
 * Loads all modules, and returns what they build then and while `use` runs. The modules must not have
 * been loaded before.
 */
export async function builtExpressions(
  use: (load: (path: string) => Promise<Record<string, unknown>>) => Promise<void>,
): Promise<Expression[]> {
  const built: Expression[] = [];
  const Original = globalThis.RegExp;
  const record = (expression: RegExp): RegExp => {
    const place = /\/(src\/[^:?]+:\d+)/.exec(new Error().stack ?? "")?.[1];
    const { source, flags } = expression;
    if (place !== undefined) built.push({ source, flags, place });
    return expression;
  };
  globalThis.RegExp = new Proxy(Original, {
    construct: (target, args, newTarget) => record(Reflect.construct(target, args, newTarget)),
    apply: (target, self, args) => record(Reflect.apply(target, self, args)),
  });
  try {
    const load = (path: string) => import(new URL(`../${path}`, SRC).href);
    for (const path of modules()) if (!path.startsWith(PAGES)) await load(path);
    await use(load);
  } finally {
    globalThis.RegExp = Original;
  }
  return built;
}
