/** Rows, one by one or in batches. */
export interface RowStream<T> extends AsyncIterable<T> {
  /** Returns an iterator over non-empty arrays of rows, which is faster. */
  batches(): AsyncGenerator<readonly T[], void, void>;
}

export function rowStream<T>(
  batches: () => AsyncGenerator<readonly T[], void, void>,
): RowStream<T> {
  return {
    async *batches() {
      for await (const batch of batches()) if (batch.length > 0) yield batch;
    },
    async *[Symbol.asyncIterator]() {
      for await (const batch of batches()) yield* batch;
    },
  };
}
