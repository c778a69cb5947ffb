/**
 * `kubectl apply` of a file with a thousand objects. kubectl sends one request after the other and, for every object, parses
 * the OpenAPI document of its group again, so the rows of processor time tell how much is kubectl's own and what the
 * server adds. `--against` does the same on another server.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { findProgram } from '../test/requires.ts';
import type { BenchOptions, Row } from './harness.ts';
import { startBenchedServer } from './load/start-api-server.ts';
import { processorMs } from './load/targets.ts';

export const name = 'kubectl-apply';

const OBJECTS = 1_000;
const exec = promisify(execFile);

interface Side {
  readonly kubeconfig: string;
  /** Absent where the server is not ours to look into. */
  readonly pid?: number;
}

interface Measured {
  readonly seconds: number;
  /** Of an object. */
  readonly kubectlMs: number;
  readonly serverMs: number;
}

/** What is applied one after the other, to the same namespace. */
const STEPS = [
  { what: 'that do not exist yet', version: 'a' },
  { what: 'that all change', version: 'b' },
] as const;

export async function run({ against }: BenchOptions): Promise<Row[]> {
  if (findProgram('kubectl') === undefined) return [];
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bench-apply-'));
  const server = await startBenchedServer(directory);
  const ours: Side = { kubeconfig: join(directory, 'bench.kubeconfig'), pid: server.pid };
  try {
    const measured = await applyAll(ours, directory);
    const compared = against === undefined ? undefined : await applyAll({ kubeconfig: against }, directory);
    return STEPS.flatMap(({ what }, step) => {
      const [own, other] = [measured[step]!, compared?.[step]];
      const work = `kubectl apply of ${OBJECTS.toLocaleString('en-US')} objects ${what}`;
      return [
        {
          ...{ work, value: own.seconds, unit: 's' },
          ...(other ? { against: other.seconds, atMost: other.seconds / 2 } : {}),
        },
        {
          ...{ work: `${work}: processor time of kubectl for an object`, value: own.kubectlMs, unit: 'ms' },
          ...(other ? { against: other.kubectlMs } : {}),
        },
        { work: `${work}: processor time of the server for an object`, value: own.serverMs, unit: 'ms' },
      ];
    });
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function applyAll({ kubeconfig, pid }: Side, directory: string): Promise<Measured[]> {
  const kubectl = (...args: string[]): Promise<number> => runTimed('kubectl', '--kubeconfig', kubeconfig, ...args);
  const namespace = 'bench-apply';
  await kubectl('create', 'namespace', namespace);
  const results: Measured[] = [];
  for (const { version } of STEPS) {
    const file = join(directory, 'objects.yaml');
    writeFileSync(file, manifests(namespace, version));
    const before = pid === undefined ? 0 : processorMs(pid);
    const startedAt = performance.now();
    const kubectlMs = await kubectl('apply', '-f', file);
    const seconds = (performance.now() - startedAt) / 1000;
    const serverMs = pid === undefined ? 0 : processorMs(pid) - before;
    results.push({ seconds, kubectlMs: kubectlMs / OBJECTS, serverMs: serverMs / OBJECTS });
  }
  await kubectl('delete', 'namespace', namespace, '--wait=false');
  return results;
}

/** The processor time of the program, which the shell knows of its children: `0m1.250s 0m0.300s` in the last line. */
async function runTimed(...command: string[]): Promise<number> {
  const { stdout } = await exec('sh', ['-c', '"$@" && times', 'sh', ...command], { maxBuffer: 16 * 1024 * 1024 });
  const [last = ''] = stdout.trimEnd().split('\n').slice(-1);
  return [...last.matchAll(/(\d+)m([\d.]+)s/g)].reduce((ms, [, m, s]) => ms + Number(m) * 60_000 + Number(s) * 1000, 0);
}

/** Of every five objects two are ConfigMaps. */
function manifests(namespace: string, version: string): string {
  const kinds = [configMap, configMap, secret, service, deployment];
  const objects = Array.from({ length: OBJECTS }, (_, i) => {
    const app = `app-${i}`;
    const metadata = { namespace, name: app, labels: { app, version } };
    return stringify({ ...kinds[i % kinds.length]!(app, version), metadata });
  });
  return objects.join('---\n');
}

const configMap = (app: string, version: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  data: { app, version, 'settings.ini': 'level = info\n'.repeat(40) },
});
const secret = (app: string, version: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  stringData: { user: app, password: version.repeat(20) },
});
const service = (app: string): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  spec: { selector: { app }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
});
const deployment = (app: string, version: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  spec: {
    replicas: 0,
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app } },
      spec: {
        containers: [
          { name: 'main', image: `registry.example/web:${version}`, ports: [{ name: 'http', containerPort: 8080 }] },
        ],
      },
    },
  },
});
