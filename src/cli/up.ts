/** `k8ts up`: a cluster in the foreground, until Ctrl-C. */
import path from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { startCluster } from '../cluster/index.ts';
import { untilSignal } from './until-signal.ts';

const HELP = `k8ts up: start a cluster

  --data-dir DIR                 where the cluster lives (default .k8ts)
  --ephemeral                    keep everything in memory
  --etcd-servers URLS            keep the cluster in a real etcd instead of DIR, a list with commas
  --port N                       port of the API server; 0 takes a free one (default 6443)
  --bind-address A               address that the API server listens on (default 127.0.0.1)
  --kubeconfig FILE              where to write the admin kubeconfig (default DIR/kubeconfig)
  --service-cluster-ip-range C   addresses of Services (default 10.96.0.0/16)
  --cluster-cidr C               addresses of Pods (default 10.244.0.0/16)
  --controllers LIST             controllers to run: * for all, -name leaves one out, none for none (default *)
  -v N                           log verbosity`;

const FLAGS = {
  'data-dir': { type: 'string' },
  ephemeral: { type: 'boolean' },
  'etcd-servers': { type: 'string' },
  port: { type: 'string' },
  'bind-address': { type: 'string' },
  kubeconfig: { type: 'string' },
  'service-cluster-ip-range': { type: 'string' },
  'cluster-cidr': { type: 'string' },
  controllers: { type: 'string' },
  v: { type: 'string', short: 'v' },
  help: { type: 'boolean', short: 'h' },
} satisfies ParseArgsConfig['options'];

export async function run(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: FLAGS, strict: true });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const { ctx, release } = untilSignal({ verbosity: Number(values.v ?? 0) });
  const startedAt = ctx.clock.monotonic();
  const dataDirectory = values.ephemeral ? undefined : path.resolve(values['data-dir'] ?? '.k8ts');
  const cluster = await startCluster(ctx, {
    ...(dataDirectory ? { dataDirectory } : {}),
    ...(values['etcd-servers'] ? { etcdServers: values['etcd-servers'].split(',') } : {}),
    bindAddress: values['bind-address'] ?? '127.0.0.1',
    port: Number(values.port ?? 6443),
    serviceClusterIpRange: values['service-cluster-ip-range'] ?? '10.96.0.0/16',
    clusterCidr: values['cluster-cidr'] ?? '10.244.0.0/16',
    controllers: values.controllers === 'none' ? [] : (values.controllers ?? '*').split(','),
    ...(values.kubeconfig ? { kubeconfig: path.resolve(values.kubeconfig) } : {}),
  });
  console.log(`API server   ${cluster.server}`);
  if (cluster.kubeconfigFile) console.log(`kubeconfig   ${cluster.kubeconfigFile}\n\n  export KUBECONFIG=${cluster.kubeconfigFile}\n  kubectl get namespaces\n`);
  console.log('There are no nodes yet: scheduler, kubelet, proxy and DNS are not part of this version, so Pods stay Pending.');
  console.log(`ready in ${((ctx.clock.monotonic() - startedAt) / 1000).toFixed(2)} s`);
  await cluster.finished;
  release();
  return 0;
}
