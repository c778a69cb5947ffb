/**
 * The API server: the only component that reads and writes the cluster's state. `server.ts` puts the pipeline on a port.
 *
 * `pipeline/handle-request.ts` is the order of steps that every request passes. `request/` is the vocabulary of requests and
 * responses; `storage/` the watch cache over etcd; `registry/` what is particular to each kind; `verbs/` get, list, watch and
 * the writes; `subresources/` and `reviews/` what is served besides. `authn/`, `authz/`, `admission/`, `flow-control/` and
 * `audit/` are the checks on the way, `encryption/` encryption at rest, `transport/` HTTP, `dial/` every connection that the
 * server opens, `pki/` its certificates, `bootstrap/` the objects that it creates for itself. The rooms are layered:
 * `ROOMS` in scripts/check-boundaries.mjs says which may import which.
 */
export { startApiServer, type ApiServer, type ApiServerOptions } from './server.ts';
export { createPipeline, type Pipeline } from './pipeline/build-pipeline.ts';
export { apiServerHelp, parseApiServerFlags, runApiServerCommand, servedApis } from './command/index.ts';
export type { NodeConnections, SimulatedNetwork } from './dial/index.ts';
export type { SendToWebhook } from './webhook-client/index.ts';
export { openStore, type StoreConfig } from './storage/open-store.ts';
export { certificatesIn, issue as issueCertificate, loadAuthority } from './pki/certificates.ts';
export {
  AUTHORITIES,
  CERTIFICATES,
  ETCD_CERTIFICATES,
  KUBELET_CLIENT_USER,
  openEtcdPki,
  openPki,
  renewCertificates,
  renewEtcdCertificates,
  renewStoredCertificates,
  type CertificateName,
  type ClusterPki,
  type EtcdCertificateName,
  type EtcdPki,
  type ServingNames,
} from './pki/files.ts';
export {
  createNextAuthorities,
  forgetPreviousAuthorities,
  rotationState,
  signWithNextAuthorities,
  trustNextAuthorities,
  type NextAuthorities,
} from './pki/rotate-authorities.ts';
export { kubeconfigFor, readOwnKubeconfig } from './pki/kubeconfig.ts';

export { openAuditLog, type AuditLogFileOptions } from './audit/index.ts';
export { openEncryption, reencryptAll } from './encryption/index.ts';
export { reconcileRole, recordEvents, rule, type Reconciliation } from './bootstrap/index.ts';
export type { ApiRequest, ApiResponse, ResponseSink, UserInfo } from './request/request.ts';
export type { FrameSink, WatchedObject } from './request/request.ts';
export { apiServerFlags } from './command/flags.ts';
