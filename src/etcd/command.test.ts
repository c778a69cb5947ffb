import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Context, createContext, RealClock, silentLogger } from '../kernel/index.ts';
import { createEtcdStore } from './client/store.ts';
import { runEtcdCommand } from './command.ts';
import { parseAutoCompaction } from './command/auto-compaction.ts';
import { get, put, text } from './contract/fixture.ts';
import { openEmbeddedStore } from './embedded/store.ts';

const clock = new RealClock();
const directory = mkdtempSync(join(tmpdir(), 'k8ts-command-'));
afterAll(() => rmSync(directory, { recursive: true }));

const newContext = (signal?: AbortSignal): Context => createContext({ logger: silentLogger, signal });

async function withServer(argv: string[], use: (url: string) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    running = runEtcdCommand(newContext(stop.signal), argv, { onReady: ([first]) => resolve(first!) });
    running.catch(reject);
  });
  try {
    await use(url);
  } finally {
    stop.abort();
    await running;
  }
}

async function printed(argv: string[]): Promise<string> {
  let output = '';
  await runEtcdCommand(newContext(), argv, { write: (part) => (output += part) });
  return output;
}

describe('k8ts etcd', () => {
  it('serves until stopped, and stores durably', async () => {
    const argv = [
      '--data-dir',
      join(directory, 'data'),
      '--listen-client-urls=http://127.0.0.1:0',
      '--snapshot-count',
      '5',
    ];
    await withServer(argv, async (url) => {
      const store = createEtcdStore({ endpoints: [url], clock });
      await put(store, 'a', '1');
      await store.close();
    });
    await withServer(argv, async (url) => {
      const store = createEtcdStore({ endpoints: [url], clock });
      expect(text((await get(store, 'a'))!.value)).toBe('1');
      await store.close();
      expect(await (await fetch(`${url}/health`)).json()).toEqual({ health: 'true', reason: '' });
    });
  });

  it.each([
    { name: 'an unknown flag', argv: ['--frob'], message: 'unknown flag: --frob' },
    { name: 'a flag without its value', argv: ['--data-dir'], message: 'flag needs an argument: --data-dir' },
    { name: 'an unknown snapshot verb', argv: ['snapshot', 'burn'], message: 'unknown command "snapshot burn"' },
    {
      name: 'an address that is none',
      argv: ['--data-dir', join(directory, 'x'), '--listen-client-urls', 'nowhere'],
      message: 'not an address to listen on',
    },
    {
      name: 'https without a certificate',
      argv: ['--data-dir', join(directory, 'x'), '--listen-client-urls', 'https://127.0.0.1:0'],
      message: 'needs a certificate',
    },
    {
      name: 'client certificates without an authority',
      argv: ['--client-cert-auth', '--cert-file=a', '--key-file=b'],
      message: 'needs --trusted-ca-file',
    },
    {
      name: 'a retention that is none',
      argv: ['--auto-compaction-retention', 'soon'],
      message: 'time: invalid duration "soon"',
    },
  ])('refuses $name', async ({ argv, message }) => {
    await expect(runEtcdCommand(newContext(), argv)).rejects.toThrow(message);
  });

  it.each([
    { mode: undefined, retention: undefined, policy: undefined },
    { mode: 'periodic', retention: '0', policy: undefined },
    { mode: 'periodic', retention: '2', policy: { mode: 'periodic', retentionMs: 7_200_000 } },
    { mode: 'periodic', retention: '1h30m', policy: { mode: 'periodic', retentionMs: 5_400_000 } },
    { mode: 'revision', retention: '1000', policy: { mode: 'revision', revisions: 1000 } },
  ])('understands retention $retention in mode $mode', ({ mode, retention, policy }) => {
    expect(parseAutoCompaction(mode, retention)).toEqual(policy);
  });
});

describe('k8ts etcd snapshot', () => {
  const saved = join(directory, 'saved.db');
  let revision = 0;

  beforeAll(async () => {
    const argv = ['--data-dir', join(directory, 'source'), '--listen-client-urls', 'http://127.0.0.1:0'];
    await withServer(argv, async (url) => {
      const store = createEtcdStore({ endpoints: [url], clock });
      for (let i = 0; i < 50; i++) revision = await put(store, `k${i}`, `v${i}`);
      let stop = false;
      const load = (async () => {
        for (let i = 0; !stop; i++) {
          const pair = [`pair/a${i}`, `pair/b${i}`].map((key) => ({
            op: 'put' as const,
            key,
            value: Buffer.from('x'),
          }));
          await store.txn({ success: pair });
        }
      })();
      expect(await printed(['snapshot', 'save', saved, '--endpoints', url])).toBe(`Snapshot saved at ${saved}\n`);
      stop = true;
      await load;
      await store.close();
    });
  });

  it('is consistent under load, and restores everything', async () => {
    const target = join(directory, 'restored');
    expect(await printed(['snapshot', 'restore', saved, '--data-dir', target])).toMatch(/^Snapshot restored/);
    const store = await openEmbeddedStore({ directory: target, clock });
    expect(text((await get(store, 'k49'))!.value)).toBe('v49');
    expect(await store.revision()).toBeGreaterThanOrEqual(revision);
    const { kvs } = await store.range({ key: 'pair/', rangeEnd: 'pair0' });
    expect(kvs.filter(({ key }) => key.startsWith('pair/a')).length).toBe(kvs.length / 2);
    await store.close();
  });

  it('prints its status in three formats', async () => {
    const status = JSON.parse(await printed(['snapshot', 'status', saved, '-w', 'json'])) as {
      revision: number;
      totalKeys: number;
    };
    expect(status.totalKeys).toBeGreaterThanOrEqual(50);
    expect(status.revision).toBeGreaterThanOrEqual(revision);
    expect(await printed(['snapshot', 'status', saved, '--write-out=table'])).toMatch(
      /HASH.*REVISION.*TOTAL KEYS.*TOTAL SIZE/,
    );
    expect(await printed(['snapshot', 'status', saved])).toMatch(/^[0-9a-f]+, \d+, \d+, \d/);
  });

  it.each([
    { name: 'truncated', damage: (path: string) => truncateSync(path, 4096) },
    { name: 'truncated by a page', damage: (path: string) => truncateSync(path, readFileSync(path).length - 4096) },
    { name: 'with a flipped bit', damage: (path: string) => flip(path, 5000) },
    { name: 'empty', damage: (path: string) => truncateSync(path, 0) },
  ])('refuses a file that is $name, and writes nothing', async ({ name, damage }) => {
    const path = join(directory, `${name}.db`);
    copyFileSync(saved, path);
    damage(path);
    const target = join(directory, `target ${name}`);
    await expect(printed(['snapshot', 'status', path])).rejects.toThrow(/damaged/);
    await expect(printed(['snapshot', 'restore', path, '--data-dir', target])).rejects.toThrow(/damaged/);
    expect(readdirSync(directory)).not.toContain(`target ${name}`);
  });

  it('never overwrites a data directory', async () => {
    const target = join(directory, 'occupied');
    mkdirSync(target);
    writeFileSync(join(target, 'precious'), '');
    await expect(printed(['snapshot', 'restore', saved, '--data-dir', target])).rejects.toThrow('not empty');
    expect(readdirSync(target)).toEqual(['precious']);
  });

  it('leaves nothing behind', () => {
    expect(readdirSync(directory).filter((name) => name.startsWith('.') || name.endsWith('.part'))).toEqual([]);
  });
});

function flip(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes[offset]! ^= 1;
  writeFileSync(path, bytes);
}
