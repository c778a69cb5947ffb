/** `k8ts fork`: a copy of a running cluster as it was, in processes of their own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connect, loadKubeconfig, type Client } from '../src/client/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { builtProgram } from './k8ts-process.ts';
import { everything, requires, some } from './requires.ts';

const scratch = mkdtempSync(join(tmpdir(), 'k8ts-fork-'));
const ctx = createContext({ writeLog: () => {} });
const started = new Set<string>();
const clients: Client[] = [];

async function k8ts(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [await builtProgram(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

/** Runs in the background until the end of the test. */
async function background(directory: string, ...args: string[]): Promise<string> {
  started.add(directory);
  const { code, output } = await k8ts(...args, '--data-dir', directory, '--detach', '--console=false');
  if (code !== 0) throw new Error(output);
  return output;
}

async function clientOf(directory: string): Promise<Client> {
  const client = connect(ctx, await loadKubeconfig({ clock: ctx.clock, file: join(directory, 'kubeconfig') }));
  clients.push(client);
  return client;
}

afterAll(async () => {
  for (const client of clients) await client.close();
  for (const directory of started) await k8ts('down', '--data-dir', directory);
  rmSync(scratch, { recursive: true, force: true });
});

const labels = { app: 'web' };
const deployment = (image: string) => ({
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image }] },
    },
  },
});

const isAvailable = async (client: Client): Promise<boolean> =>
  (await client.resource('apps/v1/deployments').get({ name: 'web', namespace: 'default' })).status?.readyReplicas === 2;

describe('k8ts fork', { timeout: 180_000 }, () => {
  const original = join(scratch, 'original');
  const place = { name: 'settings', namespace: 'default' };

  it('starts a copy as it was, and leaves the cluster as it is', async () => {
    await background(original, 'up', '--nodes=0', '--simulated-nodes=2', '--port=0', '--addons=none');
    const client = await clientOf(original);
    await client
      .resource('v1/secrets')
      .create({ metadata: { ...place, name: 'key' }, stringData: { value: 'secret' } });
    await client.resource('v1/configmaps').create({ metadata: place, data: { colour: 'red' } });
    await client.resource('apps/v1/deployments').create(deployment('web:1'));
    await until('the Deployment is available', () => isAvailable(client), { limitMs: 30_000 });
    await ctx.clock.sleep(1500);
    const changedAt = ctx.clock.now();
    await client.resource('v1/configmaps').update({ metadata: place, data: { colour: 'green' } });
    await client.resource('apps/v1/deployments').delete({ name: 'web', namespace: 'default' });
    await until(
      'the pods are gone',
      async () => (await client.resource('v1/pods').list({ namespace: 'default' })).items.length === 0,
      { limitMs: 60_000 },
    );
    const copy = join(scratch, 'copy');
    const then = new Date(changedAt - 500).toISOString();
    const output = await background(copy, 'fork', '--from', original, '--at', then);
    expect(output).toContain('simulated nodes stand in for its nodes');
    const forked = await clientOf(copy);
    expect((await forked.resource('v1/configmaps').get(place)).data).toEqual({ colour: 'red' });
    const secret = await forked.resource('v1/secrets').get({ ...place, name: 'key' });
    expect(secret.data).toEqual({ value: Buffer.from('secret').toString('base64') });
    expect(await isAvailable(forked)).toBe(true);
    // Both go their own way.
    await forked.resource('v1/configmaps').update({ metadata: place, data: { colour: 'blue' } });
    expect((await client.resource('v1/configmaps').get(place)).data).toEqual({ colour: 'green' });
    const scaled = { spec: { replicas: 3 } };
    await forked
      .resource('apps/v1/deployments')
      .patch({ name: 'web', namespace: 'default' }, scaled, { type: 'merge' });
    await until(
      'the copy runs a third pod',
      async () =>
        (await forked.resource('v1/pods').list({ namespace: 'default' })).items.filter(
          ({ status }) => status?.phase === 'Running',
        ).length === 3,
      { limitMs: 30_000 },
    );
    expect((await client.resource('v1/pods').list({ namespace: 'default' })).items).toEqual([]);
  });

  it.each(
    some(
      [
        ['a revision that is not there yet', ['--at', '@99999999'], 'required revision is a future revision'],
        ['a time of which nothing is recorded', ['--at', '900h'], 'no write of that time is recorded'],
        ['the directory of the cluster itself', ['--data-dir', original], 'the directory of the copy'],
        ['a cluster that there is not', ['--from', join(scratch, 'nowhere')], 'there is no cluster in'],
      ],
      2,
    ),
  )('refuses %s', async (_, flags, message) => {
    const { code, output } = await k8ts('fork', '--from', original, '--data-dir', join(scratch, 'other'), ...flags);
    expect(output).toContain(message);
    expect(code).toBe(1);
  });

  const missing = everything ? requires('root', 'runc', 'conmon', 'nft') : 'long form';
  it.skipIf(missing)('stands in for nodes that run containers, and does not touch their containers', async () => {
    const real = join(scratch, 'real');
    await background(real, 'up', '--nodes=1', '--port=0', '--addons=none');
    const client = await clientOf(real);
    const [node] = (await client.resource('v1/nodes').list()).items;
    const service = { metadata: { name: 'outside', namespace: 'default' } };
    await client.resource('v1/services').create({ ...service, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } });
    const copy = join(scratch, 'real-copy');
    const output = await background(copy, 'fork', '--from', real);
    expect(output).toContain('simulated nodes stand in for its nodes');
    const forked = await clientOf(copy);
    const [standIn, ...others] = (await forked.resource('v1/nodes').list()).items;
    expect(others).toEqual([]);
    expect(standIn?.metadata.name).toBe(node?.metadata.name);
    expect(standIn?.metadata.labels).toMatchObject({ 'k8ts.dev/simulated': 'true' });
    expect(standIn?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    await forked.resource('v1/nodes').delete({ name: node?.metadata.name ?? '' });
    await forked.resource('v1/services').delete({ name: 'outside', namespace: 'default' });
    expect((await client.resource('v1/nodes').list()).items).toHaveLength(1);
    expect((await k8ts('status', '--data-dir', real)).output).toContain('real');
  });
});
