/**
 * Folders as sources of events: walks without the network.
 *
 * @module
 */

import { parseSitemap, type TreeEvent } from "../../mod.ts";
import { excerpt } from "../data/text.ts";
import { isHttp } from "../data/url.ts";
import { Folder } from "../disk/folder.ts";
import { KNOWN_PATHS } from "../walk/known_paths.ts";
import { walkWith } from "../walk/walk.ts";
import type { Arguments } from "./arguments.ts";
import { fileFailure, UsageError } from "./run/failure.ts";
import type { Source } from "./run/reading.ts";
import { siteOptions, type WalkSettings } from "./site.ts";

/** Files that may name the site of a folder, in the order in which they are read. */
const NAMING_FILES: ReadonlySet<string> = new Set([
  ...["robots.txt", "sitemap.xml", "sitemap.xml.gz", "sitemap_index.xml"],
  ...KNOWN_PATHS,
]);

const UNKNOWN_URL = "http://folder.invalid/";

const OFFLINE = {
  useHomepage: false,
  wait: 0,
  maxRetryDelay: 0,
  allowPrivateNetwork: true,
} as const;

/** With `onlyKinds`, sitemaps are read only until their kind is known. */
export function folderSource(
  args: Arguments,
  path: string,
  settings: WalkSettings,
  onlyKinds: boolean,
): Source {
  let folder: Folder | undefined;
  return {
    name: path,
    get site() {
      return folder?.url;
    },
    fileOf: (url) => folder?.fileOf(url),
    async *read(reading) {
      const given = args.value("url");
      const { hosts = "any" } = settings.options;
      const { signal, share, note } = reading.context;
      const url = await servedUrl(path, given, note);
      const opened = folder = openFolder(path, url);
      const offline = { ...settings, options: { ...settings.options, ...OFFLINE } };
      const options = await siteOptions(opened.url, offline, reading);
      reading.missingAdvice = reading.noneAdvice;
      yield* walkWith(opened.url, {
        ...options,
        hosts,
        // known paths are those of the folder
        normalizeHomepageUrl: false,
        fetch: (input, init) => opened.fetch(input, init),
        signal,
      }, { share, onlyKinds, pages: reading.pages, source: "folder" }).batches();
      if (opened.linkedOut !== undefined) reading.advice.push(linkNote(opened.linkedOut));
    },
  };
}

function openFolder(path: string, url: string): Folder {
  try {
    return new Folder(path, url);
  } catch (error) {
    throw error instanceof TypeError
      ? new UsageError(error.message)
      : fileFailure("read", path, error);
  }
}

/**
 * Returns the URL at which a folder is served, by the first absolute URL of each file that may name
 * it:
 *
 * | `--url`   | URLs of the files           | result              | note                      |
 * | --------- | --------------------------- | ------------------- | ------------------------- |
 * | not given | some                        | origin of the first | the file that names it    |
 * | not given | none                        | error               |                           |
 * | given     | none, or one of its origin  | `--url`             |                           |
 * | given     | all of other origins        | `--url`             | the first: did you mean?  |
 */
async function servedUrl(
  path: string,
  given: string | undefined,
  note: (line: string) => void,
): Promise<string> {
  const folder = openFolder(path, UNKNOWN_URL);
  const { origin, pathname = "/" } = URL.parse(given ?? "") ?? {};
  let first: NamedUrl | undefined;
  for await (const named of namedUrls(folder)) {
    if (named.origin === origin) return given!;
    first ??= named;
    if (given === undefined) break;
  }
  if (first !== undefined && given !== undefined) {
    note(
      `Reading "${path}" as ${given}, but ${first.file} names ${first.origin}/: did you mean ` +
        `--url ${first.origin}${pathname}?`,
    );
  } else if (first !== undefined) {
    note(`Reading "${path}" as ${first.origin}/, named by ${first.file}; --url names another`);
  }
  const url = given ?? first?.origin;
  if (url !== undefined) return url;
  const reason = folder.linkedOut === undefined
    ? "no absolute URL in robots.txt, sitemap.xml or sitemap_index.xml"
    : linkNote(folder.linkedOut);
  throw new UsageError(
    `Cannot tell where "${path}" is served: ${reason}; name it by --url, such as ` +
      "--url https://example.com/",
  );
}

interface NamedUrl {
  readonly file: string;
  readonly origin: string;
}

async function* namedUrls(folder: Folder): AsyncGenerator<NamedUrl, void, void> {
  for (const file of NAMING_FILES) {
    const response = await folder.fetch(UNKNOWN_URL + file);
    if (!response.ok) continue;
    for await (const event of parseSitemap(response, { url: UNKNOWN_URL + file })) {
      const url = URL.parse(addressIn(event) ?? "");
      if (url === null || !isHttp(url) || url.origin === folder.url.origin) continue;
      yield { file, origin: url.origin };
      break;
    }
  }
}

function linkNote(name: string): string {
  return `"${excerpt(name)}" is a link out of the folder, and not read`;
}

function addressIn(event: TreeEvent): string | undefined {
  if (event.type === "page") return event.page.url;
  return event.type === "invalid" && event.code === "unfetched" ? event.sitemap.url : undefined;
}
