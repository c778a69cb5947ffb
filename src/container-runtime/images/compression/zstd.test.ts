import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { detectCompression } from './decompress.ts';
import { decodeZstd } from './zstd.ts';

async function decode(data: Buffer, chunk = 1000): Promise<Buffer> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < data.length; at += chunk) yield data.subarray(at, at + chunk);
  }
  const parts: Buffer[] = [];
  for await (const part of decodeZstd(chunks())) parts.push(part);
  return Buffer.concat(parts);
}

describe('zstd frames written by hand', () => {
  const frame = (...blocks: readonly string[]): Buffer => Buffer.from(`28b52ffd0058${blocks.join('')}`, 'hex');
  const taken: readonly [name: string, data: Buffer, text: string][] = [
    ['nothing', Buffer.alloc(0), ''],
    ['an empty frame', frame('010000'), ''],
    ['a raw block', frame('19000061', '6263'), 'abc'],
    ['a repeated byte', frame('2b000061'), 'aaaaa'],
    ['two blocks', frame('18000061', '6263', '2b000061'), 'abcaaaaa'],
    [
      'two frames, and one to skip',
      Buffer.concat([frame('2b000061'), Buffer.from('502a4d1802000000ffff', 'hex'), frame('2b000062')]),
      'aaaaabbbbb',
    ],
  ];
  it.each(taken)('%s', async (_name, data, text) => {
    expect((await decode(data, 1)).toString()).toBe(text);
  });

  const refused: readonly [name: string, data: Buffer, message: RegExp][] = [
    ['other data', Buffer.from('this is text'), /not zstd/],
    ['half a frame', frame('19000061'), /ends in the middle/],
    ['an unknown block', frame('07000061'), /impossible header/],
    ['a block that is too large', frame('030020', '61'), /impossible header/],
    ['a window without bounds', Buffer.from('28b52ffd00f0010000', 'hex'), /bytes of memory/],
    ['a dictionary', Buffer.from('28b52ffd015805010000', 'hex'), /dictionary/],
    ['a compressed block of zeros', frame('250000', '00000000'), /goes on after its end/],
  ];
  it.each(refused)('refuses %s', async (_name, data, message) => {
    await expect(decode(data)).rejects.toThrow(message);
  });

  it('is recognised by its first bytes', () => {
    expect(detectCompression(frame())).toBe('zstd');
    expect(detectCompression(Buffer.from('502a4d18', 'hex'))).toBe('zstd');
    expect(detectCompression(Buffer.from('1f8b0800', 'hex'))).toBe('gzip');
    expect(detectCompression(Buffer.from('usr/'))).toBe('none');
  });
});

const hasZstd = spawnSync('zstd', ['--version']).status === 0;

describe.skipIf(!hasZstd)(`output of the zstd program${hasZstd ? '' : ' (needs zstd)'}`, () => {
  const text = readFileSync(new URL('zstd-block.ts', import.meta.url));
  const noise = Buffer.concat(
    Array.from({ length: 2000 }, (_, index) => createHash('sha256').update(`${index}`).digest()),
  );
  const inputs: Readonly<Record<string, Buffer>> = {
    'one byte': Buffer.from('x'),
    text,
    noise,
    zeros: Buffer.alloc(400_000),
    program: readFileSync(process.execPath).subarray(0, 600_000),
    mixed: Buffer.concat([text, noise, text, Buffer.alloc(200_000, 'ab'), noise.subarray(7), text]),
    'two letters': Buffer.from(noise.map((byte) => 97 + (byte & 1))),
  };
  const levels = [['-1'], ['-17'], ['--fast=5', '--no-check', '-B16K']];
  const rows = Object.keys(inputs).flatMap((name) => levels.map((level): [string, string[]] => [name, level]));
  it.each(rows)('%s at %j', async (name, level) => {
    const input = inputs[name] ?? Buffer.alloc(0);
    const { stdout } = spawnSync('zstd', [...level, '-c', '-q'], { input, maxBuffer: 1 << 28 });
    const output = await decode(stdout, 60_000);
    expect(output.equals(input)).toBe(true);
  });

  it('a changed byte never causes an endless loop or leaves the buffer', async () => {
    const { stdout } = spawnSync('zstd', ['-9', '-c', '-q'], { input: text });
    for (let at = 4; at < stdout.length; at += 97) {
      const damaged = Buffer.from(stdout);
      damaged[at] = (damaged[at] ?? 0) ^ 0x55;
      const output = await decode(damaged, 60_000).catch((error: unknown) => error);
      if (output instanceof Error) expect(output.name).toMatch(/ZstdError|RangeError/);
    }
  });
});
