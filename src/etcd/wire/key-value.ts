import type { KeyValueMessage } from './messages.ts';
import { LENGTH_DELIMITED, VARINT, varintBytes, type WireWriter } from './protobuf.ts';

/**
 * `KeyValue` written without its table of fields: ranges have thousands of them. The plain counterpart is the message itself.
 * Pays for the bench row `range of 10000 keys of 1 KB`.
 */
const KEY = 1 * 8 + LENGTH_DELIMITED;
const CREATE_REVISION = 2 * 8 + VARINT;
const MOD_REVISION = 3 * 8 + VARINT;
const VERSION = 4 * 8 + VARINT;
const VALUE = 5 * 8 + LENGTH_DELIMITED;
const LEASE = 6 * 8 + VARINT;

/** A field of a number; proto3 leaves zero out. */
const numberBytes = (value: number): number => (value === 0 ? 0 : 1 + varintBytes(value));
const bytesBytes = (length: number): number => (length === 0 ? 0 : 1 + varintBytes(length) + length);

export function keyValueBytes({ key, value, createRevision, modRevision, version, lease }: KeyValueMessage): number {
  return (
    bytesBytes(key.length) +
    numberBytes(createRevision) +
    numberBytes(modRevision) +
    numberBytes(version) +
    bytesBytes(value.length) +
    (lease === 0n ? 0 : 1 + leaseBytes(lease))
  );
}

function leaseBytes(lease: bigint): number {
  let bytes = 1;
  for (let rest = BigInt.asUintN(64, lease) >> 7n; rest > 0n; rest >>= 7n) bytes++;
  return bytes;
}

/** Everything before the bytes of the value. */
export function writeBeforeValue(writer: WireWriter, kv: KeyValueMessage): void {
  if (kv.key !== '') {
    writer.number(KEY);
    writer.latin1(kv.key);
  }
  if (kv.createRevision !== 0) writer.tagged(CREATE_REVISION, kv.createRevision);
  if (kv.modRevision !== 0) writer.tagged(MOD_REVISION, kv.modRevision);
  if (kv.version !== 0) writer.tagged(VERSION, kv.version);
  if (kv.value.length > 0) writer.tagged(VALUE, kv.value.length);
}

export function writeAfterValue(writer: WireWriter, { lease }: KeyValueMessage): void {
  if (lease === 0n) return;
  writer.number(LEASE);
  writer.bigint(lease);
}
