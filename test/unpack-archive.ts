/** Unpacks a compressed archive without tar or gzip, which a fresh machine may not have. */
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { readTar } from '../src/container-runtime/index.ts';

export async function unpackArchive(archive: string, directory: string): Promise<void> {
  for await (const { entry, content } of readTar(createReadStream(archive).pipe(createGunzip()))) {
    const pieces: Buffer[] = [];
    for await (const piece of content) pieces.push(piece);
    const path = join(directory, entry.name);
    mkdirSync(entry.type === 'directory' ? path : dirname(path), { recursive: true });
    if (entry.type !== 'directory') writeFileSync(path, Buffer.concat(pieces), { mode: 0o755 });
  }
}
