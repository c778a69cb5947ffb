/** `k8ts status`: the state of a cluster. */
import fs from 'node:fs';
import { loadKubeconfig } from '../client/index.ts';
import type { ClusterStatus } from '../cluster/index.ts';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import { type Clock, RealClock } from '../kernel/index.ts';
import { certificateExpiry, expiredCertificate } from './check-kubeconfig.ts';
import { dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { green, print, red, table } from './output.ts';
import { describeIngresses } from './ready.ts';

export const flags = { ...dataDirFlag, ...outputFlag } as const satisfies FlagTable;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags);
  const { values, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts status: show the state of a cluster' }));
    return 0;
  }
  const cluster = runningCluster(parsed);
  const status = await cluster.call<ClusterStatus>('GET', '/status');
  const problem = await kubeconfigProblem(new RealClock(), status.kubeconfig);
  print(
    values.output,
    { directory: cluster.directory, ...status, ...(problem === undefined ? {} : { kubeconfigProblem: problem }) },
    text,
  );
  return 0;
}

/** Why the cluster's kubeconfig does not work any more. */
async function kubeconfigProblem(clock: Clock, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  if (!fs.existsSync(file)) return 'the file is missing; "k8ts up" writes it at every start';
  try {
    const certificate = await (await loadKubeconfig({ clock, file })).credentials.certificate();
    const expiry = certificate && certificateExpiry(certificate.cert);
    return expiry !== undefined && expiry < clock.now() ? expiredCertificate(expiry) : undefined;
  } catch (error) {
    return `the file cannot be read (${(error as Error).message}); "k8ts up" writes it at every start`;
  }
}

interface Shown extends ClusterStatus {
  readonly directory: string;
  readonly kubeconfigProblem?: string;
}

function text({
  directory,
  pid,
  server,
  kubeconfig,
  kubeconfigProblem: problem,
  ingress,
  uptimeSeconds,
  residentBytes,
  components,
  etcd,
  problem: unknown,
  nodes,
  objects,
}: Shown): string {
  const ready = nodes.filter((node) => node.ready).length;
  const simulated = nodes.filter(({ kind }) => kind === 'simulated').length;
  const rows = [
    ['API server', server],
    ['kubeconfig', `${kubeconfig ?? 'none'}${problem === undefined ? '' : red(`: ${problem}`)}`],
    ...(ingress ? [['ingresses', describeIngresses(ingress)]] : []),
    ['directory', directory],
    ['process', `${pid}, running for ${uptimeSeconds} s, ${Math.round(residentBytes / 2 ** 20)} MB`],
    ['nodes', `${ready} of ${nodes.length} ready${simulated > 0 ? `, ${simulated} simulated` : ''}`],
    [
      'objects',
      Object.entries(objects)
        .map(([name, count]) => `${count} ${name}`)
        .join(', '),
    ],
    ...(unknown === undefined ? [] : [['problem', red(unknown)]]),
    ...etcdRows(etcd),
    ...components.map(({ name, running }) => [name, running ? green('running') : red('stopped')]),
  ];
  return table(rows);
}

export function etcdRows(etcd: ClusterStatus['etcd']): string[][] {
  if (!etcd) return [];
  const members = etcd.members.map(({ name, endpoint, role, healthy, problem, version = '', dbSize = 0 }) => [
    'etcd member',
    `${name} ${endpoint} ${role}, ${healthy ? `${green('healthy')}, ${version}, ${Math.ceil(dbSize / 2 ** 20)} MB` : red(problem ?? 'unhealthy')}`,
  ]);
  return [
    ...(etcd.problem === undefined ? [] : [['etcd', red(etcd.problem)]]),
    ...members,
    ['etcd snapshots', etcd.lastSnapshot ? `${etcd.snapshots}, the last at ${etcd.lastSnapshot}` : 'none yet'],
  ];
}
