/**
 * A cluster that one side made is stopped; the other side goes on with its etcd, its keys and its configuration, and later the
 * first side comes back. Nothing is lost or rolled, and every object reads the same through both API servers.
 */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { schema } from '../../src/api/index.ts';
import { deepEqual, isRecord } from '../../src/base/index.ts';
import { isAlreadyExists, isNotFound, type Client } from '../../src/client/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { sampleObjects } from '../attacks/sample-objects.ts';
import { everything, requires } from '../requires.ts';
import { AGGREGATION_FLAGS, AggregatedApi, aggregatedApiMissing } from './aggregated-api.ts';
import { ControlPlane, type Side } from './control-plane.ts';
import { startConversionWebhook, thingDefinition, type ConversionWebhook } from './conversion-webhook.ts';
import { createWorkloads, identities, NAMESPACE, scale, untilReady } from './workloads.ts';

const missing = requires('kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd');
const title = `taking over a cluster${missing ? ` (skipped: ${missing})` : ''}`;
const withoutApi = aggregatedApiMissing ? `, without an aggregated API (${aggregatedApiMissing})` : '';
const WORK_MS = everything ? 600_000 : 10_000;
const SETTLE_MS = 5_000;

let plane: ControlPlane | undefined;
let webhook: ConversionWebhook | undefined;
let aggregated: AggregatedApi | undefined;
afterEach(async () => {
  webhook?.close();
  await aggregated?.close();
  aggregated = undefined;
  await plane?.stop();
  plane = undefined;
});

const THINGS = ['v1', 'v2'].map((version) => `/apis/example.com/${version}/namespaces/default/things`);

/** Samples that others would act upon: a webhook of all requests, a node that nobody runs, a token that is checked. */
const ACTED_UPON = new Set([
  'nodes',
  'namespaces',
  'apiservices',
  'pods',
  'replicationcontrollers',
  'customresourcedefinitions',
]);

async function createSamples(client: Client): Promise<string[]> {
  const refused: string[] = [];
  for (const { collection, object, resource } of sampleObjects()) {
    if (ACTED_UPON.has(resource.plural)) continue;
    try {
      await client.request({ method: 'POST', path: collection, body: object });
    } catch (error) {
      if (isAlreadyExists(error)) continue;
      refused.push(`${collection}: ${String(error)}`);
    }
  }
  return refused;
}

/** Objects that servers write on their own while they start and run. */
const CHANGES_BY_ITSELF =
  /^\/(?:apis\/coordination\.k8s\.io|api\/v1\/events|apis\/events\.k8s\.io|api\/v1\/nodes|api\/v1\/componentstatuses)/;

/** A server that stops takes its address out, and puts it back at its next start. */
const ENDPOINTS_OF_SERVERS = /(?:endpoints|endpointslices) default\/kubernetes$/;

/** The registration of k8ts' own API, which each server makes or removes at its start. */
const API_OF_ONE_SIDE = /apiservices \/v1alpha1\.glass\.k8ts\.dev$/;

/** Each server finds out for itself whether an aggregated API is available, and writes it into the status. */
const isAggregated = (item: { spec?: { service?: unknown } }): boolean =>
  item.spec?.service !== undefined && 'groupPriorityMinimum' in item.spec;

type Dump = ReadonlyMap<string, unknown>;

