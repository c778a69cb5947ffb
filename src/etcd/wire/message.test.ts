import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AlarmMember,
  Compare,
  Event,
  KeyValue,
  RangeRequest,
  TxnRequest,
  WatchCreateRequest,
  WatchResponse,
} from './messages.ts';
import { MalformedMessage, WireReader, WireWriter } from './protobuf.ts';

const revision = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const latin1 = fc.array(fc.nat(255), { maxLength: 300 }).map((units) => String.fromCharCode(...units));
/** Lengths on both sides of one, two and three bytes of length. */
const bytes = fc
  .constantFrom(0, 1, 100, 127, 128, 5000, 16_383, 16_400, 70_000)
  .map((length) => Buffer.alloc(length, length));
const keyValue = fc.record({
  key: latin1,
  createRevision: revision,
  modRevision: revision,
  version: revision,
  value: bytes,
  lease: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
});

interface Pair {
  value: Uint8Array;
}
/** Comparing text is much faster than comparing arrays. */
const readable = <T extends Pair>(kv: T) => ({ ...kv, value: Buffer.from(kv.value).toString('latin1') });
const readableEvent = <T extends { kv: Pair | undefined; prevKv: Pair | undefined }>({ kv, prevKv, ...rest }: T) => ({
  ...rest,
  kv: kv && readable(kv),
  prevKv: prevKv && readable(prevKv),
});

describe('messages', () => {
  it('survive a round trip', () => {
    fc.assert(
      fc.property(keyValue, (kv) => {
        expect(readable(KeyValue.decode(KeyValue.encode(kv)))).toEqual(readable(kv));
      }),
    );
  });

  it('keep nested and repeated messages of any size', () => {
    const event = fc.record({ type: fc.nat(1), kv: keyValue, prevKv: fc.option(keyValue, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 5 }), (events) => {
        const decoded = WatchResponse.decode(WatchResponse.encode({ watchId: -1, events, canceled: true }));
        expect(decoded).toMatchObject({
          watchId: -1,
          canceled: true,
          created: false,
          header: undefined,
          cancelReason: '',
        });
        expect(decoded.events.map(readableEvent)).toEqual(events.map(readableEvent));
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    { name: 'nothing for defaults', encoded: RangeRequest.encode({ key: '', limit: 0, keysOnly: false }), hex: '' },
    { name: 'a key and a limit', encoded: RangeRequest.encode({ key: 'k', limit: 300 }), hex: '0a016b18ac02' },
    { name: 'a field number past 15', encoded: Compare.encode({ key: 'k', rangeEnd: 'l' }), hex: '1a016b8204016c' },
    { name: 'a negative number', encoded: WatchCreateRequest.encode({ watchId: -1 }), hex: '38ffffffffffffffffff01' },
    {
      name: 'an unsigned 64-bit id',
      encoded: AlarmMember.encode({ memberId: 2n ** 64n - 1n }),
      hex: '08ffffffffffffffffff01',
    },
    {
      name: 'a nested operation',
      encoded: TxnRequest.encode({
        success: [
          { put: undefined, range: undefined, txn: undefined, deleteRange: { key: 'k', rangeEnd: '', prevKv: true } },
        ],
      }),
      hex: '12071a050a016b1801',
    },
  ])('are written as protobuf writes them: $name', ({ encoded, hex }) => {
    expect(encoded.toString('hex')).toBe(hex);
  });

  it('accept packed lists and skip unknown fields', () => {
    expect(
      WatchCreateRequest.decode(
        Buffer.from('0a016b 2a020001 f2070155 a90101020304050607 08'.replaceAll(' ', ''), 'hex'),
      ),
    ).toMatchObject({ key: 'k', filters: [0, 1] });
  });

  it.each([
    { name: 'a cut off length', hex: '0a' },
    { name: 'a length past the end', hex: '0aff01' },
    { name: 'a wrong type', hex: '0801' },
    { name: 'a group', hex: '0b' },
    { name: 'an endless varint', hex: `18${'ff'.repeat(11)}` },
  ])('refuse $name', ({ hex }) => {
    expect(() => RangeRequest.decode(Buffer.from(hex, 'hex'))).toThrow(MalformedMessage);
  });

  it('never do anything but decode or refuse', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (input) => {
        try {
          Event.decode(input);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('keep every integer that a double can hold', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        const writer = new WireWriter(4);
        writer.number(number);
        expect(new WireReader(writer.finish()).number()).toBe(number);
      }),
    );
  });
});
