/**
 * Composes the components into a cluster. `startCluster` starts the control plane, its components and its nodes in this
 * process; `fabric/` is the network of nodes on one machine, `node-fleet/` the nodes that run containers, `faults/`
 * injects failures between components, `in-process-transport.ts` is how components reach the API server, and the rest
 * is what the library adds for tests: apply, wait, virtual time, snapshots.
 */
export { startCluster, type Cluster } from './start-cluster.ts';
export type { Fit } from '../scheduler/index.ts';
export { serveControlSocket, type ClusterStatus } from './control-socket.ts';
export { isInstalled, missingPrograms, NODE_PROGRAMS, realNodesObstacle, type Obstacle } from './real-nodes.ts';
export {
  connectHostNetwork,
  insideNamespaces,
  publishPort,
  removeTree,
  rootlessChecks,
  rootlessObstacle,
  runInNamespaces,
  wayOutRemedy,
  type HostNetwork,
  type Inside,
} from './rootless/index.ts';
export {
  DEFAULT_ETCD_PORT,
  DEFAULT_SNAPSHOTS,
  findEtcd,
  listEtcdSnapshots,
  snapshotDirectoryOf,
  type EtcdStatus,
  type ManagedEtcdOptions,
} from './managed-etcd/index.ts';
export { wireguardObstacle } from './machine-network/index.ts';
export { removeLeftovers } from './node-fleet/index.ts';
export {
  addressTowards,
  cordonNode,
  drainNode,
  joinCluster,
  leaveCluster,
  machineKubeconfigOf,
  machineRecordOf,
  removeMachineNode,
  type JoinedMachine,
} from './machine-node/index.ts';
export {
  caHash,
  createBootstrapToken,
  deleteBootstrapToken,
  listBootstrapTokens,
  parseBootstrapToken,
  readClusterConfig,
} from './discovery/index.ts';
export { CIS_AUDIT_POLICY, PROFILES, type Profile } from './profile/index.ts';
export { RENEWABLE, type RenewableName } from './certificates.ts';
export { listCertificates, renewStopped, type CertificateStatus } from './stored-certificates.ts';
export { ADDONS, isLoopbackHost, type Addon, type ClusterOptions, type ClusterState } from './cluster-options.ts';
export {
  DATA_FORMAT,
  DataDirectoryError,
  readClusterRecord,
  removeClusterData,
  updateClusterRecord,
  type ClusterRecord,
} from './data-directory.ts';
export { runStoreWork, type StoreWorkRequest } from './store-work.ts';
export type { StoppedWork, WorkOutcome } from './stopped-work.ts';
export { ROTATION_STEPS, type RotationStep } from './rotate-authorities.ts';
export { auditLogIn, isCertificateKey, isServer, joinServer, leaveServer, serverOptions } from './server-join/index.ts';
export { Components, type ComponentState } from './components.ts';
export { Faults, OWN_CLIENT, type Fault, type FaultOptions, type RequestMatch } from './faults/index.ts';
export { ADMIN, componentUser, nodeUser, serviceAccountUser } from './identities.ts';
export { grantAccess, grantOwnAccess } from './component-access.ts';
export { inProcessTransport, inProcessTransports, type InProcessOptions } from './in-process-transport.ts';
export { applyManifests, type ApplyOptions, type Manifest, type Manifests } from './apply-manifests.ts';
export { ClusterClock } from './cluster-clock.ts';
export { ClusterSnapshot } from './snapshot.ts';
export { waitForObject, waitUntil, type WaitCondition, type Waiting, type WaitOptions } from './wait-for.ts';
export {
  BEHAVIOUR_ANNOTATION,
  SIMULATED_LABEL,
  type Duration,
  type ExecResult,
  type NodeTemplate,
  type PodBehaviour,
  type PodScript,
  type PodUsage,
  type SimulatedPod,
} from '../simulated-kubelet/index.ts';
