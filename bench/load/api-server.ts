/** The API server alone, durable, as a process of its own: tells its parent where it is, and ends with it. */
import { startControlPlane } from '../../src/cluster/control-plane.ts';
import { createContext } from '../../src/kernel/index.ts';

const ending = new AbortController();
process.once('disconnect', () => ending.abort());
const [, , dataDirectory = '', etcd] = process.argv;
const { kubeconfig, finished } = await startControlPlane(
  createContext({ signal: ending.signal }),
  {
    dataDirectory,
    ...(etcd === undefined ? {} : { etcdServers: [etcd] }),
    bindAddress: '127.0.0.1',
    port: 0,
    serviceClusterIpRange: '10.96.0.0/16',
    clusterCidr: '10.244.0.0/16',
    controllers: [],
    ownThread: process.env['K8TS_OWN_THREAD'] !== '0',
  },
  {},
);
process.send?.({ kubeconfig });
await finished;
