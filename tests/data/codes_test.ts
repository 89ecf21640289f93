import { assert, assertEquals } from "@std/assert";
import { INVALID_CODES, WARNING_CODES } from "../../mod.ts";

const SOURCES = new URL("../../src/", import.meta.url);

function sourceText(folder: URL): string {
  return [...Deno.readDirSync(folder)].map(({ name, isDirectory }) => {
    const at = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory) return sourceText(at);
    return name === "codes.ts" ? "" : Deno.readTextFileSync(at);
  }).join("\n");
}

Deno.test("every code has a sentence, in one manner", () => {
  for (const [code, sentence] of Object.entries({ ...INVALID_CODES, ...WARNING_CODES })) {
    assert(/^[a-z]+(-[a-z]+)*$/.test(code), code);
    assert(/^\S.*[^.\s]$/.test(sentence), `"${sentence}" ends without a full stop`);
  }
});

Deno.test("every code is used somewhere, and none is made up", () => {
  const text = sourceText(SOURCES);
  const used = (code: string) => text.includes(`"${code}"`);
  const codes = [...Object.keys(INVALID_CODES), ...Object.keys(WARNING_CODES)];
  assertEquals(codes.filter((code) => !used(code)), []);
});

Deno.test("invalid codes are those of the conformance text", () => {
  assertEquals(Object.keys(INVALID_CODES), [
    ...["http-status", "network", "timeout", "redirect", "recursion", "already-visited"],
    ...["too-deep", "not-a-sitemap", "empty", "too-large", "xml-dtd", "unfetched", "blocked"],
  ]);
});
