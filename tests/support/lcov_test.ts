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

Deno.test("readLcov() gives covered and missed lines, parts of one file taken together", () => {
  assertEquals(readLcov(REPORT), [
    { path: "/repo/src/a.ts", lines: 4, covered: 2, missed: [3, 7] },
    { path: "/repo/src/b.ts", lines: 1, covered: 1, missed: [] },
  ]);
  assertThrows(() => readLcov("DA:1,1"), SyntaxError, 'Cannot read the line "DA:1,1"');
});

Deno.test("percentage() weighs files by their lines, and nothing is not everything", () => {
  assertEquals(percentage(readLcov(REPORT)), 60);
  assertEquals(percentage([]), 0);
});

Deno.test("hasCode() tells a file of types from one that must be covered", () => {
  assertEquals(hasCode("/** const a = 1; */\nexport type A = 1;\nexport interface B {}\n"), false);
  assertEquals(hasCode('export { a } from "./a.ts";\n// const b = 1;\n'), false);
  assertEquals(hasCode("export const A = 1;\n"), true);
  assertEquals(hasCode("async function a() {}\n"), true);
  assertEquals(hasCode("export class A {}\n"), true);
});

Deno.test("ranges() writes neighbours as one", () => {
  assertEquals(ranges([]), "");
  assertEquals(ranges([3]), "3");
  assertEquals(ranges([1, 2, 3, 7, 9, 10]), "1-3, 7, 9-10");
});
