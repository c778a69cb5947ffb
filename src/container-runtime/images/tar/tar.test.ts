import { describe, expect, it } from 'vitest';
import { encodePax } from './pax-records.ts';
import { paddingOf, type TarEntry } from './tar-entry.ts';
import { checksum, FIELDS } from './tar-header.ts';
import { readTar } from './tar-reader.ts';
import { encodeTar, encodeTarEntry, TAR_END, type TarEntryToWrite } from './tar-writer.ts';

/** Reads an archive that comes in pieces of an awkward size. */
async function read(archive: Buffer, piece = 77): Promise<(TarEntry & { content: string })[]> {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < archive.length; at += piece) yield archive.subarray(at, at + piece);
  }
  const found: (TarEntry & { content: string })[] = [];
  for await (const { entry, content } of readTar(pieces())) {
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(Buffer.from(chunk));
    found.push({ ...entry, content: Buffer.concat(chunks).toString() });
  }
  return found;
}

/** A header whose fields are overwritten by hand, with its checksum right again. */
function header(entry: TarEntryToWrite, change: Partial<Record<keyof typeof FIELDS, string | Buffer>> = {}): Buffer {
  const block = Buffer.from(encodeTarEntry(entry));
  for (const [field, value] of Object.entries(change)) {
    const [offset, length] = FIELDS[field as keyof typeof FIELDS];
    block.fill(0, offset, offset + length);
    Buffer.from(value).copy(block, offset, 0, length);
  }
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, FIELDS.checksum[0], 'latin1');
  return block;
}

function padded(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([bytes, Buffer.alloc(paddingOf(bytes.length))]);
}

