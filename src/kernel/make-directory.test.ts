import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDirectory, makeDirectorySync } from './make-directory.ts';

let home = '';
beforeEach(() => (home = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-make-directory-'))));
afterEach(() => fs.rmSync(home, { recursive: true, force: true }));

const ways = {
  makeDirectory,
  makeDirectorySync: async (directory: string, options?: { mode?: number }) => makeDirectorySync(directory, options),
};

describe.each(Object.entries(ways))('%s', (_, make) => {
  it('creates missing directories with the mode, and returns the topmost one', async () => {
    const deep = path.join(home, 'a/b/c');
    expect(await make(deep, { mode: 0o700 })).toBe(path.join(home, 'a'));
    expect(fs.statSync(deep).mode & 0o777).toBe(0o700);
    expect(fs.statSync(path.join(home, 'a')).mode & 0o777).toBe(0o700);
    expect(await make(deep)).toBeUndefined();
    expect(await make('/')).toBeUndefined();
  });

  it('follows a link to a directory, and refuses a dangling one', async () => {
    fs.mkdirSync(path.join(home, 'real'));
    fs.symlinkSync('real', path.join(home, 'link'));
    fs.symlinkSync('nowhere', path.join(home, 'dangling'));
    expect(await make(path.join(home, 'link/below'))).toBe(path.join(home, 'link/below'));
    await expect(make(path.join(home, 'dangling'))).rejects.toMatchObject({
      code: 'EEXIST',
      path: path.join(home, 'dangling'),
    });
  });

  it('names the file that is in the way', async () => {
    fs.writeFileSync(path.join(home, 'file'), '');
    await expect(make(path.join(home, 'file'))).rejects.toMatchObject({
      code: 'EEXIST',
      path: path.join(home, 'file'),
    });
    await expect(make(path.join(home, 'file/below/it'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  // Node's own mkdir with `recursive: true` never returns from these.
  it
    .runIf(process.platform === 'linux')
    .each(['/proc/k8ts-test', '/proc/k8ts-test/below', '/proc/self/fdinfo/k8ts-test'])(
    'ends at %s with the reason',
    async (directory) => {
      await expect(make(directory)).rejects.toMatchObject({
        code: expect.stringMatching(/ENOENT|EACCES|EPERM|EROFS/),
        syscall: 'mkdir',
      });
    },
  );
});
