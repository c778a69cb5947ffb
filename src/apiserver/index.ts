/**
 * The API server: the only door to the cluster's state. `handle-request.ts` is the pipeline that every request passes,
 * `verbs/` what it may ask for, `registry/` what is particular to each kind, `storage/` the watch cache over the store,
 * `authn/`, `authz/` and `admission/` the checks on the way, `flow-control/` who waits, `audit/` what is told of it all,
 * `encryption/` what is stored unreadable, `transport/` the port, `dial/` every connection that it opens for somebody, `pki/` its certificates, and `bootstrap/` the objects
 * that a server makes for itself. `server.ts` puts it all together.
 */
export { startApiServer, type ApiServer, type ApiServerOptions } from './server.ts';
export { apiServerHelp, parseApiServerFlags, runApiServerCommand, type ParsedApiServerFlags } from './command/index.ts';
export type { SimulatedNetwork } from './dial/index.ts';
export type { NodeConnections } from './subresources/index.ts';
export { openStore, type StoreConfig } from './storage/open-store.ts';
export { issue as issueCertificate, loadAuthority } from './pki/certificates.ts';
export { KUBELET_CLIENT_USER, openPki, type ClusterPki, type ServingNames } from './pki/files.ts';
export { kubeconfigFor, type KubeconfigOptions } from './pki/kubeconfig.ts';
export {
  loadSecurityOptions,
  type OidcFlags,
  type SecurityFiles,
  type SecurityOptions,
} from './command/security-options.ts';
export { openEncryption, reencryptAll, type OpenEncryption } from './encryption/index.ts';
export { reconcileRole, recordEvents, rule, type Reconciliation } from './bootstrap/index.ts';
export type { ApiRequest, ApiResponse, ResponseSink, UserInfo } from './request/request.ts';
export type { FrameSink, Result, WatchedObject } from './request/result.ts';
export { apiServerFlags } from './command/flags.ts';
