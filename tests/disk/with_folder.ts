/** Temporary folders of files. @module */

import { dirname } from "node:path";
import { inFolder } from "../support/in_folder.ts";

/** Files by their path from the folder: their content, or the target of a symbolic link. */
export type Files = Readonly<Record<string, string | Uint8Array | { readonly link: string }>>;

/** Creates a folder with files for the time of a test; the path has no symbolic links. */
export function withFolder(
  files: Files,
  test: (folder: string) => void | Promise<void>,
): Promise<void> {
  return inFolder(async (created) => {
    const folder = await Deno.realPath(created);
    await writeFiles(folder, files);
    await test(folder);
  });
}

export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = `${folder}/${name}`;
    await Deno.mkdir(dirname(path), { recursive: true });
    if (typeof content === "string") await Deno.writeTextFile(path, content);
    else if (content instanceof Uint8Array) await Deno.writeFile(path, content);
    else await Deno.symlink(content.link.replace("{{folder}}", folder), path);
  }
}
