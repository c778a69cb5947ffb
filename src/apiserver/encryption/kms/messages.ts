/** Encodes and decodes the protobuf messages of the KMS v2 API and of stored values. */
import { decodeVarint, encodeVarint, ownValue } from '../../../base/index.ts';

export type Annotations = Readonly<Record<string, Buffer>>;

export interface EncryptedObject {
  readonly encryptedData: Buffer;
  readonly keyId: string;
  readonly encryptedDekSource: Buffer;
  readonly annotations: Annotations;
  /** 0: an AES-GCM key. 1: a seed from which the key of each value is derived. */
  readonly sourceType: number;
}

export function encodeEncryptedObject(object: EncryptedObject): Buffer {
  return Buffer.concat([
    bytesField(1, object.encryptedData),
    bytesField(2, Buffer.from(object.keyId)),
    bytesField(3, object.encryptedDekSource),
    annotationsField(4, object.annotations),
    object.sourceType === 0 ? Buffer.alloc(0) : Buffer.from([(5 << 3) | 0, object.sourceType]),
  ]);
}

export function decodeEncryptedObject(bytes: Buffer): EncryptedObject {
  const fields = readFields(bytes);
  return {
    encryptedData: fields.bytes(1),
    keyId: fields.bytes(2).toString('utf8'),
    encryptedDekSource: fields.bytes(3),
    annotations: fields.annotations(4),
    sourceType: fields.number(5),
  };
}

export const encodeEncryptRequest = (plaintext: Buffer, uid: string): Buffer =>
  Buffer.concat([bytesField(1, plaintext), bytesField(2, Buffer.from(uid))]);

export function decodeEncryptResponse(bytes: Buffer): { ciphertext: Buffer; keyId: string; annotations: Annotations } {
  const fields = readFields(bytes);
  return { ciphertext: fields.bytes(1), keyId: fields.bytes(2).toString('utf8'), annotations: fields.annotations(3) };
}

export const encodeDecryptRequest = (
  ciphertext: Buffer,
  uid: string,
  keyId: string,
  annotations: Annotations,
): Buffer =>
  Buffer.concat([
    bytesField(1, ciphertext),
    bytesField(2, Buffer.from(uid)),
    bytesField(3, Buffer.from(keyId)),
    annotationsField(4, annotations),
  ]);

export const decodeDecryptResponse = (bytes: Buffer): { plaintext: Buffer } => ({
  plaintext: readFields(bytes).bytes(1),
});

export function decodeStatusResponse(bytes: Buffer): { version: string; healthz: string; keyId: string } {
  const fields = readFields(bytes);
  const text = (number: number): string => fields.bytes(number).toString('utf8');
  return { version: text(1), healthz: text(2), keyId: text(3) };
}

/** A length-delimited field; an empty value is omitted. */
export function bytesField(number: number, value: Buffer): Buffer {
  if (value.length === 0) return Buffer.alloc(0);
  return Buffer.concat([Buffer.from([(number << 3) | 2]), encodeVarint(value.length), value]);
}

export function annotationsField(number: number, annotations: Annotations): Buffer {
  return Buffer.concat(
    Object.keys(annotations)
      .sort()
      .map((key) =>
        bytesField(
          number,
          Buffer.concat([bytesField(1, Buffer.from(key)), bytesField(2, ownValue(annotations, key)!)]),
        ),
      ),
  );
}

interface Fields {
  bytes(number: number): Buffer;
  number(number: number): number;
  annotations(number: number): Annotations;
}

export function readFields(bytes: Buffer): Fields {
  const texts = new Map<number, Buffer[]>();
  const numbers = new Map<number, number>();
  let at = 0;
  const readVarint = (): number => {
    const read = decodeVarint(bytes, at);
    if (read === undefined) throw new Error('truncated KMS message');
    at = read.next;
    return read.value;
  };
  while (at < bytes.length) {
    const tag = readVarint();
    const number = tag >>> 3;
    if ((tag & 7) === 0) numbers.set(number, readVarint());
    else if ((tag & 7) === 2) {
      const length = readVarint();
      if (at + length > bytes.length) throw new Error('truncated KMS message');
      texts.set(number, [...(texts.get(number) ?? []), bytes.subarray(at, at + length)]);
      at += length;
    } else throw new Error('unsupported wire type in a KMS message');
  }
  return {
    bytes: (number) => texts.get(number)?.at(-1) ?? Buffer.alloc(0),
    number: (number) => numbers.get(number) ?? 0,
    annotations: (number) =>
      Object.fromEntries(
        (texts.get(number) ?? []).map((entry) => [
          readFields(entry).bytes(1).toString('utf8'),
          readFields(entry).bytes(2),
        ]),
      ),
  };
}
