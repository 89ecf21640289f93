/** Bodies that tell when nobody holds them any more. @module */

const PIECE = 300;

/** Bytes in small pieces, each made when it is asked for; `onClose` is called once. */
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
