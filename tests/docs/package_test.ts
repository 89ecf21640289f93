import { assert, assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyDocuments, copyExamples, MANIFEST } from "../../tools/manifest.ts";
import { inFolder } from "../support/in_folder.ts";
import { linkTargets } from "./markdown.ts";

Deno.test("documents of a package have no dead links", async () => {
  for (const hasExamples of [true, false]) {
    await inFolder(async (folder) => {
      if (hasExamples) await copyExamples(folder);
      await copyDocuments(folder);
      const pages = [...Deno.readDirSync(join(folder, "docs"))]
        .flatMap(({ name }) => name.endsWith(".md") ? [join("docs", name)] : []);
      let links = 0;
      for (const page of ["README.md", "CHANGELOG.md", ...pages]) {
        const path = join(folder, page);
        const targets = linkTargets(await Deno.readTextFile(path))
          .filter((target) => !/^(?:[a-z]+:|#)/i.test(target))
          .map((target) => join(dirname(path), target.replace(/#.*/, "")));
        assertEquals(targets.filter((target) => !existsSync(target)), [], page);
        links += targets.length;
      }
      assert(links > 50, "links between documents are kept");
    });
  }
});

Deno.test("the manifest describes the package", () => {
  assert(MANIFEST.description.length > 20);
});
