/** Uses the library on a runtime without the modules of Node, and prints what it found. @module */

import process from "node:process";

const [homepage = ""] = Deno.args;
Object.defineProperty(process, "getBuiltinModule", { value: undefined });

const { collect, walk } = await import("../../mod.ts");

const tree = await collect(walk(homepage, { useKnownPaths: false }));
const urls = [...tree.allPages()].map((page) => new URL(page.url).pathname);
let failure: unknown;
try {
  await collect([], { onDisk: true });
} catch (error) {
  failure = error;
}
console.log(JSON.stringify({ urls, failure: String(failure) }));
