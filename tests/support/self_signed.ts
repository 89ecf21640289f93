/** A self-signed certificate, created on demand so that the repository contains no key. @module */

const SEQUENCE = 0x30, SET = 0x31, INTEGER = 0x02, BIT_STRING = 0x03, OCTET_STRING = 0x04;
const UTF8 = 0x0c, UTC_TIME = 0x17, EXTENSIONS = 0xa3, DNS_NAME = 0x82, IP_ADDRESS = 0x87;

/** DER of the object identifiers 1.2.840.10045.4.3.2, 2.5.4.3 and 2.5.29.17. */
const ECDSA_WITH_SHA256 = [0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];
const COMMON_NAME = [0x06, 3, 0x55, 4, 3];
const SUBJECT_ALT_NAME = [0x06, 3, 0x55, 29, 17];

/** A certificate and its key, as PEM. */
export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

/** Creates a certificate for a name and for 127.0.0.1. */
export async function selfSigned(name: string): Promise<SelfSigned> {
  const keys = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    true,
    ["sign", "verify"],
  ) as CryptoKeyPair;
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey));
  const privateKey = new Uint8Array(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  const who = der(SEQUENCE, der(SET, der(SEQUENCE, [...COMMON_NAME, ...der(UTF8, ascii(name))])));
  const validity = [
    ...der(UTC_TIME, ascii("200101000000Z")),
    ...der(UTC_TIME, ascii("491231235959Z")),
  ];
  const names = der(SEQUENCE, [...der(DNS_NAME, ascii(name)), ...der(IP_ADDRESS, [127, 0, 0, 1])]);
  const extension = der(SEQUENCE, [...SUBJECT_ALT_NAME, ...der(OCTET_STRING, names)]);
  const content = new Uint8Array(der(SEQUENCE, [
    ...[0xa0, 3, INTEGER, 1, 2], // version 3
    ...[INTEGER, 1, 1], // serial number
    ...algorithm,
    ...who,
    ...der(SEQUENCE, validity),
    ...who,
    ...publicKey,
    ...der(EXTENSIONS, der(SEQUENCE, extension)),
  ]));
  const signature = new Uint8Array(
    await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, keys.privateKey, content),
  );
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((half) =>
    der(INTEGER, unsigned(half))
  );
  const signed = der(BIT_STRING, [0, ...der(SEQUENCE, [...r!, ...s!])]);
  const certificate = der(SEQUENCE, [...content, ...algorithm, ...signed]);
  return { cert: pem("CERTIFICATE", certificate), key: pem("PRIVATE KEY", [...privateKey]) };
}

function ascii(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

function der(tag: number, content: readonly number[]): number[] {
  const { length } = content;
  if (length < 0x80) return [tag, length, ...content];
  if (length < 0x100) return [tag, 0x81, length, ...content];
  return [tag, 0x82, length >> 8, length & 0xff, ...content];
}

/** Encodes a positive integer in the shortest form. */
function unsigned(bytes: Uint8Array): number[] {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = [...bytes.subarray(start)];
  return digits[0]! >= 0x80 ? [0, ...digits] : digits;
}

function pem(label: string, bytes: readonly number[]): string {
  const lines = btoa(String.fromCharCode(...bytes)).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
