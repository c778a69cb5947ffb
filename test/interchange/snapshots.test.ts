/** A backup of one etcd is restored by the other: etcd's own tools with `k8ts etcd`, in both directions. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createEtcdStore, type KeyValue, type Store } from '../../src/etcd/index.ts';
import { RealClock } from '../../src/kernel/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { freePort } from '../free-port.ts';
import { builtProgram } from '../k8ts-process.ts';
import { findProgram, requires } from '../requires.ts';

const missing = requires('etcd', 'etcdctl');
const title = `snapshots of etcd${missing ? ` (skipped: ${missing})` : ''}`;
const clock = new RealClock();
const KEYS = 3000;

type Side = 'upstream' | 'k8ts';

let directory = '';
const children: ChildProcess[] = [];
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(directory, { recursive: true, force: true });
});

async function startEtcd(side: Side, dataDirectory: string): Promise<{ store: Store; url: string }> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const flags = [`--data-dir=${dataDirectory}`, `--listen-client-urls=${url}`, `--advertise-client-urls=${url}`];
  const child =
    side === 'upstream'
      ? spawn(findProgram('etcd')!, [...flags, '--listen-peer-urls=http://127.0.0.1:0', '--log-level=error'])
      : spawn(process.execPath, [await builtProgram(), 'etcd', ...flags]);
  children.push(child);
  const store = createEtcdStore({ endpoints: [url], clock });
  stores.push(store);
  const answers = (): Promise<boolean> =>
    fetch(`${url}/health`, { signal: clock.deadline(1000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(`${side} etcd is healthy`, answers, { intervalMs: 100 });
  return { store, url };
}

/** Keys that were changed, deleted, leased, written together, and values of many pages. */
async function fill(store: Store): Promise<void> {
  const { id: lease } = await store.leaseGrant({ ttl: 3600 });
  const put = (key: string, value: string, more = {}) => ({
    op: 'put' as const,
    key,
    value: Buffer.from(value),
    ...more,
  });
  for (let i = 0; i < KEYS; i += 50)
    await store.txn({ success: Array.from({ length: 50 }, (_, j) => put(`/registry/k${i + j}`, `v${i + j}`)) });
  for (let i = 0; i < 100; i++) await store.txn({ success: [put(`/registry/k${i}`, `changed ${i}`)] });
  await store.txn({ success: [put('/leased', 'l', { lease })] });
  await store.txn({ success: [put('/large', 'x'.repeat(600_000)), put('/binary\u00ff\u0000', '\u0000')] });
  for (let i = 100; i < 150; i++) await store.txn({ success: [{ op: 'delete', key: `/registry/k${i}` }] });
}

const all = async (store: Store): Promise<(Omit<KeyValue, 'value'> & { value: string })[]> =>
  (await store.range({ key: '\0', rangeEnd: '\0' })).kvs.map((kv) => ({
    ...kv,
    value: Buffer.from(kv.value).toString('base64'),
  }));

function restore(side: Side, snapshot: string, target: string, program: string): void {
  const options = { env: { ...process.env, ETCDCTL_API: '3' }, stdio: 'pipe' as const };
  if (side === 'k8ts')
    execFileSync(process.execPath, [program, 'etcd', 'snapshot', 'restore', snapshot, `--data-dir=${target}`]);
  else
    execFileSync(
      findProgram('etcdutl') ?? findProgram('etcdctl')!,
      ['snapshot', 'restore', snapshot, `--data-dir=${target}`],
      options,
    );
}

describe.skipIf(missing)(title, { timeout: 240_000 }, () => {
  it.each<[Side, Side]>([
    ['k8ts', 'upstream'],
    ['upstream', 'k8ts'],
    ['k8ts', 'k8ts'],
  ])('saved from %s by etcdctl, restored by %s', async (from, to) => {
    directory = mkdtempSync(join(tmpdir(), 'k8ts-snapshots-'));
    const program = await builtProgram();
    const { store, url } = await startEtcd(from, join(directory, 'source'));
    await fill(store);
    const snapshot = join(directory, 'snapshot.db');
    execFileSync(findProgram('etcdctl')!, ['--endpoints', url, 'snapshot', 'save', snapshot], {
      env: { ...process.env, ETCDCTL_API: '3' },
      stdio: 'pipe',
    });
    const before = await all(store);
    const revision = await store.revision();
    restore(to, snapshot, join(directory, 'target'), program);
    const restored = await startEtcd(to, join(directory, 'target'));
    expect(await all(restored.store)).toEqual(before);
    expect(await restored.store.revision()).toBe(revision);
    expect(await restored.store.leases()).toEqual(await store.leases());
    const leased = await restored.store.leaseTimeToLive((await store.leases())[0]!, { keys: true });
    expect([leased.grantedTtl, leased.keys]).toEqual([3600, ['/leased']]);
    const { revision: next } = await restored.store.txn({
      success: [{ op: 'put', key: '/registry/k1', value: Buffer.from('after') }],
    });
    expect(next).toBe(revision + 1);
  });
});
