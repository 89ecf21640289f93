import { assert, assertEquals } from "@std/assert";
import { INVALID_CODES, NOTE_CODES, WARNING_CODES } from "../../mod.ts";

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
