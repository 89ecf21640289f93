import { type ChangeFrequency, hasExtensions, type SitemapPage } from "./page.ts";

export interface StoredValues {
  /** Date at the precision that was given. */
  readonly lastmod: string | null;
  /** NULL unless given. */
  readonly priority: number | null;
  readonly changefreq: ChangeFrequency | null;
  /** JSON of news story, images, videos and alternates; NULL if there are none. */
  readonly extensions: string | null;
}

export interface PageRow extends StoredValues {
  readonly url: string;
}

export function pageRow(page: SitemapPage): PageRow {
  const { url, lastModified = null, priority = null, changeFrequency = null } = page;
  const extensions = hasExtensions(page) ? extensionsOf(page) : null;
  return { url, lastmod: lastModified, priority, changefreq: changeFrequency, extensions };
}

function extensionsOf(page: SitemapPage): string {
  const { url: _, lastModified: _date, priority: _number, changeFrequency: _word, ...extensions } =
    page;
  return JSON.stringify(extensions);
}

export function pageFromRow(url: string, values: StoredValues): SitemapPage {
  const { lastmod, priority, changefreq, extensions } = values;
  return {
    url,
    ...(lastmod !== null && { lastModified: lastmod }),
    ...(changefreq !== null && { changeFrequency: changefreq }),
    ...(priority !== null && { priority }),
    ...(extensions !== null && JSON.parse(extensions)),
  };
}