/** Every object that the server has, in every version, by path and name. */
async function dump(client: Client): Promise<Dump> {
  const objects = new Map<string, unknown>();
  const collections = schema.resources
    .filter(({ verbs }) => verbs.includes('list'))
    .map(({ group, version, plural }) => `${group === '' ? '/api' : `/apis/${group}`}/${version}/${plural}`);
  for (const path of [...collections, ...THINGS]) {
    if (CHANGES_BY_ITSELF.test(path)) continue;
    try {
      const { body } = await client.request({ method: 'GET', path });
      const { items } = body as {
        items: { metadata: { namespace?: string; name: string; uid: string }; spec?: { service?: unknown } }[];
      };
      for (const item of items) {
        const key = `${path} ${item.metadata.namespace ?? ''}/${item.metadata.name}`;
        if (!ENDPOINTS_OF_SERVERS.test(key) && !API_OF_ONE_SIDE.test(key))
          objects.set(key, isAggregated(item) ? { uid: item.metadata.uid, spec: item.spec } : item);
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return objects;
}

/** What the server has once nothing changes any more: writes of components that have ended may be on their way. */
async function settledDump({ client, ctx }: ControlPlane): Promise<Dump> {
  let last = await dump(client);
  await until('nothing changes any more', async () => {
    await ctx.clock.sleep(1000);
    const before = last;
    last = await dump(client);
    return differences(before, last).length === 0;
  });
  return last;
}

/** The paths at which objects differ; the order of keys does not matter. */
function differences(before: Dump, after: Dump): string[] {
  const lines: string[] = [];
  for (const [key, object] of before) {
    if (after.has(key)) lines.push(...valueDifferences(object, after.get(key)).map((line) => `${key}: ${line}`));
    else lines.push(`lost: ${key}`);
  }
  for (const key of after.keys()) if (!before.has(key)) lines.push(`new: ${key}`);
  return lines;
}

function valueDifferences(a: unknown, b: unknown, path = ''): string[] {
  if (deepEqual(a, b)) return [];
  if (!isRecord(a) || !isRecord(b)) return [`${path} ${JSON.stringify(a)} became ${JSON.stringify(b)}`];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((name) =>
    valueDifferences(a[name], b[name], `${path}.${name}`),
  );
}

describe.skipIf(missing)(title, { timeout: 300_000 + 2 * WORK_MS }, () => {
  it.each<[Side, Side, string]>([
    ['upstream', 'k8ts', 'application/json'],
    ['k8ts', 'upstream', 'application/vnd.kubernetes.protobuf'],
  ])(`made by %s, taken over by %s, and back${withoutApi}`, async (first, second, mediaType) => {
    plane = await ControlPlane.start('upstream', first, []);
    await plane.end('kube-apiserver');
    const encryption = plane.write('encryption.yaml', JSON.stringify(ENCRYPTION));
    const flags = (side: Side): string[] => [
      `--encryption-provider-config=${encryption}`,
      ...AGGREGATION_FLAGS,
      ...(side === 'k8ts' ? [`--storage-media-type=${mediaType}`] : []),
    ];
    const running = plane;
    const { client } = plane;
    const start = async (side: Side): Promise<void> => {
      await running.runApiServer(side, flags(side));
      await running.run('kube-controller-manager', side);
      await running.run('kube-scheduler', side);
    };
    const stop = async (): Promise<void> => {
      for (const component of ['kube-scheduler', 'kube-controller-manager', 'kube-apiserver'] as const)
        await running.end(component);
    };
    await start(first);
    await plane.addNodes(2);
    await createWorkloads(client);
    expect(await createSamples(client)).toEqual([]);
    webhook = await startConversionWebhook(plane);
    const definition = thingDefinition(webhook.url, readFileSync(plane.file('ca.crt'), 'utf8'));
    await client.request({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: definition,
    });
    for (const path of THINGS)
      await until(`${path} is served`, () =>
        client.request({ method: 'GET', path }).then(
          () => true,
          () => false,
        ),
      );
    for (const [i, path] of THINGS.entries()) {
      const thing = {
        apiVersion: `example.com/v${i + 1}`,
        kind: 'Thing',
        metadata: { name: `thing-${i}` },
        spec: { [i === 0 ? 'size' : 'length']: 2 ** 40 + i },
      };
      await client.request({ method: 'POST', path, body: thing });
    }
    if (!aggregatedApiMissing) {
      aggregated = await AggregatedApi.start(plane);
      await aggregated.createFlunder('first');
    }
    await plane.ctx.clock.sleep(SETTLE_MS);
    const made = await identities(client);

    await plane.end('kube-scheduler');
    await plane.end('kube-controller-manager');
    const before = await settledDump(plane);
    const flunders = await aggregated?.flunders();
    await plane.end('kube-apiserver');
    await plane.runApiServer(second, flags(second));
    await aggregated?.untilServed();
    expect(differences(before, await dump(client))).toEqual([]);
    expect(await aggregated?.flunders()).toEqual(flunders);
    await aggregated?.createFlunder('second');

    await plane.run('kube-controller-manager', second);
    await plane.run('kube-scheduler', second);
    await plane.ctx.clock.sleep(SETTLE_MS);
    expect(await identities(client)).toEqual(made);
    await scale(client, 5);
    await untilReady(client, { deployment: 5 });
    await client.resource('v1/secrets').create({
      metadata: { name: 'later', namespace: NAMESPACE },
      stringData: { a: 'b' },
    });
    await plane.ctx.clock.sleep(WORK_MS);
    const later = await identities(client);
    expect(later.filter((identity) => made.includes(identity))).toEqual(made);
    await plane.end('kube-scheduler');
    await plane.end('kube-controller-manager');
    const worked = await settledDump(plane);
    const laterFlunders = await aggregated?.flunders();
    await stop();
    await plane.runApiServer(first, flags(first));
    await aggregated?.untilServed();
    expect(differences(worked, await dump(client))).toEqual([]);
    expect(await aggregated?.flunders()).toEqual(laterFlunders);
    await plane.run('kube-controller-manager', first);
    await plane.run('kube-scheduler', first);
    await plane.ctx.clock.sleep(SETTLE_MS);
    expect(await identities(client)).toEqual(later);
  });
});

const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const ENCRYPTION = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources: [
    { resources: ['secrets'], providers: [{ aescbc: { keys: [{ name: 'a', secret: key(1) }] } }, { identity: {} }] },
    { resources: ['*.*'], providers: [{ secretbox: { keys: [{ name: 'b', secret: key(2) }] } }, { identity: {} }] },
  ],
};
