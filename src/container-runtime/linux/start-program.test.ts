import fs from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { startProgram } from './start-program.ts';

const linux = process.platform === 'linux';

/** Runs a shell command and gives what it wrote to the descriptors, and how it ended. */
async function shell(
  command: string,
  outputs: readonly number[] = [1],
  directory?: string,
): Promise<{ written: string[]; code: number }> {
  const program = await startProgram('/bin/sh', ['-c', command], {
    environment: { A: 'b c', PATH: '/usr/bin:/bin' },
    outputs,
    ...(directory === undefined ? {} : { directory }),
  });
  const written = await Promise.all(program.outputs.map((output) => text(output)));
  return { written, code: await program.ended() };
}

describe.skipIf(!linux)('starting programs without a fork', () => {
  it.each<[string, string, readonly number[], string[], number]>([
    ['output and exit code', 'echo out; exit 7', [1], ['out\n'], 7],
    ['several descriptors', 'echo out; echo err >&2; echo extra >&3', [1, 2, 3], ['out\n', 'err\n', 'extra\n'], 0],
    ['standard ones that lead nowhere', 'cat; echo lost; echo said >&2', [2], ['said\n'], 0],
    [
      'the environment, and nothing of ours',
      'env | grep -v -e ^PWD= -e ^_= | sort',
      [1],
      ['A=b c\nPATH=/usr/bin:/bin\n'],
      0,
    ],
    ['an end by signal', 'kill -9 $$', [], [], 137],
    ['signals as they are by default', 'kill -PIPE $$; echo ignored', [1], [''], 141],
  ])('%s', async (_, command, outputs, written, code) => {
    expect(await shell(command, outputs)).toEqual({ written, code });
  });

  it('begins in its directory', async () => {
    expect((await shell('pwd', [1], '/usr')).written).toEqual(['/usr\n']);
  });

  it('fails by name when there is no such program, and leaves no descriptor open', async () => {
    const open = (): number => fs.readdirSync('/proc/self/fd').length;
    await shell('true');
    const before = open();
    for (let i = 0; i < 5; i++)
      await expect(startProgram('/no/such/program', [], { environment: {}, outputs: [1, 2] })).rejects.toMatchObject({
        code: 'ENOENT',
      });
    expect(open()).toBe(before);
  });

  it('starts many at once', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, (_, i) => shell(`echo ${i}; exit ${i}`)));
    expect(all).toEqual(Array.from({ length: 40 }, (_, i) => ({ written: [`${i}\n`], code: i })));
  });

  it('passes no file descriptors of the process to the program', async () => {
    const ours = fs.openSync('/dev/null', 'r');
    try {
      const { written } = await shell('ls /proc/self/fd', [1, 3]);
      expect(written[0]!.split('\n')).not.toContain(String(ours));
    } finally {
      fs.closeSync(ours);
    }
  });
});
