import { assert, assertEquals } from "@std/assert";
import type { W3cReport } from "./w3c/report.ts";

const PROGRAM = new URL("w3c/run.ts", import.meta.url);
const CONFIGURATION = new URL("w3c/deno.json", import.meta.url);

Deno.test("XmlTokenizer agrees with saxes on the W3C conformance suite", async () => {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    // a separate process: the suite has two hundred packages that stay out of the lock file
    args: ["run", "--allow-read", "--config", CONFIGURATION.pathname, PROGRAM.href],
    stdout: "piped",
    stderr: "inherit",
  }).output();
  assert(success);
  const report: W3cReport = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(report.mismatches, []);
  const { version, mismatches: _, ...counts } = report;
  console.log(`XML conformance suite ${version}`, counts);
  assertEquals(report.cases, 2585);
  assert(report.equal >= 150, "documents without DTD were compared");
  assert(report.refused >= 800, "documents with an internal subset were refused");
  assert(report.illFormed >= 1300, "documents that are not well-formed were read");
});
