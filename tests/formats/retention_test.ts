import { assert } from "@std/assert";
import type { RetentionAnswer } from "./retention_process.ts";

const MEGABYTE = 1_000_000;

async function answers(): Promise<RetentionAnswer[]> {
  const script = new URL("./retention_process.ts", import.meta.url).href;
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", "--v8-flags=--expose-gc", script],
    stdout: "piped",
    stderr: "piped",
  });
  const { success, stdout, stderr } = await command.output();
  assert(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("entries of a large document do not keep its chunks alive", async (t) => {
  for (const { kind, growth, text, entries } of await answers()) {
    await t.step(kind, () => {
      assert(entries > 150, `only ${entries} were kept`);
      const most = 3 * text + 5 * MEGABYTE;
      assert(growth < most, `${entries} entries of ${text} characters hold ${growth} bytes`);
    });
  }
});
