/** Bodies that report when they are closed. @module */

const PIECE = 300;

/** Returns bytes in small pieces, each made when it is read; `onClose` is called once. */
export function bytesStream(
  bytes: Uint8Array<ArrayBuffer>,
  onClose: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) return controller.enqueue(bytes.slice(at, at += PIECE));
      controller.close();
      onClose();
    },
    cancel: onClose,
  }, { highWaterMark: 0 });
}
