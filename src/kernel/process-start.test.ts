import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isStillRunning, processStart } from './process-start.ts';

const ended = (): number => spawnSync(process.execPath, ['--version']).pid;

afterEach(() => vi.restoreAllMocks());

describe.skipIf(!fs.existsSync('/proc/self/stat'))('with /proc', () => {
  it('tells a process from another with its pid', () => {
    const start = processStart(process.pid)!;
    expect(start).toMatch(/^\d+$/);
    expect(isStillRunning(process.pid, start)).toBe(true);
    expect(isStillRunning(process.pid, `${Number(start) - 1}`)).toBe(false);
    expect(isStillRunning(process.pid, '')).toBe(true);
    expect(isStillRunning(ended(), start)).toBe(false);
  });
});

describe('without /proc', () => {
  it('tells a process that runs from one that has ended', () => {
    vi.spyOn(fs, 'readFileSync').mockImplementation(() => {
      throw new Error('ENOENT');
    });
    expect(processStart(process.pid)).toBe('');
    expect(isStillRunning(process.pid, '')).toBe(true);
    expect(isStillRunning(ended(), '')).toBe(false);
  });
});
