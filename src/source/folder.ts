/**
 * Folders as sources of events: walks without the network.
 *
 * @module
 */

import { excerpt } from "../data/text.ts";
import { Folder } from "../disk/folder.ts";
import { namedOrigins, UNKNOWN_URL } from "../disk/named_origins.ts";
import type { WalkOptions } from "../walk/options.ts";
import { walkWith } from "../walk/walk.ts";
import type { Operand, Reader } from "./reader.ts";
import { fileError, SourceError } from "./source_error.ts";

const OFFLINE = {
  useHomepage: false,
  wait: 0,
  maxRetryDelay: 0,
  allowPrivateNetwork: true,
} as const;

interface FolderOptions {
  /** URL at which the folder is served. Default: the origin that its files name. */
  readonly url: string | undefined;
  /** Whether sitemaps are read only until their kind is known. */
  readonly onlyKinds: boolean;
}

export function folderOperand(
  path: string,
  { url: given, onlyKinds }: FolderOptions,
  options: WalkOptions,
): Operand {
  let folder: Folder | undefined;
  return {
    name: path,
    kind: "folder",
    get site() {
      return folder?.url;
    },
    fileOf: (url) => folder?.fileOf(url),
    async *read(reader) {
      const { hosts = "any" } = options;
      const { signal, share, pages } = reader;
      const opened = folder = openFolder(path, await servedUrl(path, given, reader));
      const walk = await reader.optionsOf(opened.url, { ...options, ...OFFLINE });
      yield* walkWith(opened.url, {
        ...walk,
        hosts,
        // known paths are those of the folder
        normalizeHomepageUrl: false,
        fetch: (input, init) => opened.fetch(input, init),
        ...(signal !== undefined && { signal }),
      }, { onlyKinds, pages, source: "folder", ...(share !== undefined && { share }) }).batches();
      if (opened.linkedOut !== undefined) {
        reader.note({ code: "linked-out", message: linkNote(opened.linkedOut) });
      }
    },
  };
}

function openFolder(path: string, url: string): Folder {
  try {
    return new Folder(path, url);
  } catch (error) {
    throw error instanceof TypeError
      ? new SourceError("operand", error.message)
      : fileError("read", path, error);
  }
}

/**
 * Returns the URL at which a folder is served, by the first absolute URL of each file that may name
 * it:
 *
 * | `url`     | URLs of the files           | result              | note                      |
 * | --------- | --------------------------- | ------------------- | ------------------------- |
 * | not given | some                        | origin of the first | the file that names it    |
 * | not given | none                        | error               |                           |
 * | given     | none, or one of its origin  | `url`               |                           |
 * | given     | all of other origins        | `url`               | the first: did you mean?  |
 */
async function servedUrl(path: string, given: string | undefined, reader: Reader): Promise<string> {
  const folder = openFolder(path, UNKNOWN_URL);
  const { origin, pathname = "/" } = URL.parse(given ?? "") ?? {};
  let first: { readonly file: string; readonly origin: string } | undefined;
  for await (const named of namedOrigins(folder)) {
    if (named.origin === origin) return given!;
    first ??= named;
    if (given === undefined) break;
  }
  if (first !== undefined) {
    const { file, origin } = first;
    const isOther = given !== undefined;
    reader.note({
      code: isOther ? "other-origin" : "served-at",
      url: origin + pathname,
      message: isOther
        ? `Reading "${path}" as ${given}, but ${file} names ${origin}/`
        : `Reading "${path}" as ${origin}/, named by ${file}`,
    });
  }
  const url = given ?? first?.origin;
  if (url !== undefined) return url;
  const reason = folder.linkedOut === undefined
    ? "no absolute URL in robots.txt, sitemap.xml or sitemap_index.xml"
    : linkNote(folder.linkedOut);
  throw new SourceError("folder-url", `Cannot tell where "${path}" is served: ${reason}`);
}

function linkNote(name: string): string {
  return `"${excerpt(name)}" is a link out of the folder, and not read`;
}
