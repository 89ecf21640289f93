import { UrlParts } from "../../src/data/url_parts.ts";

export function partsOf(url: string): UrlParts {
  const parts = new UrlParts();
  parts.set(url);
  return parts;
}
