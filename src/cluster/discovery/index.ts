/**
 * How a machine finds and trusts a cluster that it has only a bootstrap token of, as kubeadm does it: the ConfigMap
 * `cluster-info` in `kube-public`, which anyone may read, has the servers and the CA and is signed with every token;
 * `--ca-hash` pins the CA besides. What a node must know of the cluster is in `k8ts-cluster` in `kube-system`.
 */
export { caHash } from './ca-hash.ts';
export {
  createDiscoveryObjects,
  forgetServer,
  readAuthorities,
  readClusterConfig,
  type ClusterConfig,
} from './cluster-config.ts';
export { discoverCluster } from './discover-cluster.ts';
export {
  createBootstrapToken,
  deleteBootstrapToken,
  listBootstrapTokens,
  parseBootstrapToken,
  type BootstrapToken,
} from './bootstrap-tokens.ts';
