import type { TreeEvent } from "../data/events.ts";
import { isHttp } from "../data/url.ts";
import { KNOWN_PATHS } from "../walk/known_paths.ts";
import { parseSitemap } from "../walk/parse_sitemap.ts";
import type { Folder } from "./folder.ts";

/** Files that may name the site of a folder, in the order in which they are read. */
const NAMING_FILES: ReadonlySet<string> = new Set([
  ...["robots.txt", "sitemap.xml", "sitemap.xml.gz", "sitemap_index.xml"],
  ...KNOWN_PATHS,
]);

/** Where a folder is served as long as nothing says where. */
export const UNKNOWN_URL = "http://folder.invalid/";

interface NamedOrigin {
  readonly file: string;
  readonly origin: string;
}

/** Yields the origin of the first absolute URL of each file that may name the site of a folder. */
export async function* namedOrigins(folder: Folder): AsyncGenerator<NamedOrigin, void, void> {
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

function addressIn(event: TreeEvent): string | undefined {
  if (event.type === "page") return event.page.url;
  return event.type === "invalid" && event.code === "unfetched" ? event.sitemap.url : undefined;
}
