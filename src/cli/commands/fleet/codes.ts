import { INVALID_CODES, REQUEST_CODES, WARNING_CODES } from "../../../data/codes.ts";
import { nameOf } from "../../values.ts";

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

export const parseSiteCode: (text: string) => string = nameOf(
  "code",
  Object.keys(SITE_CODES),
  '"sitetree fleet status RUN" lists the codes of a run',
);
