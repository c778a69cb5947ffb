/** kube-proxy until it is killed: a kubeconfig, the node's namespace and the mode are its arguments. It writes a line after its first sync. */
import { connect, loadKubeconfig } from '../src/client/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { DEFAULT_KUBE_PROXY_CONFIG, run } from '../src/kube-proxy/index.ts';

const [kubeconfig, netns, mode] = process.argv.slice(2) as [string, string, 'nftables' | 'iptables'];
const ctx = createContext({ writeLog: () => {} });
const client = connect(ctx, await loadKubeconfig({ file: kubeconfig, clock: ctx.clock }), { userAgent: 'kube-proxy' });
await run(ctx, {
  client,
  config: { ...DEFAULT_KUBE_PROXY_CONFIG, mode, clusterCidr: '10.244.0.0/16' },
  nodeName: 'n1',
  netns,
  onReady: () => process.stdout.write('ready\n'),
});
