import { assert, assertEquals } from "@std/assert";
import { testDocuments } from "../../tools/bench/broken_documents.ts";

Deno.test("testDocuments() returns the same documents from the same seed", () => {
  const [one, same, other] = [7, 7, 8].map((seed) =>
    testDocuments(1, seed).map(({ bytes }) => bytes.toBase64()).join("\n")
  );
  assert(one === same);
  assert(one !== other);
});

Deno.test("testDocuments() breaks most documents in every way", () => {
  const documents = testDocuments(2, 1);
  const originals = new Set(documents.map(({ original }) => original));
  assert(originals.size > 200);
  assert([...originals].filter(({ isFeed }) => isFeed).length > 40);
  const classes = Map.groupBy(documents, ({ mutation }) => mutation ?? "intact");
  assertEquals(classes.size, 20);
  for (const [mutation, documents] of classes) {
    const changed = documents.filter(({ original, bytes }) =>
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) !== original.text
    );
    const isIntact = mutation === "intact";
    assert(isIntact ? changed.length === 0 : changed.length > 1.8 * originals.size, mutation);
  }
});
