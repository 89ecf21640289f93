/**
 * A worker that runs the checks against the origin in the query.
 *
 * @module
 */

import { conformance, smoke } from "./web.ts";

const CHECKS = { "/conformance": conformance, "/smoke": smoke };

/** Answers with the results of the checks that the path names. */
const worker: { fetch(request: Request): Promise<Response> } = {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const run = CHECKS[pathname as keyof typeof CHECKS];
    return Response.json(await run(searchParams.get("origin")!));
  },
};

export default worker;
