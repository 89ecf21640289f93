import { assertEquals } from "@std/assert";
import { partialBody, type Rest } from "../../src/http/content_range.ts";

const REST: Rest = { offset: 4, etag: '"a"', total: 10 };
const TAG = { etag: '"a"' };

/** Content-Range, other headers, and the rest that was requested; then the type and the offset. */
type Row = readonly [
  range: string | undefined,
  headers: Readonly<Record<string, string>>,
  type: string,
  offset: number | undefined,
  rest?: Rest,
];

function assertPartial([range, headers, type, offset, rest]: Row, requested?: Rest): void {
  const all = new Headers(headers);
  if (range !== undefined) all.set("content-range", range);
  const found = partialBody(all, rest ?? requested);
  assertEquals([found.type, found.offset], [type, offset]);
}

const WHOLE: Readonly<Record<string, Row>> = {
  "all bytes": ["bytes 0-9/10", {}, "whole", 0],
  "the unit in capitals": ["BYTES 0-9/10", {}, "whole", 0],
  "the unit capitalized": ["Bytes 0-9/10", {}, "whole", 0],
  "one byte": ["bytes 0-0/1", {}, "whole", 0],
  "spaces around": ["bytes  0-9/10 ", {}, "whole", 0],
  "its length": ["bytes 0-9/10", { "content-length": "10" }, "whole", 0],
  "a Content-Encoding": ["bytes 0-9/10", { "content-encoding": "gzip" }, "whole", 0],
  "more bytes than the range": ["bytes 0-9/10", { "content-length": "20" }, "part", 0],
  "fewer bytes than the range": ["bytes 0-9/10", { "content-length": "5" }, "part", 0],
  "the first bytes": ["bytes 0-4/10", {}, "part", 0],
  "an unknown total": ["bytes 0-9/*", {}, "part", 0],
  "the last bytes": ["bytes 4-9/10", {}, "part", undefined],
  "bytes from the middle": ["bytes 4-7/*", {}, "part", undefined],
  "another unit": ["items 0-9/10", {}, "part", 0],
  "no unit": ["0-9/10", {}, "part", 0],
  "an equals sign": ["bytes=0-9/10", {}, "part", 0],
  "an end before its start": ["bytes 9-4/10", {}, "part", 0],
  "an end after the total": ["bytes 0-10/10", {}, "part", 0],
  "an unsatisfied range": ["bytes */10", {}, "part", 0],
  "two ranges in one header": ["bytes 0-4/10, bytes 5-9/10", {}, "part", 0],
  "too many digits": [`bytes 0-9/1${"0".repeat(30)}`, {}, "part", 0],
  "an empty header": ["", {}, "part", 0],
  "no header": [undefined, {}, "part", 0],
  "several parts": [
    undefined,
    { "content-type": "multipart/byteranges; boundary=x" },
    "part",
    undefined,
  ],
  "several parts, with a header": [
    "bytes 0-9/10",
    { "content-type": "Multipart/Byteranges; boundary=x" },
    "part",
    undefined,
  ],
};

for (const [name, row] of Object.entries(WHOLE)) {
  Deno.test(`partialBody() finds "${row[2]}" in a request for all with ${name}`, () => {
    assertPartial(row);
  });
}

const RANGE = "bytes 4-9/10";
const RESTS: Readonly<Record<string, Row>> = {
  "the rest": [RANGE, TAG, "rest", 4],
  "the unit in capitals": ["BYTES 4-9/10", TAG, "rest", 4],
  "a total not known before": ["bytes 4-8/9", TAG, "rest", 4, { ...REST, total: undefined }],
  "its length": [RANGE, { ...TAG, "content-length": "6" }, "rest", 4],
  "identity": [RANGE, { ...TAG, "content-encoding": "identity" }, "rest", 4],
  "all bytes": ["bytes 0-9/10", TAG, "whole", 0],
  "all bytes of another body": ["bytes 0-19/20", { etag: '"b"' }, "whole", 0],
  "an earlier start": ["bytes 3-9/10", TAG, "part", undefined],
  "a later start": ["bytes 5-9/10", TAG, "part", undefined],
  "another total": ["bytes 4-19/20", TAG, "part", undefined],
  "an unknown total": ["bytes 4-9/*", TAG, "part", undefined],
  "an earlier end": ["bytes 4-7/10", TAG, "part", undefined],
  "another length": [RANGE, { ...TAG, "content-length": "7" }, "part", undefined],
  "another ETag": [RANGE, { etag: '"b"' }, "part", undefined],
  "a weak ETag": [RANGE, { etag: 'W/"a"' }, "part", undefined],
  "no ETag": [RANGE, {}, "part", undefined],
  "a Content-Encoding": [RANGE, { ...TAG, "content-encoding": "gzip" }, "part", undefined],
  "no header": [undefined, TAG, "part", 0],
};

for (const [name, row] of Object.entries(RESTS)) {
  Deno.test(`partialBody() finds "${row[2]}" in a request for the rest with ${name}`, () => {
    assertPartial(row, REST);
  });
}
