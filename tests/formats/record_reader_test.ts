import { assertEquals } from "@std/assert";
import { Families } from "../../src/formats/families.ts";
import type { ElementSpec, RecordFormat, Warn } from "../../src/formats/record_format.ts";
import { RecordReader } from "../../src/formats/record_reader.ts";
import type { XmlElement, XmlName } from "../../src/xml/element.ts";
import { XmlTokenizer } from "../../src/xml/tokenizer.ts";

/** A draft that notes all that happens to it. */
type Draft = string[];

function noted(name: string): ElementSpec<Draft> {
  return { value: (draft, value) => void draft.push(`${name}=${value}`) };
}

/** Takes digits by their bytes, and nothing else. */
function bytesNoted(draft: Draft, view: DataView, start: number, end: number): boolean {
  const codes = Array.from({ length: end - start }, (_, at) => view.getUint8(start + at));
  const isNumber = codes.every((code) => code >= 0x30 && code <= 0x39);
  if (isNumber) draft.push(`bytes=${String.fromCharCode(...codes)}`);
  return isNumber;
}

const BOX: ElementSpec<Draft> = {
  open: (draft, { attributes }) => void draft.push(`<${attributes.get("id") ?? ""}`),
  children: new Map([["own:name", noted("box name")], ["image:name", noted("image name")]]),
  close: (draft) => void draft.push(">"),
};

const FORMAT: Omit<RecordFormat<Draft>, "finish"> = {
  table: new Map<string, ElementSpec<Draft>>([
    ["own:list", {
      children: new Map<string, ElementSpec<Draft>>([["own:record", {
        entry: true,
        children: new Map<string, ElementSpec<Draft>>([
          ["own:name", noted("name")],
          ["own:text", { ...noted("text"), markup: true }],
          ["own:late", { ...noted("late"), wants: (draft) => draft.length === 0 }],
          ["own:box", BOX],
          ["own:bytes", { ...noted("text"), bytes: bytesNoted }],
          ["own:bad", { value: (_draft, value, _element, warn) => warn("bad-date", value) }],
        ]),
      }]]),
    }],
  ]),
  tellsMisplaced: true,
  draft: () => [],
};

interface Options {
  readonly maxValueLength?: number;
  readonly tellsMisplaced?: boolean;
}

/** What becomes of a document, in chunks between `|`: the drafts of its records, and in their order what was told. */
function recordsOf(xml: string, { maxValueLength = 100, tellsMisplaced = true }: Options = {}) {
  const told: unknown[] = [];
  const warn: Warn = (code, message) => void told.push(`${code}: ${message}`);
  const families = new Families({ prefix: "", uri: "" }, []);
  const format: RecordFormat<Draft> = {
    ...FORMAT,
    tellsMisplaced,
    finish: (draft) => void told.push(draft),
  };
  const bytes = () => tokenizer.bytes;
  const reader = new RecordReader(format, families, warn, maxValueLength, bytes);
  const tokenizer: XmlTokenizer = new XmlTokenizer({
    open: (element: XmlElement, depth: number) => depth > 1 && reader.open(element, depth),
    text: (text: string, place: number) => reader.text(text, place),
    close: (_name: XmlName, depth: number) => depth > 1 && reader.close(depth),
    fault: (code) => code === "value-too-long" && reader.inEntry && reader.overlong(),
    closesBefore: (name: XmlName, uri: string | undefined) => reader.closesBefore(name, uri),
  }, { maxValueLength });
  for (const chunk of xml.split("|")) {
    reader.leaveChunk();
    tokenizer.write(chunk);
  }
  tokenizer.end();
  return told;
}

/** What becomes of one record with this in it. */
function recordOf(content: string, options?: Options): unknown[] {
  return recordsOf(`<root><list><record>${content}</record></list></root>`, options);
}

Deno.test("RecordReader takes the values of a record, trimmed, in their order", () => {
  assertEquals(recordOf("<name> a\n</name> x <name>b</name><Name>c</Name>"), [
    ["name=a", "name=b", "name=c"],
  ]);
  assertEquals(recordOf("<name></name><name> \xa0\x85</name><name/>"), [[]], "empty ones are none");
});

Deno.test("RecordReader begins each record anew", () => {
  const xml = "<root><list><record><name>a</name></record><record/><record><name>b</name></record>";
  assertEquals(recordsOf(xml), [["name=a"], [], ["name=b"]]);
});

Deno.test("RecordReader drops a record that never ends", () => {
  assertEquals(recordsOf("<root><list><record><name>a</name>"), []);
});

Deno.test("RecordReader knows elements inside others, and tells where they begin and end", () => {
  assertEquals(recordOf('<box id="1"><name>a</name></box><name>b</name><box/>'), [
    ["<1", "box name=a", ">", "name=b", "<", ">"],
  ]);
});

Deno.test("RecordReader skips unknown elements with all that is in them", () => {
  assertEquals(
    recordOf("<name>a<b>c<name>d</name></b>e</name><f:f><name>g</name></f:f>", {
      tellsMisplaced: false,
    }),
    [["name=ae"]],
  );
});

Deno.test("RecordReader takes the text of elements inside where the format says so", () => {
  assertEquals(recordOf("<text>a <b>c <i>d</i></b> e</text>", { tellsMisplaced: false }), [
    ["text=a c d e"],
  ]);
});

Deno.test("RecordReader leaves text alone that is of no use any more", () => {
  assertEquals(recordOf("<late>a</late><late>b</late><name>c</name>"), [["late=a", "name=c"]]);
});

