import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createContext, createTestContext, followFiles, type Context, type FollowedFiles } from './index.ts';
import { until } from './testing/index.ts';

let directory = '';
let end = new AbortController();
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-follow-'));
  end = new AbortController();
});
afterEach(() => {
  end.abort();
  fs.rmSync(directory, { recursive: true, force: true });
});

const write = (name: string, text: string): void => fs.writeFileSync(path.join(directory, name), text);

interface Following {
  readonly followed: FollowedFiles<string>;
  readonly seen: string[];
  readonly log: string[];
}

async function follow(names: readonly string[], outer?: Context): Promise<Following> {
  const log: string[] = [];
  const ctx = outer ?? createContext({ signal: end.signal, writeLog: (line) => log.push(line) });
  const followed = await followFiles(ctx, {
    name: 'pair',
    files: names.map((name) => path.join(directory, name)),
    parse: (texts) => {
      if (new Set(texts.map((text) => text.at(-1))).size !== 1) throw new Error('they do not match');
      return texts.join('+');
    },
  });
  const seen: string[] = [];
  followed.onChange((value) => seen.push(value));
  return { followed, seen, log };
}

describe('followed files', () => {
  it.each(['cert', 'key'])('are refused at the start without %s', async (missing) => {
    write('cert', 'c1');
    write('key', 'k1');
    fs.rmSync(path.join(directory, missing));
    await expect(follow(['cert', 'key'])).rejects.toThrow('ENOENT');
  });

  it('are read again when one is written', async () => {
    write('ca', 'c1');
    const { followed, seen } = await follow(['ca']);
    expect(followed.value).toBe('c1');
    write('ca', 'c2');
    await until('the changed content', () => followed.value === 'c2');
    expect(seen).toEqual(['c2']);
  });

  it('keep their content while they do not match', async () => {
    write('cert', 'c1');
    write('key', 'k1');
    const { followed, seen, log } = await follow(['cert', 'key']);
    write('cert', 'c2');
    await until('a log line', () => log.some((line) => line.includes('keeping their last content')));
    expect(followed.value).toBe('c1+k1');
    write('key', 'k2');
    await until('the changed content', () => followed.value === 'c2+k2');
    expect(seen).toEqual(['c2+k2']);
  });

  it('are read again when a renamed file takes the place of one, again and again', async () => {
    write('ca', 'c1');
    const { followed } = await follow(['ca']);
    for (const text of ['c2', 'c3']) {
      write('new', text);
      fs.renameSync(path.join(directory, 'new'), path.join(directory, 'ca'));
      await until('the changed content', () => followed.value === text);
    }
  });

  it('are read again when a kubelet exchanges the directory of a mounted Secret', async () => {
    const mount = (version: string): void => {
      fs.mkdirSync(path.join(directory, version));
      write(`${version}/ca`, version);
      fs.symlinkSync(version, path.join(directory, '..data_tmp'));
      fs.renameSync(path.join(directory, '..data_tmp'), path.join(directory, '..data'));
    };
    mount('..1');
    fs.symlinkSync('..data/ca', path.join(directory, 'ca'));
    const { followed } = await follow(['ca']);
    expect(followed.value).toBe('..1');
    mount('..2');
    await until('the changed content', () => followed.value === '..2');
  });

  it('keep their content while one is missing', async () => {
    write('ca', 'c1');
    const { followed, log } = await follow(['ca']);
    fs.rmSync(path.join(directory, 'ca'));
    await until('a log line', () => log.some((line) => line.includes('keeping their last content')));
    expect(followed.value).toBe('c1');
    write('ca', 'c2');
    await until('the changed content', () => followed.value === 'c2');
  });

  it('are read every minute where nothing reports a change', async () => {
    const ctx = createTestContext();
    fs.mkdirSync(path.join(directory, 'elsewhere'));
    write('elsewhere/ca', 'c1');
    fs.symlinkSync('elsewhere/ca', path.join(directory, 'ca'));
    const { followed } = await follow(['ca'], ctx);
    write('elsewhere/ca', 'c2');
    await ctx.clock.advance(59_000);
    expect(followed.value).toBe('c1');
    await ctx.clock.advance(1000);
    await until('the changed content', () => followed.value === 'c2');
    ctx.stop();
  });

  it('are followed on when a listener fails', async () => {
    write('ca', 'c1');
    const { followed, log } = await follow(['ca']);
    followed.onChange((value) => {
      if (value === 'c2') throw new Error('this server does not want it');
    });
    write('ca', 'c2');
    await until('a log line', () => log.some((line) => line.includes('this server does not want it')));
    write('ca', 'c3');
    await until('the changed content', () => followed.value === 'c3');
  });

  it('are not read after the context has ended', async () => {
    write('ca', 'c1');
    const { followed, seen } = await follow(['ca']);
    const later = new AbortController();
    const other = await follow(['ca'], createContext({ signal: later.signal, writeLog: () => {} }));
    end.abort();
    write('ca', 'c2');
    await until('the changed content', () => other.followed.value === 'c2');
    later.abort();
    expect([followed.value, ...seen]).toEqual(['c1']);
  });
});
