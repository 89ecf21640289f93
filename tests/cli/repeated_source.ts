/**
 * Runs command lines of the source, imported statically, since other imports need a permission.
 *
 * @module
 */

import { main } from "../../src/cli/main.ts";
import { runAll } from "./repeated_process.mjs";

await runAll(main);
