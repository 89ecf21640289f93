import { INVALID_CODES, REQUEST_CODES, WARNING_CODES } from "../../data/codes.ts";
import { suggestion } from "../../data/suggestion.ts";
import { UsageError } from "../failure.ts";

const { "mass-removal": removal, deadline, "max-sitemaps": sitemaps, "max-pages": pages } =
  WARNING_CODES;

/** Why a site of a fleet is not complete. */
export const SITE_CODES: Readonly<Record<string, string>> = {
  ...{ ...REQUEST_CODES, ...INVALID_CODES },
  ...{ "mass-removal": removal, deadline, "max-sitemaps": sitemaps, "max-pages": pages },
  maxWait: "its host asks for a longer wait than --max-wait",
  stopped: "its worker stopped again and again",
  error: "its walk failed otherwise than by an answer",
};

export function parseSiteCode(text: string): string {
  if (Object.hasOwn(SITE_CODES, text)) return text;
  throw new UsageError(
    `Unknown code "${text}"${suggestion(text, Object.keys(SITE_CODES))}`,
    '"sitetree fleet status RUN" lists the codes of a run',
  );
}
