import { assertEquals } from "@std/assert";
import { bodyFailure } from "../../src/http/failure.ts";

/** Returns an error of Node's `fetch`. */
function node(code: string, message = ""): Error {
  return new TypeError("terminated", { cause: Object.assign(new Error(message), { code }) });
}

/** Returns an error of Bun's `fetch`, whose URL contains words of other reasons. */
function bun(code: string): Error {
  const url = "https://x.test/certificate/timeout.xml.gz";
  const hint = "For more information, pass `verbose: true` in the second argument to fetch()";
  return Object.assign(new TypeError(`${code} fetching "${url}". ${hint}`), { code });
}

/** Errors of bodies, as runtimes throw them, by the code that is reported. */
const ERRORS: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  "content-encoding": {
    "Deno": [
      new TypeError("Invalid gzip header"),
      new TypeError("brotli error"),
      new TypeError("CRC computed does not match"),
    ],
    "Node": [
      node("Z_DATA_ERROR", "incorrect header check"),
      node("Z_DATA_ERROR", "invalid block type"),
      node("ERR__ERROR_FORMAT_RESERVED", "Decompression failed"),
      node("ZSTD_error_prefix_unknown", "Unknown frame descriptor"),
    ],
    "Bun": [bun("ZlibError"), bun("BrotliDecompressionError"), bun("ZstdDecompressionError")],
    "workerd": [
      new TypeError("Gzip decompression failed."),
      new TypeError("Brotli decompression failed."),
    ],
    "another fetch": [new TypeError("error decoding response body")],
  },
  "truncated": {
    "Deno": [
      new TypeError("error reading a body from connection"),
      new TypeError("unexpected end of file"),
    ],
    "Node": [node("UND_ERR_RES_CONTENT_LENGTH_MISMATCH"), node("Z_BUF_ERROR")],
    "workerd": [
      new Error("Network connection lost."),
      new TypeError("Gzip compressed stream ended prematurely."),
      new TypeError("Brotli compressed stream ended prematurely."),
    ],
    "Chromium": [new TypeError("network error")],
  },
  "connection-reset": {
    "Node": [node("UND_ERR_SOCKET", "other side closed"), node("ECONNRESET")],
    "Bun": [
      Object.assign(new TypeError("ECONNRESET: The socket connection was closed unexpectedly."), {
        code: "ECONNRESET",
      }),
    ],
  },
};

for (const [code, runtimes] of Object.entries(ERRORS)) {
  Deno.test(`bodyFailure() tells ${code} by the errors of each runtime`, () => {
    for (const [runtime, errors] of Object.entries(runtimes)) {
      for (const error of errors) {
        assertEquals(bodyFailure(error).code, code, `${runtime}: ${error}`);
      }
    }
  });
}
