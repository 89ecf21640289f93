import { assertEquals } from "@std/assert";
import { partialBody, type Rest } from "../../src/http/content_range.ts";

const REST: Rest = { offset: 4, etag: '"a"', total: 10 };
const TAG = { etag: '"a"' };

interface Case {
  readonly range?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly rest?: Rest;
}

type Result = readonly [type: string, offset: number | undefined];

function result({ range, headers = {}, rest }: Case): Result {
  const all = new Headers(headers);
  if (range !== undefined) all.set("content-range", range);
  const { type, offset } = partialBody(all, rest);
  return [type, offset];
}

const WHOLE: Readonly<Record<string, readonly [Case, Result]>> = {
  "all bytes": [{ range: "bytes 0-9/10" }, ["whole", 0]],
  "the unit in capitals": [{ range: "BYTES 0-9/10" }, ["whole", 0]],
  "the unit capitalized": [{ range: "Bytes 0-9/10" }, ["whole", 0]],
  "one byte": [{ range: "bytes 0-0/1" }, ["whole", 0]],
  "spaces around": [{ range: "bytes  0-9/10 " }, ["whole", 0]],
  "its length": [{ range: "bytes 0-9/10", headers: { "content-length": "10" } }, ["whole", 0]],
  "a Content-Encoding": [
    { range: "bytes 0-9/10", headers: { "content-encoding": "gzip" } },
    ["whole", 0],
  ],
  "more bytes than the range": [
    { range: "bytes 0-9/10", headers: { "content-length": "20" } },
    ["part", 0],
  ],
  "fewer bytes than the range": [
    { range: "bytes 0-9/10", headers: { "content-length": "5" } },
    ["part", 0],
  ],
  "the first bytes": [{ range: "bytes 0-4/10" }, ["part", 0]],
  "an unknown total": [{ range: "bytes 0-9/*" }, ["part", 0]],
  "the last bytes": [{ range: "bytes 4-9/10" }, ["part", undefined]],
  "bytes from the middle": [{ range: "bytes 4-7/*" }, ["part", undefined]],
  "another unit": [{ range: "items 0-9/10" }, ["part", 0]],
  "no unit": [{ range: "0-9/10" }, ["part", 0]],
  "an equals sign": [{ range: "bytes=0-9/10" }, ["part", 0]],
  "an end before its start": [{ range: "bytes 9-4/10" }, ["part", 0]],
  "an end after the total": [{ range: "bytes 0-10/10" }, ["part", 0]],
  "an unsatisfied range": [{ range: "bytes */10" }, ["part", 0]],
  "two ranges in one header": [{ range: "bytes 0-4/10, bytes 5-9/10" }, ["part", 0]],
  "too many digits": [{ range: `bytes 0-9/1${"0".repeat(30)}` }, ["part", 0]],
  "an empty header": [{ range: "" }, ["part", 0]],
  "no header": [{}, ["part", 0]],
  "several parts": [
    { headers: { "content-type": "multipart/byteranges; boundary=x" } },
    ["part", undefined],
  ],
  "several parts, with a header": [
    { range: "bytes 0-9/10", headers: { "content-type": "Multipart/Byteranges; boundary=x" } },
    ["part", undefined],
  ],
};

for (const [name, [given, expected]] of Object.entries(WHOLE)) {
  Deno.test(`partialBody() finds "${expected[0]}" in a request for all with ${name}`, () => {
    assertEquals(result(given), expected);
  });
}

const RANGE = "bytes 4-9/10";
const RESTS: Readonly<Record<string, readonly [Case, Result]>> = {
  "the rest": [{ range: RANGE, headers: TAG }, ["rest", 4]],
  "the unit in capitals": [{ range: "BYTES 4-9/10", headers: TAG }, ["rest", 4]],
  "a total not known before": [
    { range: "bytes 4-8/9", headers: TAG, rest: { ...REST, total: undefined } },
    ["rest", 4],
  ],
  "its length": [{ range: RANGE, headers: { ...TAG, "content-length": "6" } }, ["rest", 4]],
  "identity": [{ range: RANGE, headers: { ...TAG, "content-encoding": "identity" } }, ["rest", 4]],
  "all bytes": [{ range: "bytes 0-9/10", headers: TAG }, ["whole", 0]],
  "all bytes of another body": [{ range: "bytes 0-19/20", headers: { etag: '"b"' } }, ["whole", 0]],
  "an earlier start": [{ range: "bytes 3-9/10", headers: TAG }, ["part", undefined]],
  "a later start": [{ range: "bytes 5-9/10", headers: TAG }, ["part", undefined]],
  "another total": [{ range: "bytes 4-19/20", headers: TAG }, ["part", undefined]],
  "an unknown total": [{ range: "bytes 4-9/*", headers: TAG }, ["part", undefined]],
  "an earlier end": [{ range: "bytes 4-7/10", headers: TAG }, ["part", undefined]],
  "another length": [
    { range: RANGE, headers: { ...TAG, "content-length": "7" } },
    ["part", undefined],
  ],
  "another ETag": [{ range: RANGE, headers: { etag: '"b"' } }, ["part", undefined]],
  "a weak ETag": [{ range: RANGE, headers: { etag: 'W/"a"' } }, ["part", undefined]],
  "no ETag": [{ range: RANGE }, ["part", undefined]],
  "a Content-Encoding": [
    { range: RANGE, headers: { ...TAG, "content-encoding": "gzip" } },
    ["part", undefined],
  ],
  "no header": [{ headers: TAG }, ["part", 0]],
};

for (const [name, [given, expected]] of Object.entries(RESTS)) {
  Deno.test(`partialBody() finds "${expected[0]}" in a request for the rest with ${name}`, () => {
    assertEquals(result({ rest: REST, ...given }), expected);
  });
}
