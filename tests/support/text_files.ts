/** Texts of this repository that people read: code, tests, tools and documentation. @module */

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = ["src", "tests", "tools", "docs"];
const EXTENSIONS = [".ts", ".js", ".mjs", ".py", ".md", ".html"];
/** Documents of others. */
const EXCLUDED = ["tests/fuzz/w3c"];

/** A file with its path from the root of the repository. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export function textFiles(): TextFile[] {
  const top = [...Deno.readDirSync(ROOT)]
    .filter(({ name, isFile }) =>
      isFile && EXTENSIONS.some((extension) => name.endsWith(extension))
    )
    .map(({ name }) => name);
  return [...top, ...FOLDERS.flatMap(pathsBelow)]
    .map((path) => ({ path, text: Deno.readTextFileSync(new URL(path, ROOT)) }));
}

function pathsBelow(folder: string): string[] {
  if (EXCLUDED.includes(folder)) return [];
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return name === "node_modules" ? [] : pathsBelow(path);
    return EXTENSIONS.some((extension) => name.endsWith(extension)) ? [path] : [];
  });
}
