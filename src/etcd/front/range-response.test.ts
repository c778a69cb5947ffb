import { describe, expect, it } from 'vitest';
import type { KeyValue } from '../store.ts';
import { FRAME_HEADER_BYTES } from '../wire/frames.ts';
import { RangeResponse } from '../wire/messages.ts';
import { rangeResponse } from './range-response.ts';

const header = { clusterId: 2n ** 60n, memberId: 3n, revision: 9, raftTerm: 2n };

function pairs(count: number, valueBytes: number, lease = 0n): KeyValue[] {
  return Array.from({ length: count }, (_, i) => ({
    key: `/registry/pods/${i}`,
    value: Buffer.alloc(valueBytes, i),
    createRevision: i + 1,
    modRevision: i + 2,
    version: 1,
    lease,
  }));
}

describe('the response to a range', () => {
  const cases: [string, KeyValue[], 'whole' | 'in pieces'][] = [
    ['of no keys', [], 'whole'],
    ['of a few keys', pairs(3, 100, 5n), 'whole'],
    ['of one key of a megabyte', pairs(1, 2 ** 20, 5n), 'in pieces'],
    ['of many small keys', pairs(5000, 40), 'in pieces'],
    ['of many keys of a kilobyte', pairs(500, 1024, -1n), 'in pieces'],
    ['of keys that fill a piece', pairs(40, 16_384, 7n), 'in pieces'],
    ['of small keys behind large ones', [...pairs(2, 200_000), ...pairs(100, 1)], 'in pieces'],
  ];
  it.each(cases)('%s is a RangeResponse, %s', (_, kvs, form) => {
    const response = rangeResponse({ revision: 9, kvs, count: kvs.length + 1, more: true }, header);
    expect(Buffer.isBuffer(response) ? 'whole' : 'in pieces').toBe(form);
    const received: Buffer[] = [];
    if (Buffer.isBuffer(response)) received.push(response);
    // A piece is overwritten by the next one.
    else for (let next = response.next(); !next.done; next = response.next()) received.push(Buffer.from(next.value));
    const framed = Buffer.concat(received);
    expect(framed.readUInt32BE(1)).toBe(framed.length - FRAME_HEADER_BYTES);
    const expected = RangeResponse.encode({ header, kvs, count: kvs.length + 1, more: true });
    expect(framed.subarray(FRAME_HEADER_BYTES).equals(expected)).toBe(true);
  });
});
