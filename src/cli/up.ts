/** `k8ts up`: a cluster in the foreground, until Ctrl-C. */
import path from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { startCluster } from '../cluster/index.ts';
import { createContext } from '../kernel/index.ts';

const HELP = `k8ts up: start a cluster

  --data-dir DIR                 where the cluster lives (default .k8ts)
  --ephemeral                    keep everything in memory
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
  const stopped = new AbortController();
  const ctx = createContext({ signal: stopped.signal, verbosity: Number(values.v ?? 0) });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort(new Error(signal)));

  const startedAt = ctx.clock.monotonic();
  const dataDirectory = values.ephemeral ? undefined : path.resolve(values['data-dir'] ?? '.k8ts');
  const cluster = await startCluster(ctx, {
    ...(dataDirectory ? { dataDirectory } : {}),
    bindAddress: values['bind-address'] ?? '127.0.0.1',
    port: Number(values.port ?? 6443),
    serviceClusterIpRange: values['service-cluster-ip-range'] ?? '10.96.0.0/16',
    clusterCidr: values['cluster-cidr'] ?? '10.244.0.0/16',
    controllers: values.controllers === 'none' ? [] : (values.controllers ?? '*').split(','),
    ...(values.kubeconfig ? { kubeconfig: path.resolve(values.kubeconfig) } : {}),
  });
  console.log(`API server   ${cluster.server}`);
  if (cluster.kubeconfigFile) console.log(`kubeconfig   ${cluster.kubeconfigFile}\n\n  export KUBECONFIG=${cluster.kubeconfigFile}\n  kubectl get namespaces\n`);
  console.log(`ready in ${((ctx.clock.monotonic() - startedAt) / 1000).toFixed(2)} s`);
  await cluster.finished;
  return 0;
}
