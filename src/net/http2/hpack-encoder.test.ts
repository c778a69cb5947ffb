import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../kernel/seeded-random.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { HpackEncoder, ownBytes, writeOwn, type Head } from './hpack-encoder.ts';

const decoderOf = (): HpackDecoder => new HpackDecoder({ bytes: 1024 * 1024, pairs: 2000 });

function own(head: Head): Buffer {
  const target = Buffer.alloc(ownBytes(head) + 10, 0xee);
  const end = writeOwn(head, target, 5);
  expect(end - 5).toBeLessThanOrEqual(ownBytes(head));
  expect([...target.subarray(0, 5), ...target.subarray(end)].every((byte) => byte === 0xee)).toBe(true);
  return target.subarray(5, end);
}

const json: Head = [':status', '200', 'content-type', 'application/json', 'cache-control', 'no-cache, private'];
const missing: Head = [':status', '404', 'content-type', 'application/json', 'x-other', 'one'];
const teapot: Head = [':status', '418', 'content-type', 'text/plain'];

describe('heads that answers have in common', () => {
  it('are entries of the table from the second time on', () => {
    const encoder = new HpackEncoder();
    const lengths = [json, json, json].map((head) => encoder.common(head).length);
    expect(lengths[0]).toBeGreaterThan(30);
    expect(lengths.slice(1)).toEqual([3, 3]);
    expect(encoder.common(json)).toBe(encoder.common(json));
  });

  it('have the same encoding after other headers', () => {
    const encoder = new HpackEncoder();
    const decoder = decoderOf();
    const random = new SeededRandom('heads');
    const heads = Array.from({ length: 40 }, (_, i): Head => [
      ':status',
      String(200 + (i % 7)),
      'content-type',
      `type/${i % 5}`,
      `x-name-${i % 3}`,
      `value ${i}`,
      'vary',
      'é'.repeat(i),
    ]);
    const all = [json, missing, teapot, ...heads];
    for (let i = 0; i < 1000; i++) {
      const head = all[random.integer(all.length)]!;
      const more: Head = [
        'date',
        'Mon, 21 Oct 2013 20:13:21 GMT',
        'audit-id',
        random.uid(),
        'content-length',
        String(i),
      ];
      expect(decoder.decode(Buffer.concat([encoder.common(head), own(more)])).fields).toEqual([...head, ...more]);
    }
  });

  it('never throw an entry out of a full table', () => {
    const encoder = new HpackEncoder();
    const decoder = decoderOf();
    const first: Head = [':status', '200', 'x-first', 'one'];
    decoder.decode(encoder.common(first));
    for (let i = 0; i < 300; i++) decoder.decode(encoder.common([':status', '200', `x-${i}`, 'v'.repeat(50)]));
    const bytes = encoder.common(first);
    expect(bytes.length).toBeLessThan(5);
    expect(decoder.decode(bytes).fields).toEqual(first);
  });

  it('are literals where they are larger than the table', () => {
    const encoder = new HpackEncoder();
    const decoder = decoderOf();
    const large: Head = [':status', '200', 'x-large', 'v'.repeat(5000)];
    for (let i = 0; i < 3; i++) expect(decoder.decode(encoder.common(large)).fields).toEqual(large);
    for (let i = 0; i < 3; i++) expect(decoder.decode(encoder.common(json)).fields).toEqual(json);
    expect(encoder.common(json)).toHaveLength(3);
  });

  it.each([0, 1, 4095])('do without a table for a peer with one of %d bytes', (size) => {
    const encoder = new HpackEncoder();
    const decoder = decoderOf();
    for (let i = 0; i < 3; i++) decoder.decode(encoder.common(json));
    encoder.tableBytes = size;
    encoder.tableBytes = 4096;
    const bytes = encoder.common(json);
    // That the table is empty now is the first thing that the peer hears.
    expect(bytes[0]).toBe(0x20);
    expect(decoder.decode(bytes).fields).toEqual(json);
    for (const head of [json, missing, json, missing, teapot]) {
      const later = encoder.common(head);
      expect(later[0]).not.toBe(0x20);
      expect(decoder.decode(later).fields).toEqual(head);
    }
  });

  it.each([4096, 65_536, 2 ** 32 - 1])('use the usual table for a peer with one of %d bytes', (size) => {
    const encoder = new HpackEncoder();
    encoder.tableBytes = size;
    encoder.common(json);
    expect(encoder.common(json)).toHaveLength(3);
  });
});

describe('headers that one answer has', () => {
  it.each([
    ['none', []],
    ['a name that everybody knows', ['date', 'now']],
    ['a name of our own', ['audit-id', 'e7b6']],
    ['an empty value', ['etag', '']],
    ['a value of 126 bytes', ['etag', 'e'.repeat(126)]],
    ['a value of 127 bytes', ['etag', 'e'.repeat(127)]],
    ['a value of 300 bytes', ['etag', 'e'.repeat(300)]],
    ['a value of 20 000 bytes', ['etag', 'e'.repeat(20_000)]],
    ['bytes that are no ASCII', ['warning', '299 - "grün"']],
  ])('%s', (_name, head) => {
    expect(decoderOf().decode(own(head)).fields).toEqual(head);
  });

  it('of many names', () => {
    const decoder = decoderOf();
    for (let i = 0; i < 200; i++)
      expect(decoder.decode(own([`x-many-${i}`, 'v'])).fields).toEqual([`x-many-${i}`, 'v']);
  });
});
