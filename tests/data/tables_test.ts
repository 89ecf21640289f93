import { assert, assertEquals } from "@std/assert";
import { INVALID_CODES, NOTE_CODES, WARNING_CODES } from "../../mod.ts";
import { DEFAULT_LIMITS } from "../../src/data/limits.ts";

const ROOT = new URL("../../", import.meta.url);
const CODES = { ...INVALID_CODES, ...WARNING_CODES, ...NOTE_CODES };

function sourceText(folder: URL): string {
  return [...Deno.readDirSync(folder)].map(({ name, isDirectory }) => {
    const at = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory) return sourceText(at);
    return name === "codes.ts" ? "" : Deno.readTextFileSync(at);
  }).join("\n");
}

Deno.test("every code has a meaning without a full stop", () => {
  for (const [code, meaning] of Object.entries(CODES)) {
    assert(/^[a-z]+(-[a-z]+)*$/.test(code), code);
    assert(/^\S.*[^.\s]$/.test(meaning), `"${meaning}" ends without a full stop`);
  }
});

Deno.test("every code is used", () => {
  const text = sourceText(new URL("src/", ROOT));
  assertEquals(Object.keys(CODES).filter((code) => !text.includes(`"${code}"`)), []);
});

Deno.test("invalid codes are those of the conformance text", () => {
  assertEquals(Object.keys(INVALID_CODES), [
    ...["http-status", "network", "timeout", "redirect", "recursion", "already-visited"],
    ...["too-deep", "not-a-sitemap", "empty", "too-large", "xml-dtd", "unfetched", "blocked"],
  ]);
});

Deno.test("the doc comments of limits have the defaults of the table", () => {
  const source = Deno.readTextFileSync(new URL("src/data/limits.ts", ROOT));
  for (const name of ["maxBytes", "maxEntries"] as const) {
    const doc = ` Default: ${shown(DEFAULT_LIMITS[name])}. */\n  readonly ${name}: number;`;
    assert(source.includes(doc), doc);
  }
});

/** Formats a limit as documentation does, such as `100 MiB`. */
function shown(value: number): string {
  if (value % 1024 ** 2 === 0) return `${value / 1024 ** 2} MiB`;
  return value.toLocaleString("en");
}
