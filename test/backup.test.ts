/** A cluster is saved under load, its machine is lost, and it comes back elsewhere with everything that was acknowledged. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { connect, loadKubeconfig, type Client } from '../src/client/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { builtProgram } from './k8ts-process.ts';

const run = promisify(execFile);
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-backup-'));
const ctx = createContext();
const k8ts = async (...args: readonly string[]): Promise<string> =>
  (await run(process.execPath, [await builtProgram(), ...args], { maxBuffer: 2 ** 24 })).stdout;
const json = async <T>(...args: readonly string[]): Promise<T> => JSON.parse(await k8ts(...args, '-o', 'json')) as T;
const up = (directory: string): Promise<{ pid: number }> =>
  json('up', '--data-dir', directory, '--port', '0', '--nodes', '0', '--addons', 'storage', '--detach');
const clientOf = async (directory: string): Promise<Client> =>
  connect(ctx, await loadKubeconfig({ clock: ctx.clock, file: path.join(directory, 'kubeconfig') }));

const running = new Set<string>();
afterAll(async () => {
  for (const directory of running) await k8ts('down', '--data-dir', directory).catch(() => undefined);
  fs.rmSync(root, { recursive: true, force: true });
});

it('loses nothing that was acknowledged before the snapshot', async () => {
  const [original, restored, file] = ['original', 'restored', 'cluster.tgz'].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
  ];
  running.add(original);
  const { pid } = await up(original);
  fs.writeFileSync(path.join(original, 'k8ts.yaml'), 'nodes: 0\n');
  fs.mkdirSync(path.join(original, 'volumes', 'pv', 'empty'), { recursive: true, mode: 0o750 });
  fs.writeFileSync(path.join(original, 'volumes', 'pv', 'data'), 'of a volume', { mode: 0o640 });
  fs.symlinkSync('data', path.join(original, 'volumes', 'pv', 'link'));
  const client = await clientOf(original);
  const configMaps = client.resource('v1/configmaps');
  await client
    .resource('v1/secrets')
    .create({ metadata: { name: 'drill', namespace: 'default' }, data: { password: 'Y29ycmVjdA==' } });
  const token = await client
    .resource('v1/serviceaccounts')
    .subresource({ name: 'default', namespace: 'default' }, 'token')
    .create({ spec: { audiences: [], expirationSeconds: 3600 } } as never);

  const acknowledged: string[] = [];
  let writing = true;
  const writer = (async () => {
    for (let i = 0; writing && i < 5000; i++) {
      const name = `written-${i}`;
      await configMaps.create({ metadata: { name, namespace: 'default' }, data: { i: String(i) } });
      acknowledged.push(name);
    }
  })();
  while (acknowledged.length < 50) await ctx.clock.sleep(20);
  const before = acknowledged.length;
  const saved = await json<{ revision: number }>('snapshot', 'save', file, '--data-dir', original, '--volumes');
  writing = false;
  await writer;
  await client.close();
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(await json('snapshot', 'status', file)).toMatchObject({ revision: saved.revision, format: 'k8ts-snapshot' });

  // The machine is lost.
  process.kill(pid, 'SIGKILL');
  running.delete(original);
  await expect.poll(() => fs.existsSync(`/proc/${pid}`)).toBe(false);
  fs.renameSync(path.join(original, 'kubeconfig'), path.join(root, 'old-kubeconfig'));
  fs.rmSync(original, { recursive: true });

  const back = await json<{ revision: number }>('snapshot', 'restore', file, '--data-dir', restored);
  expect(back.revision).toBe(saved.revision);
  expect(fs.readFileSync(path.join(restored, 'k8ts.yaml'), 'utf8')).toBe('nodes: 0\n');
  expect(fs.readFileSync(path.join(restored, 'volumes', 'pv', 'link'), 'utf8')).toBe('of a volume');
  expect(fs.statSync(path.join(restored, 'volumes', 'pv', 'data')).mode & 0o777).toBe(0o640);
  expect(fs.statSync(path.join(restored, 'volumes', 'pv', 'empty')).isDirectory()).toBe(true);
  for (const name of ['ca.key', 'sa.key', 'encryption-config.yaml'])
    expect(fs.statSync(path.join(restored, 'pki', name)).mode & 0o077, name).toBe(0);

  running.add(restored);
  await up(restored);
  const again = await clientOf(restored);
  const { items } = await again.resource('v1/configmaps').list({ namespace: 'default' });
  const present = new Set(items.map(({ metadata }) => metadata.name));
  expect(acknowledged.slice(0, before).filter((name) => !present.has(name))).toEqual([]);
  const secret = await again.resource('v1/secrets').get({ name: 'drill', namespace: 'default' });
  expect(secret.data).toEqual({ password: 'Y29ycmVjdA==' });
  // Old credentials are good: the CA and the token key are the same.
  const { config: old, token: bearer } = {
    config: await loadKubeconfig({ clock: ctx.clock, file: path.join(root, 'old-kubeconfig') }),
    token: (token as { status?: { token: string } }).status!.token,
  };
  const { server } = await loadKubeconfig({ clock: ctx.clock, file: path.join(restored, 'kubeconfig') });
  const oldAdmin = connect(ctx, { ...old, server });
  await oldAdmin.resource('v1/namespaces').get({ name: 'default' });
  const review = await oldAdmin
    .resource('authentication.k8s.io/v1/tokenreviews')
    .create({ metadata: {}, spec: { token: bearer } });
  expect(review.status?.user?.username).toBe('system:serviceaccount:default:default');
  await Promise.all([again.close(), oldAdmin.close()]);
});

it('restores nothing over a cluster, and leaves nothing of a damaged file', async () => {
  const file = path.join(root, 'cluster.tgz');
  await expect(k8ts('snapshot', 'restore', file, '--data-dir', path.join(root, 'restored'))).rejects.toThrow(
    /was left as it is/,
  );
  const damaged = path.join(root, 'damaged.tgz');
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(damaged, bytes.subarray(0, bytes.length - 5000));
  const target = path.join(root, 'target');
  await expect(k8ts('snapshot', 'restore', damaged, '--data-dir', target)).rejects.toThrow(/is not a snapshot/);
  expect(fs.existsSync(path.join(target, 'etcd')) || fs.existsSync(path.join(target, 'pki'))).toBe(false);
  await expect(k8ts('snapshot', 'status', damaged)).rejects.toThrow(/is not a snapshot/);
});
