import { assertEquals, assertThrows } from "@std/assert";
import { hasCode, percentage, ranges, readLcov } from "./lcov.ts";

const REPORT = `SF:/repo/src/a.ts
FNF:0
DA:1,1
DA:2,0
DA:3,0
DA:7,0
LH:1
LF:4
end_of_record
SF:/repo/src/b.ts
DA:1,5
end_of_record
SF:/repo/src/a.ts
DA:2,1
end_of_record
`;

Deno.test("readLcov() returns covered and missed lines, merged per file", () => {
  assertEquals(readLcov(REPORT), [
    { path: "/repo/src/a.ts", lines: 4, covered: 2, missed: [3, 7] },
    { path: "/repo/src/b.ts", lines: 1, covered: 1, missed: [] },
  ]);
  assertThrows(() => readLcov("DA:1,1"), SyntaxError, 'Cannot read the line "DA:1,1"');
});

Deno.test("percentage() weighs files by lines and is 0 without lines", () => {
  assertEquals(percentage(readLcov(REPORT)), 60);
  assertEquals(percentage([]), 0);
});

Deno.test("hasCode() is false for files with only types", () => {
  assertEquals(hasCode("/** const a = 1; */\nexport type A = 1;\nexport interface B {}\n"), false);
  assertEquals(hasCode('export { a } from "./a.ts";\n// const b = 1;\n'), false);
  assertEquals(hasCode("export const A = 1;\n"), true);
  assertEquals(hasCode("async function a() {}\n"), true);
  assertEquals(hasCode("export class A {}\n"), true);
});

Deno.test("ranges() merges adjacent lines", () => {
  assertEquals(ranges([]), "");
  assertEquals(ranges([3]), "3");
  assertEquals(ranges([1, 2, 3, 7, 9, 10]), "1-3, 7, 9-10");
});
