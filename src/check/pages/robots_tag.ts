import { productToken } from "../../robots/groups.ts";

/** Rules that keep a page out of an index. */
const NOINDEX: ReadonlySet<string> = new Set(["noindex", "none"]);
/** Rules that have a value after a colon; any other name before a colon is that of a crawler. */
const VALUED: ReadonlySet<string> = new Set([
  "unavailable_after",
  "max-snippet",
  "max-image-preview",
  "max-video-preview",
]);
/** `googlebot: `, but not a part of a date such as `25-Jun-10 15:00:00`. */
const NAME_REGEXP = /^\s*(\*|[a-z][\w-]*)\s*:/i;

/**
 * Whether an `X-Robots-Tag` keeps a page out of the index of a crawler. Rules after the name of a
 * crawler are for that one, up to the next name: several headers arrive joined by commas.
 */
export function hasNoindex(header: string | null, agent: string): boolean {
  const own = productToken(agent);
  let isMeant = true;
  for (const part of (header ?? "").split(",")) {
    let rule = part;
    for (let named = NAME_REGEXP.exec(rule); named !== null; named = NAME_REGEXP.exec(rule)) {
      const name = named[1]!.toLowerCase();
      if (VALUED.has(name)) break;
      isMeant = name === "*" || name === own;
      rule = rule.slice(named[0].length);
    }
    if (isMeant && NOINDEX.has(rule.trim().toLowerCase())) return true;
  }
  return false;
}
