import { withoutPasswords } from "../data/url.ts";
import { fileReason } from "../disk/files.ts";
import { isPermissionError } from "../platform/process.ts";

/**
 * An operand cannot be read. Neither its message nor its hint has passwords of URLs.
 *
 * | code            | the operand, or its list                                       |
 * | --------------- | -------------------------------------------------------------- |
 * | `operand`       | is neither a URL, a host, a folder, a file nor a database      |
 * | `list`          | has a line that is none, or is too long; or has no line        |
 * | `folder-url`    | is a folder, and no file in it says where it is served         |
 * | `unknown-site`  | is a snapshot without the wanted site                          |
 * | `several-sites` | is a snapshot of several sites, of which one is needed         |
 * | `file`          | is a file that cannot be read, or a snapshot without a site    |
 * | `saved-walk`    | is a saved walk that is damaged                                |
 * | `permission`    | is what Deno has no permission for                             |
 * | `unreachable`   | is a site whose host cannot be connected to                    |
 */
export class SourceError extends Error {
  /** Why it cannot be read, by the table. */
  readonly code:
    | "operand"
    | "list"
    | "folder-url"
    | "unknown-site"
    | "several-sites"
    | "file"
    | "saved-walk"
    | "permission"
    | "unreachable";
  /** What to do about it, if there is something. */
  readonly hint: string | undefined;

  /** Takes the code, the message, and what to do about it. */
  constructor(code: SourceError["code"], message: string, hint?: string, options?: ErrorOptions) {
    super(withoutPasswords(message), options);
    this.name = "SourceError";
    this.code = code;
    this.hint = hint === undefined ? undefined : withoutPasswords(hint);
  }
}

/** `more` is the hint if the reason itself has none. */
export function fileError(
  verb: "read" | "write",
  path: string,
  error: unknown,
  more?: string,
): SourceError {
  const [reason, hint = more] = fileReason(verb, error);
  const code = isPermissionError(error) ? "permission" : "file";
  return new SourceError(code, `Cannot ${verb} "${path}": ${reason}`, hint, { cause: error });
}
