import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { bodyReader, BufferPool } from "../../src/http/body.ts";
import { bytes, textOf } from "./scripted_fetch.ts";

/** Returns a byte stream of these pieces, as in a response of `fetch`. */
function byteStream(...pieces: (string | Error)[]): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      const piece = pieces[at++];
      if (piece === undefined) {
        controller.close();
        controller.byobRequest?.respond(0);
      } else if (piece instanceof Error) controller.error(piece);
      else controller.enqueue(bytes(piece));
    },
  });
}

async function textIn(body: ReadableStream<Uint8Array>, buffers: BufferPool): Promise<string> {
  const reader = bodyReader(body, buffers);
  const text = await textOf(reader);
  reader.release();
  return text;
}

Deno.test("bodyReader() reads byte streams and other streams", async () => {
  const buffers = new BufferPool();
  assertEquals(await textIn(byteStream("ab", "c", "def"), buffers), "abcdef");
  assertEquals(
    await textIn(ReadableStream.from([bytes("abc")]), buffers),
    "abc",
  );
  assertEquals(await textIn(new Response("x".repeat(200_000)).body!, buffers), "x".repeat(200_000));
});

Deno.test("bodyReader() reuses one buffer, and returns it to the pool once", async () => {
  const buffers = new BufferPool();
  let taken = 0;
  const take = buffers.take.bind(buffers);
  buffers.take = () => {
    taken++;
    return take();
  };
  await textIn(byteStream(..."abcdef"), buffers);
  assertEquals(taken, 1);
  const reader = bodyReader(byteStream("a"), buffers);
  await reader.read();
  reader.release();
  reader.release();
  await reader.cancel("enough");
  const [first, second] = [buffers.take(), buffers.take()];
  assert(first !== second, "the buffer is returned once");
});

Deno.test("bodyReader() rejects with the error of a body, and cancels it with a reason", async () => {
  const reader = bodyReader(byteStream("a", new TypeError("reset")), new BufferPool());
  await reader.read();
  await assertRejects(() => reader.read(), TypeError, "reset");
  reader.release();
  const reasons: unknown[] = [];
  const cancel = (reason: unknown) => void reasons.push(reason);
  for (
    const stream of [new ReadableStream({ type: "bytes", cancel }), new ReadableStream({ cancel })]
  ) {
    await bodyReader(stream, new BufferPool()).cancel("enough");
  }
  assertEquals(reasons, ["enough", "enough"]);
});

Deno.test("bodyReader() throws for a locked body", async () => {
  const locked = new Response("x").body!;
  const other = locked.getReader();
  assertThrows(() => bodyReader(locked, new BufferPool()), TypeError);
  await other.cancel();
});

Deno.test("BufferPool reuses a limited number of whole buffers", () => {
  const buffers = new BufferPool();
  const buffer = buffers.take();
  buffers.give(buffer);
  assertStrictEquals(buffers.take(), buffer);
  buffers.give(new ArrayBuffer(10));
  assertEquals(buffers.take().byteLength, buffer.byteLength);
  const many = Array.from({ length: 50 }, () => buffers.take());
  for (const one of many) buffers.give(one);
  const again = Array.from({ length: 50 }, () => buffers.take());
  assert(again.filter((one) => many.includes(one)).length < 50);
});
