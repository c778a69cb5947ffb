/**
 * The part of DER that certificates need: tag, length, value. Writing a certificate by hand takes a fraction of the
 * time that a general ASN.1 library takes to load, and a cluster creates six of them before it can serve requests.
 */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

export function encode(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => encode(TAG.sequence, ...contents);
export const octetString = (...contents: readonly Uint8Array[]): Buffer => encode(TAG.octetString, ...contents);
export const text = (value: string): Buffer => encode(TAG.utf8String, Buffer.from(value));

/** Big-endian; a leading zero keeps it positive. */
export function integer(bytes: Uint8Array): Buffer {
  return encode(TAG.integer, ...(bytes[0]! & 0x80 ? [Buffer.from([0])] : []), bytes);
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return encode(TAG.bitString, Buffer.from([unusedBits]), bytes);
}

/** `1.2.840.10045.4.3.2` */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return encode(TAG.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** As X.509 requires: two digits of the year until 2049. */
export function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replaceAll(/[-T:]|\.\d+/g, '');
  const short = Number(digits.slice(0, 4)) < 2050;
  return encode(short ? TAG.utcTime : TAG.generalizedTime, Buffer.from(short ? digits.slice(2) : digits));
}

export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag and length included. */
  readonly whole: Buffer;
}

/**
 * The consecutive elements in `bytes`. Refuses what is not DER: long tags, and lengths that are indefinite or not
 * minimal.
 */
export function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const element = elementAt(bytes, at);
    found.push(element);
    at += element.whole.length;
  }
  return found;
}

function elementAt(bytes: Buffer, at: number): Element {
  const tag = bytes[at]!;
  const first = bytes[at + 1];
  if (first === undefined) throw new Error('the DER is truncated');
  const octets = first & 0x80 ? first & 0x7f : 0;
  if ((tag & 0x1f) === 0x1f || first === 0x80 || octets > 4) throw new Error('the DER has an invalid element');
  const start = at + 2 + octets;
  if (start > bytes.length) throw new Error('the DER is truncated');
  const length = octets === 0 ? first : bytes.readUIntBE(at + 2, octets);
  if (octets > 0 && (length < 0x80 || bytes[at + 2] === 0)) throw new Error('the DER has a length that is not minimal');
  if (start + length > bytes.length) throw new Error('the DER is truncated');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) };
}

/** `1.2.840.10045.4.3.2`, of the content of an element. */
export function oidText(content: Buffer): string {
  const numbers: bigint[] = [];
  let number = 0n;
  for (const [i, byte] of content.entries()) {
    number = (number << 7n) | BigInt(byte & 0x7f);
    if (byte & 0x80) {
      if (i === content.length - 1 || number === 0n) throw new Error('the DER has an invalid object identifier');
      continue;
    }
    if (numbers.length === 0) {
      const top = number < 80n ? number / 40n : 2n;
      numbers.push(top, number - top * 40n);
    } else numbers.push(number);
    number = 0n;
  }
  return numbers.join('.');
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Buffer.from([0x80 | octets.length, ...octets]);
}

function base128(value: number): number[] {
  const groups = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) groups.unshift(0x80 | (rest % 128));
  return groups;
}