Deno.test("RecordReader takes values by their bytes where they stand in one chunk of ASCII", () => {
  const told = (content: string) => recordOf(`${content}<!--${"x".repeat(1024)}-->`);
  assertEquals(told("<bytes>123</bytes>"), [["bytes=123"]]);
  assertEquals(told("<bytes><![CDATA[123]]></bytes>"), [["bytes=123"]]);
  assertEquals(told("<bytes>1<q:x/></bytes>"), [["bytes=1"]]);
  const others = ["<bytes>a</bytes>", "<bytes> 1 </bytes>", "<bytes>&#49;</bytes>"];
  assertEquals(others.map((content) => told(content)[0]), [["text=a"], ["text=1"], ["text=1"]]);
  assertEquals(told("<bytes>1<!-- -->2</bytes>"), [["text=12"]], "in two pieces");
  assertEquals(told("<bytes>12|3</bytes>"), [["text=123"]], "in two chunks");
  assertEquals(told("<bytes>123|</bytes>"), [["text=123"]], "in a chunk that is gone");
  assertEquals(told("<name>é</name><bytes>123</bytes>"), [["name=é", "text=123"]]);
  assertEquals(told("<bytes>1</bytes><bytes></bytes>"), [["bytes=1"]]);
});

Deno.test("RecordReader counts values taken by their bytes as it counts others", () => {
  const many = (value: string) =>
    recordsOf(
      `<root><list><record>${`<bytes>${value}</bytes>`.repeat(120_000)}</record></list></root>`,
    );
  assertEquals([many("1".repeat(10)), many("a".repeat(10))], [
    ["value-too-long: Entry with an overlong value left out"],
    ["value-too-long: Entry with an overlong value left out"],
  ]);
});

Deno.test("RecordReader hands on what a value tells", () => {
  assertEquals(recordOf("<bad>x</bad>"), ["bad-date: x", []]);
});

Deno.test("RecordReader tells own elements that do not belong where they stand", () => {
  const misplaced = (name: string) => `misplaced-element: Element "${name}" does not belong here`;
  assertEquals(recordOf("<list/><nobody/><image:name/>"), [
    ...["list", "nobody", "image:name"].map(misplaced),
    [],
  ]);
  assertEquals(recordOf("<image:other/><foreign:name/>"), [[]], "what others add is not told");
  assertEquals(recordsOf("<root><name>a</name><list><x/></list></root>"), [
    misplaced("name"),
    misplaced("x"),
  ]);
});

Deno.test("RecordReader ends a record where the next begins", () => {
  const told = (name: string) =>
    `unclosed-entry: Entry "${name}" begins before the one before it ends`;
  assertEquals(
    recordsOf("<root><list><record><name>a</name><record><name>b<Record><name>c</record></list>"),
    [told("record"), ["name=a"], told("Record"), ["name=b"], ["name=c"]],
  );
  // inside of what is skipped nothing begins
  assertEquals(recordOf("<f:f><record><name>a</name></record></f:f><name>b</name>"), [["name=b"]]);
  assertEquals(recordsOf("<root><record><name>a</name></record></root>").length, 1);
});

Deno.test("RecordReader drops a record with an overlong value, and only that", () => {
  const left = "value-too-long: Entry with an overlong value left out";
  const xml = (value: string) =>
    `<root><list><record><name>${value}</name><bad>b</bad></record><record><name>c</name></record>`;
  assertEquals(recordsOf(xml("x".repeat(10)), { maxValueLength: 10 }), [
    "bad-date: b",
    [`name=${"x".repeat(10)}`],
    ["name=c"],
  ]);
  assertEquals(recordsOf(xml("x".repeat(11)), { maxValueLength: 10 }), [left, ["name=c"]]);
  // in pieces, none of which is too long
  assertEquals(recordsOf(xml("xxxxx<!-- -->xxxxxx<b/>x"), { maxValueLength: 10 }).slice(-2), [
    left,
    ["name=c"],
  ]);
  assertEquals(recordOf(`<box id="${"x".repeat(11)}"/>`, { maxValueLength: 10 }), [left]);
});

Deno.test("RecordReader drops a record that gathers too much, and goes on with the next", () => {
  const left = "value-too-long: Entry with an overlong value left out";
  const unclosed = 'unclosed-entry: Entry "record" begins before the one before it ends';
  const many = "<box/>".repeat(140_000);
  assertEquals(recordsOf(`<root><list><record>${many}</record><record/></list>`), [left, []]);
  assertEquals(recordsOf(`<root><list><record>${many}<record/></list>`), [unclosed, left, []]);
  const long = `<box id="${"x".repeat(1000)}"/>`.repeat(10_000);
  assertEquals(recordsOf(`<root><list><record>${long}</record>`, { maxValueLength: 2000 }), [left]);
  const values = `<name>${"x".repeat(10_000)}</name>`.repeat(1000);
  assertEquals(recordOf(values, { maxValueLength: 10_000 }), [left]);
  const some = recordOf("<box/>".repeat(1000));
  assertEquals((some[0] as Draft).length, 2000);
});

Deno.test("RecordReader knows more names than it remembers, in any namespace", () => {
  let content = "";
  for (let number = 0; number < 1500; number++) content += `<f:n${number}/>`;
  const long = "n".repeat(300);
  content += `<${long}:x/><name>a</name><name xmlns="urn:x">b</name><name>c</name>`;
  assertEquals(recordOf(content), [["name=a", "name=c"]]);
});
