import { assertEquals } from "@std/assert";
import { ByteInput } from "../../src/bytes/gunzip.ts";
import { type ByteSource, sourceOf } from "../../src/bytes/byte_source.ts";
import { chunked } from "../support/chunked.ts";
import { bytesOf, concatenated } from "./read_all.ts";

const SIZES = [1, 7, Infinity];

function inputOf(text: string, size: number): ByteInput {
  return new ByteInput(sourceOf(chunked(bytesOf(text), size)));
}

async function restOf(input: ByteInput): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await input.chunk(); chunk; chunk = await input.chunk()) chunks.push(chunk);
  return new TextDecoder().decode(concatenated(...chunks));
}

Deno.test("take() gives as many bytes as are asked for, or as there are", async () => {
  for (const size of SIZES) {
    const input = inputOf("abcdefghij", size);
    assertEquals(await input.take(0), bytesOf(""));
    assertEquals(await input.take(3), bytesOf("abc"));
    assertEquals(await input.take(5), bytesOf("defgh"));
    assertEquals(await input.take(3), bytesOf("ij"));
    assertEquals(await input.take(1), bytesOf(""));
  }
});

Deno.test("skip() leaves out bytes and tells whether there were enough", async () => {
  for (const size of SIZES) {
    const input = inputOf("abcdefghij", size);
    assertEquals(await input.skip(0), true);
    assertEquals(await input.skip(9), true);
    assertEquals(await input.take(1), bytesOf("j"));
    assertEquals(await inputOf("abc", size).skip(3), true);
    assertEquals(await inputOf("abc", size).skip(4), false);
  }
});

Deno.test("skipPast() leaves out everything through a byte", async () => {
  for (const size of SIZES) {
    const input = inputOf("a long name\0\0rest", size);
    assertEquals(await input.skipPast(0), true);
    assertEquals(await input.skipPast(0), true);
    assertEquals(await restOf(input), "rest");
    assertEquals(await inputOf("no end", size).skipPast(0), false);
  }
});

Deno.test("skipAll() leaves out every such byte and tells whether others follow", async () => {
  for (const size of SIZES) {
    const input = inputOf("\0\0\0\0\0\0\0\0\0a\0", size);
    assertEquals(await input.skipAll(0), true);
    assertEquals(await restOf(input), "a\0");
    assertEquals(await inputOf("\0\0\0", size).skipAll(0), false);
    assertEquals(await inputOf("", size).skipAll(0), false);
  }
});

Deno.test("unread() puts bytes before those at hand", async () => {
  for (const size of SIZES) {
    const input = inputOf("cdefghijklm", size);
    input.unread(bytesOf("b"));
    input.unread(bytesOf("a"));
    assertEquals(await restOf(input), "abcdefghijklm");
  }
});

Deno.test("cancel() drops the bytes at hand and cancels the source", async () => {
  const reasons: unknown[] = [];
  const source: ByteSource = {
    read: () => Promise.resolve(undefined),
    cancel: (reason) => void reasons.push(reason),
  };
  const input = new ByteInput(source);
  input.unread(bytesOf("abc"));
  input.cancel("enough");
  assertEquals(await input.chunk(), undefined);
  assertEquals(reasons, ["enough"]);
});
