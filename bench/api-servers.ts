/**
 * One API server and two on the same etcd, with the same number of requests under way: a server has one thread for its
 * work, so that two do more where that is the limit. On two cores they share these with etcd and the client; the row of
 * the cores that the servers used tells what was left. Needs etcd and h2load.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiConnection } from '../test/api-connection.ts';
import { findProgram } from '../test/requires.ts';
import type { BenchOptions, Row } from './harness.ts';
import { startRealEtcd } from './load/etcd-servers.ts';
import type { RequestLoad, Target } from './load/load.ts';
import { runLoad } from './load/run-load.ts';
import { type ApiServerProcess, startBenchedServer } from './load/start-api-server.ts';
import { processorMs } from './load/targets.ts';
import { samplePod } from './sample-pod.ts';

export const name = 'api-servers';

const TURNS = 3;
const CONCURRENCY = 16;
const PODS = 5_000;
const NAMESPACE = 'bench-servers';
const PODS_PATH = `/api/v1/namespaces/${NAMESPACE}/pods`;

interface Work {
  readonly name: string;
  readonly load: Pick<RequestLoad, 'method' | 'path' | 'body' | 'warmUp'>;
}

const podBody = (metadata: object): object => {
  const { nodeName: _, ...spec } = samplePod()['spec'] as { nodeName?: string };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...spec, schedulerName: 'nobody' } };
};

const WORKS: readonly Work[] = [
  {
    name: `LIST of none of ${PODS.toLocaleString('en-US')} Pods, by a label`,
    load: { method: 'GET', path: `${PODS_PATH}?labelSelector=app%3Dnobody`, warmUp: 200 },
  },
  {
    name: 'POST Pod, as a dry run',
    load: {
      ...{ method: 'POST', path: `${PODS_PATH}?dryRun=All`, warmUp: 2_000 },
      body: JSON.stringify(podBody({ generateName: 'dry-' })),
    },
  },
  {
    name: 'POST Pod',
    load: {
      ...{ method: 'POST', path: PODS_PATH, warmUp: 2_000 },
      body: JSON.stringify(podBody({ generateName: 'p-' })),
    },
  },
];

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  if (findProgram('etcd') === undefined || findProgram('h2load') === undefined) return [];
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bench-servers-'));
  const etcd = await startRealEtcd();
  const servers: ApiServerProcess[] = [];
  try {
    for (const place of ['first', 'second']) {
      mkdirSync(join(directory, place));
      // The same keys: a token of one is good for the other.
      if (servers.length > 0)
        cpSync(join(directory, 'first', 'pki'), join(directory, place, 'pki'), { recursive: true });
      servers.push(await startBenchedServer(join(directory, place), etcd.url));
    }
    const token = await prepare(servers[0]!.target);
    const rows: Row[] = [];
    for (const work of WORKS) rows.push(...(await measure(work, servers, token, durationMs)));
    return rows;
  } finally {
    for (const server of servers) await server.stop();
    await etcd.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Measured {
  readonly perSecond: number;
  /** Of all servers together. */
  readonly cores: number;
}

/** One server and both take turns; the median counts. */
async function measure(
  { name: work, load }: Work,
  servers: readonly ApiServerProcess[],
  token: string,
  durationMs: number,
): Promise<Row[]> {
  const results: Measured[][] = [[], []];
  for (let turn = 0; turn < TURNS; turn++)
    for (const count of [1, 2]) {
      const measured = await loadOn(servers.slice(0, count), { ...load, durationMs }, token);
      results[count - 1]!.push(measured);
    }
  const [one, two] = results.map((of) => of.toSorted((a, b) => a.perSecond - b.perSecond)[of.length >> 1]!);
  return [
    { work: `${work}: one server`, value: one!.perSecond, unit: '/s' },
    { work: `${work}: two servers`, value: two!.perSecond, unit: '/s', atLeast: one!.perSecond },
    { work: `${work}: cores that one server used`, value: one!.cores, unit: '' },
    { work: `${work}: cores that two servers used`, value: two!.cores, unit: '' },
  ];
}

async function loadOn(
  servers: readonly ApiServerProcess[],
  load: Work['load'] & { readonly durationMs: number },
  token: string,
): Promise<Measured> {
  const each = CONCURRENCY / servers.length;
  const results = await Promise.all(
    servers.map(async ({ target: { server }, pid }) => {
      let [before, startedAt] = [0, 0];
      const result = await runLoad(
        { type: 'requests', target: { server, token }, connections: each / 4, concurrency: each, ...load },
        () => ([before, startedAt] = [processorMs(pid), performance.now()]),
      );
      const cores = (processorMs(pid) - before) / (performance.now() - startedAt);
      if (result.errors > 0) throw new Error(`${result.errors} requests failed: ${result.firstError ?? ''}`);
      return { perSecond: result.perSecond, cores };
    }),
  );
  const sum = (of: keyof Measured): number => results.reduce((total, result) => total + result[of], 0);
  return { perSecond: sum('perSecond'), cores: sum('cores') };
}

/** Fills the servers, and gives the token of a ServiceAccount that may do everything. */
async function prepare(admin: Target): Promise<string> {
  const api = new ApiConnection(admin.server, admin);
  const make = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await api.call('POST', path, { body, headers: {} });
    if (answer.status !== 201)
      throw new Error(`POST ${path}: ${answer.status} ${answer.body.toString().slice(0, 300)}`);
    return answer.json();
  };
  const accounts = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`;
  await make('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await make(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
  await make('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'k8ts-bench' } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: NAMESPACE }],
  });
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < PODS) await make(PODS_PATH, podBody({ name: `pod-${next++}` }));
  };
  await Promise.all(Array.from({ length: 64 }, lane));
  const { status } = await make(`${accounts}/default/token`, {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  api.close();
  return (status as { token: string }).token;
}
