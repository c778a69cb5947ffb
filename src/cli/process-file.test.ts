import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimDirectory, findCluster, readProcessFile } from './process-file.ts';

describe('the file by which a cluster is found', () => {
  let directory: string;
  beforeEach(() => (directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-claim-'))));
  afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));
  const file = (): string => path.join(directory, 'k8ts.pid');

  it('belongs to one process, which releases it', async () => {
    const { release } = claimDirectory(directory, false);
    expect(findCluster(directory, true).process.pid).toBe(process.pid);
    expect(() => claimDirectory(directory, false)).toThrow(
      `a cluster is running in ${directory} (process ${process.pid})`,
    );
    expect(fs.readdirSync(directory)).toEqual(['k8ts.pid']);
    await release();
    expect(fs.readdirSync(directory)).toEqual([]);
    expect(() => findCluster(directory, true)).toThrow('no cluster is running');
  });

  it.each([
    ['a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, started: '1' })],
    ['another process with the same number', JSON.stringify({ pid: process.pid, started: 'another time' })],
    ['nobody, because it is damaged', '{"pid'],
  ])('is taken over from %s', async (_, text) => {
    fs.writeFileSync(file(), text);
    expect(readProcessFile(directory)).toBeUndefined();
    await claimDirectory(directory, false).release();
    expect(fs.existsSync(file())).toBe(false);
  });

  it('is left to its live owner', async () => {
    const { release } = claimDirectory(directory, false);
    const theirs = JSON.stringify({ pid: process.ppid, started: '', socket: '', ephemeral: false });
    fs.writeFileSync(file(), theirs);
    await release();
    expect(fs.readFileSync(file(), 'utf8')).toBe(theirs);
  });
});
