/**
 * Recognises a site that redirects every path to one login page.
 *
 * | robots.txt, the homepage and every known path that was requested | login page |
 * | ----------------------------------------------------------------- | ---------- |
 * | redirect to `/login`, whatever the query is                        | yes        |
 * | redirect to `/start?next=<the path requested>`                     | yes        |
 * | redirect to `/start`, or to several pages                          | no         |
 * | redirect to the homepage, of `www.` or another scheme, too         | no         |
 * | redirect, except one that is answered in any other way             | no         |
 *
 * The page is HTML, or is itself refused by 401 or 403.
 *
 * @module
 */

import type { ProbeAnswer } from "./probe_answer.ts";

/**
 * Words that name a login: `/wp-login.php`, `/users/sign_in`, `/oauth2/authorize`, `?do=logIn`; not
 * `/author/`, `/signing/`, `/lesson/` or `/blogindex/`. A word ends at any other character than a
 * letter, and before a capital.
 */
const LOGIN_REGEXP =
  /login(?![a-z])|(?<![a-z])(?:log[-_]in|sign[-_]?in|o?auth(?:enticat(?:e|ion)|orize)?|sso)(?![a-z])/;

/** An answer; `isPage` if that was HTML, or a refusal by 401 or 403. */
interface JudgedAnswer {
  readonly answer: ProbeAnswer;
  readonly isPage: boolean;
}

/** Returns the login page, without its query, if the homepage was requested too. */
export function loginPage(homepage: URL, answers: readonly JudgedAnswer[]): string | undefined {
  const page = pageOf(answers[0]?.answer.redirect);
  const isWall = answers.every(({ answer: { url, redirect }, isPage }) =>
    isPage && redirect !== undefined && pageOf(redirect) === page &&
    addressOf(redirect) !== addressOf(homepage) &&
    (namesLogin(redirect) || url.href === homepage.href || hasParameter(redirect, url))
  );
  const hasHomepage = answers.some(({ answer: { url } }) => url.href === homepage.href);
  return isWall && hasHomepage ? page : undefined;
}

function pageOf(url: URL | undefined): string | undefined {
  return url && url.origin + url.pathname;
}

function addressOf({ host, pathname }: URL): string {
  return host.replace(/^www\./, "") + pathname;
}

export function namesLogin({ pathname, searchParams }: URL): boolean {
  const text = [pathname, ...[...searchParams].flat()].join(" ");
  return LOGIN_REGEXP.test(text.replace(/[a-z](?=[A-Z])/g, "$&-").toLowerCase());
}

/** Whether a parameter of a URL is the URL that was requested, or its path. */
function hasParameter({ searchParams }: URL, { origin, pathname }: URL): boolean {
  return [...searchParams.values()]
    .some((value) => URL.parse(value, origin)?.pathname === pathname);
}
