import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { type BodyReader, bodyReader } from "../../src/http/body.ts";
import { BufferPool } from "../../src/http/body.ts";

/** A byte stream as `fetch` gives them, of these pieces. */
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
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
}

async function read(reader: BodyReader): Promise<Uint8Array | undefined> {
  return reader.take(await reader.ask());
}

async function textOf(body: ReadableStream<Uint8Array>, buffers: BufferPool): Promise<string> {
  const reader = bodyReader(body, buffers);
  let all = "";
  for (let chunk = await read(reader); chunk !== undefined; chunk = await read(reader)) {
    all += new TextDecoder().decode(chunk);
  }
  reader.release();
  return all;
}

Deno.test("bodyReader() reads byte streams and others alike", async () => {
  const buffers = new BufferPool();
  assertEquals(await textOf(byteStream("ab", "c", "def"), buffers), "abcdef");
  assertEquals(
    await textOf(ReadableStream.from([new TextEncoder().encode("abc")]), buffers),
    "abc",
  );
  assertEquals(await textOf(new Response("x".repeat(200_000)).body!, buffers), "x".repeat(200_000));
});

Deno.test("bodyReader() reads into the same memory again, and gives it back", async () => {
  const buffers = new BufferPool();
  let taken = 0;
  const take = buffers.take.bind(buffers);
  buffers.take = () => {
    taken++;
    return take();
  };
  await textOf(byteStream(..."abcdef"), buffers);
  assertEquals(taken, 1);
  const reader = bodyReader(byteStream("a"), buffers);
  await read(reader);
  reader.release();
  reader.release();
  await reader.cancel("enough");
  const [first, second] = [buffers.take(), buffers.take()];
  assert(first !== second, "what was given back is given back once");
});

Deno.test("bodyReader() passes on how a body breaks, and cancels", async () => {
  const reader = bodyReader(byteStream("a", new TypeError("reset")), new BufferPool());
  await read(reader);
  await assertRejects(() => read(reader), TypeError, "reset");
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

Deno.test("bodyReader() of a body that somebody else reads fails", async () => {
  const body = new Response("x").body!;
  await body.cancel();
  const locked = new Response("x").body!;
  const other = locked.getReader();
  try {
    bodyReader(locked, new BufferPool());
    assert(false, "it must throw");
  } catch (error) {
    assert(error instanceof TypeError);
  }
  await other.cancel();
});

Deno.test("BufferPool gives memory again, but neither too much of it nor pieces", () => {
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