describe('tar archives', () => {
  it('survive a round trip', async () => {
    const attributes = new Map([['user.a', Buffer.from([0, 1, 10, 61, 255])]]);
    const entries: (TarEntryToWrite & { content?: string })[] = [
      { name: 'dir/', type: 'directory', mode: 0o1777, uid: 1, gid: 2, modified: 3 },
      { name: 'dir/file', content: 'text', mode: 0o4755 },
      { name: `dir/${'long'.repeat(60)}`, content: 'x'.repeat(513) },
      { name: 'dir/ümläut', content: '' },
      { name: 'link', type: 'link', target: 'dir/file' },
      { name: 'symlink', type: 'symlink', target: 't'.repeat(300) },
      { name: 'null', type: 'character-device', device: { major: 1, minor: 3 } },
      { name: 'disk', type: 'block-device', device: { major: 8, minor: 17 } },
      { name: 'fifo', type: 'fifo' },
      { name: 'owner', uid: 3_000_000, gid: 4_000_000, modified: 1.5, attributes },
    ];
    const found = await read(encodeTar(entries));
    expect(found.map(({ name }) => name)).toEqual(entries.map(({ name }) => name));
    for (const [index, entry] of entries.entries()) expect(found[index]).toMatchObject({ content: '', ...entry });
  });

  const forms: readonly [name: string, archive: Buffer, expected: Partial<TarEntry>][] = [
    [
      'a long name of GNU',
      Buffer.concat([
        header({ name: '././@LongLink', size: 201 }, { flag: 'L' }),
        padded(`${'n'.repeat(200)}\0`),
        header({ name: 'n' }),
      ]),
      { name: 'n'.repeat(200) },
    ],
    [
      'a long target of GNU',
      Buffer.concat([
        header({ name: 'x', size: 150 }, { flag: 'K' }),
        padded('t'.repeat(150)),
        header({ name: 'n', type: 'symlink' }),
      ]),
      { target: 't'.repeat(150) },
    ],
    ['a prefix', header({ name: 'file' }, { prefix: 'some/folder' }), { name: 'some/folder/file' }],
    [
      "GNU's header, which has no prefix",
      header({ name: 'file' }, { magic: 'ustar  \0', prefix: '14567' }),
      { name: 'file' },
    ],
    ['a folder of old', header({ name: 'folder/' }, { flag: '\0' }), { type: 'directory' }],
    [
      'a large size in binary',
      header({ name: 'file', type: 'link' }, { size: Buffer.from('800000000000000200000000', 'hex') }),
      { type: 'link', size: 0 },
    ],
    [
      'a negative time',
      header({ name: 'file' }, { modified: Buffer.from('ffffffffffffffffffffffff', 'hex') }),
      { modified: -1 },
    ],
    ['numbers with spaces', header({ name: 'file' }, { mode: '   644 \0' }), { mode: 0o644 }],
  ];
  it.each(forms)('accepts %s', async (_name, archive, expected) => {
    expect((await read(Buffer.concat([archive, TAR_END])))[0]).toMatchObject(expected);
  });

  it('accepts a global header, which a local one overrides', async () => {
    const [everywhere, here] = [
      encodePax(
        new Map([
          ['uid', '77'],
          ['gid', '1'],
        ]),
      ),
      encodePax(new Map([['gid', '88']])),
    ];
    const archive = [
      header({ name: 'g', size: everywhere.length }, { flag: 'g' }),
      padded(everywhere),
      header({ name: 'x', size: here.length }, { flag: 'x' }),
      padded(here),
    ];
    const found = await read(Buffer.concat([...archive, header({ name: 'one' }), header({ name: 'two' }), TAR_END]));
    expect(found.map(({ uid, gid }) => [uid, gid])).toEqual([
      [77, 88],
      [77, 1],
    ]);
  });

  const refused: readonly [name: string, archive: Buffer, message: RegExp][] = [
    [
      'a wrong checksum',
      Buffer.from(encodeTarEntry({ name: 'x' }).map((byte, at) => (at === 0 ? byte + 1 : byte))),
      /wrong checksum/,
    ],
    ['a cut header', encodeTarEntry({ name: 'x' }).subarray(0, 300), /ends in the middle/],
    [
      'cut content',
      Buffer.concat([encodeTarEntry({ name: 'x', size: 1000 }), Buffer.alloc(600)]),
      /ends in the middle/,
    ],
    ['a sparse file of GNU', header({ name: 'x' }, { flag: 'S' }), /sparse file x/],
    ['a sparse file of pax', withPax('GNU.sparse.major', '1'), /sparse file y/],
    ['an unknown kind', header({ name: 'x' }, { flag: 'M' }), /unknown type "M", x/],
    [
      'an endless extended header',
      header({ name: 'x', size: 5_000_000 }, { flag: 'x' }),
      /extended header of 5000000 bytes/,
    ],
    [
      'a negative size',
      header({ name: 'x' }, { size: Buffer.from('ffffffffffffffffffffffff', 'hex') }),
      /size is out of range/,
    ],
    ['a size that is no number', header({ name: 'x' }, { size: '9999999999' }), /size is not a number/],
    [
      'a pax record without a length',
      Buffer.concat([header({ name: 'x', size: 5 }, { flag: 'x' }), padded('a=b\n\n')]),
      /without a length/,
    ],
    [
      'a pax record beyond its end',
      Buffer.concat([header({ name: 'x', size: 9 }, { flag: 'x' }), padded('99 a=b\n\n\n')]),
      /malformed pax/,
    ],
    ['a pax size out of range', withPax('size', '99999999999999999999'), /pax size that is out of range/],
    ['a name with a NUL', withPax('path', 'a\0b'), /a NUL in it/],
    ['a folder with content', header({ name: 'x', type: 'directory', size: 10 }), /directory x with 10 bytes/],
  ];
  it.each(refused)('refuses %s', async (_name, archive, message) => {
    await expect(read(archive)).rejects.toThrow(message);
  });

  it('reads on to the very end, past the end of the archive', async () => {
    let seen = 0;
    async function* source(): AsyncGenerator<Buffer> {
      for (const part of [encodeTar([{ name: 'x' }]), Buffer.alloc(5000, 'trailing')]) {
        seen += part.length;
        yield part;
      }
    }
    for await (const item of readTar(source())) expect(item.entry.name).toBe('x');
    expect(seen).toBe(512 + 1024 + 5000);
  });
});

function withPax(key: string, value: string): Buffer {
  const records = encodePax(new Map([[key, value]]));
  return Buffer.concat([
    header({ name: 'x', size: records.length }, { flag: 'x' }),
    padded(records),
    header({ name: 'y' }),
  ]);
}
