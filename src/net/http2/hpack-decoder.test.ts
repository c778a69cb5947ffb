import { describe, expect, it } from 'vitest';
import { ConnectionError, ERROR } from './frames.ts';
import { HpackDecoder, type Decoded } from './hpack-decoder.ts';
import { indexed, integer, kept, neverKept, notKept, resized, text } from './testing/hpack.ts';

const LIMITS = { bytes: 64 * 1024, pairs: 200 };
const decoderOf = (limits = LIMITS): HpackDecoder => new HpackDecoder(limits);
const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(' ', ''), 'hex');

function pairs({ fields }: Decoded): string[] {
  return fields.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${fields[i + 1]!}`] : []));
}

function compressionError(decode: () => unknown): string {
  try {
    decode();
  } catch (error) {
    if (error instanceof ConnectionError && error.code === ERROR.compression) return error.message;
    throw error;
  }
  throw new Error('nothing was wrong');
}

describe('the examples of RFC 7541', () => {
  it.each([
    [
      'C.2.1, a literal that is kept',
      '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572',
      ['custom-key: custom-header'],
    ],
    ['C.2.2, a literal that is not', '040c 2f73 616d 706c 652f 7061 7468', [':path: /sample/path']],
    ['C.2.3, a literal that never is', '1008 7061 7373 776f 7264 0673 6563 7265 74', ['password: secret']],
    ['C.2.4, an entry of the static table', '82', [':method: GET']],
  ])('%s', (_name, block, expected) => {
    expect(pairs(decoderOf().decode(hex(block)))).toEqual(expected);
  });

  const request = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'];
  const third = [
    ':method: GET',
    ':scheme: https',
    ':path: /index.html',
    ':authority: www.example.com',
    'custom-key: custom-value',
  ];
  it.each([
    [
      'C.3, requests',
      '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
      '8286 84be 5808 6e6f 2d63 6163 6865',
      '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
    ],
    [
      'C.4, requests in Huffman code',
      '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
      '8286 84be 5886 a8eb 1064 9cbf',
      '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
    ],
  ])('%s', (_name, ...blocks) => {
    const decoder = decoderOf();
    const decoded = blocks.map((block) => decoder.decode(hex(block)));
    expect(decoded.map(pairs)).toEqual([request, [...request, 'cache-control: no-cache'], third]);
    expect(decoded.every(({ valid, tooMany }) => valid && !tooMany)).toBe(true);
  });

  it.each([
    [
      'C.5, answers that throw entries out',
      '4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
      '4803 3330 37c1 c0bf',
      '88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31',
    ],
    [
      'C.6, the same in Huffman code',
      '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
      '4883 640e ffc1 c0bf',
      '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
    ],
  ])('%s', (_name, first, second, last) => {
    const decoder = decoderOf();
    const date = 'date: Mon, 21 Oct 2013 20:13:21 GMT';
    const rest = ['cache-control: private', date, 'location: https://www.example.com'];
    expect(pairs(decoder.decode(Buffer.concat([resized(256), hex(first)])))).toEqual([':status: 302', ...rest]);
    expect(pairs(decoder.decode(hex(second)))).toEqual([':status: 307', ...rest]);
    expect(pairs(decoder.decode(hex(last)))).toEqual([
      ':status: 200',
      'cache-control: private',
      'date: Mon, 21 Oct 2013 20:13:22 GMT',
      'location: https://www.example.com',
      'content-encoding: gzip',
      'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
    ]);
  });
});

describe('the table', () => {
  const NEWEST = 62;

  it('has the newest first, and forgets the oldest', () => {
    const decoder = decoderOf();
    const value = 'v'.repeat(1000 - 32 - 1);
    decoder.decode(Buffer.concat(['a', 'b', 'c', 'd'].map((name) => kept(name, value))));
    expect(decoder.decode(Buffer.concat([62, 63, 64, 65].map(indexed))).fields.filter((_, i) => i % 2 === 0)).toEqual([
      'd',
      'c',
      'b',
      'a',
    ]);
    decoder.decode(kept('e', value));
    expect(decoder.decode(indexed(65)).fields[0]).toBe('b');
    expect(compressionError(() => decoder.decode(indexed(66)))).toMatch(/no table entry 66/);
  });

  it('keeps a name whose entry its own insertion evicts', () => {
    const decoder = decoderOf();
    decoder.decode(Buffer.concat([resized(100), kept('name', 'v'.repeat(60))]));
    expect(
      decoder.decode(Buffer.concat([integer(0x40, 6, NEWEST), text('w'.repeat(64)), indexed(NEWEST)])).fields,
    ).toEqual(['name', 'w'.repeat(64), 'name', 'w'.repeat(64)]);
  });

  it('is empty after an entry larger than the table', () => {
    const decoder = decoderOf();
    decoder.decode(kept('a', 'b'));
    expect(decoder.decode(kept('large', 'x'.repeat(5000))).fields[1]).toHaveLength(5000);
    expect(compressionError(() => decoder.decode(indexed(NEWEST)))).toMatch(/no table entry/);
  });

  it('becomes smaller and larger again, several times in front of a block', () => {
    const decoder = decoderOf();
    decoder.decode(kept('a', 'b'));
    decoder.decode(Buffer.concat([resized(4096), resized(100)]));
    expect(decoder.decode(indexed(NEWEST)).fields).toEqual(['a', 'b']);
    decoder.decode(Buffer.concat([resized(0), resized(4096)]));
    expect(compressionError(() => decoder.decode(indexed(NEWEST)))).toMatch(/no table entry/);
    decoder.decode(kept('c', 'd'));
    expect(decoder.decode(indexed(NEWEST)).fields).toEqual(['c', 'd']);
  });

  it('keeps nothing while its size is 0', () => {
    const decoder = decoderOf();
    expect(decoder.decode(Buffer.concat([resized(0), kept('a', 'b')])).fields).toEqual(['a', 'b']);
    expect(compressionError(() => decoder.decode(indexed(NEWEST)))).toMatch(/no table entry/);
  });

  it('does not keep literals without indexing', () => {
    const decoder = decoderOf();
    decoder.decode(Buffer.concat([notKept('a', 'b'), neverKept('c', 'd')]));
    expect(compressionError(() => decoder.decode(indexed(NEWEST)))).toMatch(/no table entry/);
  });
});

describe('a broken block', () => {
  const long = 'l'.repeat(40);
  it.each([
    ['index 0', indexed(0)],
    ['an index beyond both tables', indexed(62)],
    ['a name beyond both tables', Buffer.concat([integer(0x40, 6, 62), text('v')])],
    ['a huge index', integer(0x80, 7, 2 ** 27)],
    ['an index of more than 28 bits', integer(0x80, 7, 2 ** 29)],
    ['an index of many bytes', Buffer.from([0xff, ...Array.from({ length: 100 }, () => 0x80), 0])],
    ['an index without its end', Buffer.from([0xff, 0x80, 0x80])],
    ['a table larger than allowed', resized(4097)],
    ['a change of the table after a field', Buffer.concat([indexed(2), resized(0)])],
    ['a text without its end', notKept('name', 'value').subarray(0, -1)],
    ['a name without a value', Buffer.concat([integer(0, 4, 0), text('name')])],
    ['a name that is missing', Buffer.from([0x40])],
    ['a length of 256 MB', Buffer.concat([integer(0, 4, 4), integer(0, 7, 2 ** 28)])],
    ['a wrong Huffman code', Buffer.concat([integer(0, 4, 4), Buffer.from([0x84, 0xff, 0xff, 0xff, 0xff])])],
  ])('%s', (_name, block) => {
    expect(compressionError(() => decoderOf().decode(block))).not.toBe('');
  });

  it('that ends within a repeated value', () => {
    const decoder = decoderOf();
    const block = notKept('authorization', long);
    decoder.decode(block);
    expect(compressionError(() => decoder.decode(block.subarray(0, -1)))).toMatch(/truncated/);
  });
});

describe('long values that are sent in full', () => {
  const token = (letter: string, length = 1000): string => `Bearer ${letter.repeat(length)}`;

  it.each([
    ['the same again', [token('a'), token('a'), token('a')]],
    ['another of that length', [token('a'), token('b'), token('a')]],
    ['a shorter one', [token('a'), token('a', 900), token('a')]],
    ['a short one', [token('a'), 'short', token('a')]],
    ['very long ones', [token('a', 20_000), token('b', 20_000), token('a', 20_000)]],
  ])('%s', (_name, values) => {
    const decoder = decoderOf();
    for (const huffman of [false, true]) {
      for (const value of values) {
        expect(decoder.decode(Buffer.concat([integer(0x10, 4, 23), text(value, { huffman })])).fields).toEqual([
          'authorization',
          value,
        ]);
      }
    }
  });

  it('are distinguished by name, and by encoding', () => {
    const decoder = decoderOf();
    const value = 'x'.repeat(50);
    for (let i = 0; i < 20; i++) decoder.decode(notKept(`name-${i}`, `${value}${i}`));
    for (let i = 0; i < 20; i++)
      expect(decoder.decode(notKept(`name-${i}`, `${value}${19 - i}`)).fields).toEqual([
        `name-${i}`,
        `${value}${19 - i}`,
      ]);
    const encoded = text(value, { huffman: true });
    const plain = Buffer.concat([integer(0, 7, encoded.length - 1), encoded.subarray(1)]);
    const name = Buffer.concat([integer(0, 4, 0), text('name-0')]);
    expect(decoder.decode(Buffer.concat([name, encoded])).fields[1]).toBe(value);
    expect(decoder.decode(Buffer.concat([name, plain])).fields[1]).toBe(encoded.toString('latin1', 1));
  });

  it('stay bad if they were', () => {
    const decoder = decoderOf();
    const bad = notKept('name', `${'x'.repeat(40)}\n`);
    expect([decoder.decode(bad).valid, decoder.decode(bad).valid]).toEqual([false, false]);
  });

  it('do not change when the input buffer is reused', () => {
    const decoder = decoderOf();
    const block = notKept('name', 'x'.repeat(40));
    decoder.decode(block);
    block.fill('y', block.length - 40);
    expect(decoder.decode(block).fields[1]).toBe('y'.repeat(40));
  });
});

describe('limits', () => {
  it.each([
    ['as many bytes as allowed', { bytes: 2 * 40, pairs: 10 }, false],
    ['a byte more', { bytes: 2 * 40 - 1, pairs: 10 }, true],
    ['as many headers as allowed', { bytes: 1000, pairs: 2 }, false],
    ['a header more', { bytes: 1000, pairs: 1 }, true],
  ])('%s', (_name, limits, tooMany) => {
    expect(decoderOf(limits).decode(Buffer.concat([notKept('four', 'four'), notKept('four', 'four')])).tooMany).toBe(
      tooMany,
    );
  });

  it('give few fields of a block that names a large entry again and again, and read on', () => {
    const decoder = decoderOf();
    decoder.decode(kept('bomb', 'b'.repeat(4000)));
    const { fields, tooMany } = decoder.decode(
      Buffer.concat([...Array.from({ length: 16_000 }, () => indexed(62)), kept('after', 'it')]),
    );
    expect(tooMany).toBe(true);
    expect(fields.length).toBeLessThan(2 * 17);
    expect(decoder.decode(indexed(62))).toMatchObject({ fields: ['after', 'it'], tooMany: false });
  });

  it('once exceeded, drop all later fields', () => {
    expect(
      decoderOf({ bytes: 100, pairs: 10 }).decode(Buffer.concat([notKept('a', 'x'.repeat(100)), notKept('b', 'c')]))
        .fields,
    ).toEqual([]);
  });
});
