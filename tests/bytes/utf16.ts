/** Text in UTF-16, which `TextEncoder` does not write. @module */

export function utf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) {
    view.setUint16(at * 2, text.charCodeAt(at), littleEndian);
  }
  return new Uint8Array(view.buffer);
}
