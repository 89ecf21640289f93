/** Validates what was written with `xmllint`, against the schemas in `schemas/`. @module */

import { assertEquals } from "@std/assert";

/** The schemas: any pages, and the protocol without extensions. */
export type SchemaName = "urlset" | "sitemap";

const SCHEMAS = new URL("schemas/", import.meta.url).pathname;

function findXmllint(): boolean {
  try {
    return new Deno.Command("xmllint", { args: ["--version"], stderr: "null" }).outputSync()
      .success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

const IS_HERE: boolean = findXmllint();

/** Whether `xmllint` is here; says so where it is not. */
export function hasXmllint(): boolean {
  if (!IS_HERE) console.log("skipped: xmllint (Debian's libxml2-utils) is not here");
  return IS_HERE;
}

export async function schemaErrors(
  schema: SchemaName,
  documents: readonly string[],
): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    const paths = documents.map((_, number) => `${folder}/${number}.xml`);
    for (const [number, document] of documents.entries()) {
      await Deno.writeTextFile(paths[number]!, document);
    }
    const { code, stdout, stderr } = await new Deno.Command("xmllint", {
      // `--nonet`: whatever a document names, nothing is fetched.
      args: ["--noout", "--nonet", "--schema", `${SCHEMAS}${schema}.xsd`, ...paths],
    }).output();
    assertEquals(new TextDecoder().decode(stdout), "");
    const said = new TextDecoder().decode(stderr).replaceAll(`${folder}/`, "");
    const complaints = said.split("\n").filter((line) => !/^(?:\d+\.xml validates)?$/.test(line));
    assertEquals(complaints.length === 0, code === 0, said);
    return complaints.join("\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

export async function assertValid(
  schema: SchemaName,
  documents: readonly string[],
): Promise<void> {
  assertEquals(await schemaErrors(schema, documents), "");
}
