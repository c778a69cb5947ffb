import { describe, expect, it } from 'vitest';
import { keyValueBytes, writeAfterValue, writeBeforeValue } from './key-value.ts';
import { KeyValue, type KeyValueMessage } from './messages.ts';
import { varintBytes, WireReader, WireWriter } from './protobuf.ts';

const pair = (fields: Partial<KeyValueMessage>): KeyValueMessage => ({
  key: 'a',
  value: Buffer.from('v'),
  createRevision: 2,
  modRevision: 3,
  version: 1,
  lease: 0n,
  ...fields,
});

describe('a pair written without its table of fields', () => {
  const cases: [string, KeyValueMessage][] = [
    ['short', pair({})],
    ['with nothing', { key: '', value: Buffer.alloc(0), createRevision: 0, modRevision: 0, version: 0, lease: 0n }],
    ['with a long key', pair({ key: '/registry/pods/'.padEnd(300, 'é') })],
    ['with a value of two length bytes', pair({ value: Buffer.alloc(128, 1) })],
    ['with a large value', pair({ value: Buffer.alloc(100_000, 1) })],
    ['at large revisions', pair({ createRevision: 2 ** 31, modRevision: 2 ** 40 + 5, version: 2 ** 28 })],
    ['with a lease', pair({ lease: 7_587_881_234_567_890_123n })],
    ['with a negative lease', pair({ lease: -1n })],
  ];
  it.each(cases)('%s has the bytes of the message', (_, kv) => {
    const writer = new WireWriter(16);
    writeBeforeValue(writer, kv);
    writer.raw(kv.value);
    writeAfterValue(writer, kv);
    expect(writer.finish()).toEqual(KeyValue.encode(kv));
    expect(keyValueBytes(kv)).toBe(writer.length);
  });
});

describe('a number', () => {
  const numbers = [0, 1, 127, 128, 16_383, 16_384, 2 ** 28, 2 ** 31 - 1, 2 ** 31, 2 ** 35, 2 ** 49, 2 ** 53 - 1];
  it.each(numbers)('%d is read as it was written, in as many bytes as told', (number) => {
    const writer = new WireWriter(1);
    writer.number(number);
    expect(writer.length).toBe(varintBytes(number));
    expect(new WireReader(writer.finish()).number()).toBe(number);
  });

  it.each([0n, 127n, 128n, 2n ** 28n, 2n ** 49n - 1n, 2n ** 49n, 2n ** 56n, 2n ** 63n - 1n, -1n, -(2n ** 63n)])(
    'of 64 bits, %d, is read as it was written',
    (number) => {
      const writer = new WireWriter(1);
      writer.bigint(number);
      expect(new WireReader(writer.finish()).int64()).toBe(number);
      expect(new WireReader(writer.finish()).uint64()).toBe(BigInt.asUintN(64, number));
    },
  );
});
