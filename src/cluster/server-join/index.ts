/**
 * More than one server: `server-token.ts` seals the cluster's keys for a machine that has the printed line, `join-server.ts`
 * opens them there, and `leave-server.ts` takes a server out again, its member of etcd first.
 */
export { joinServer, serverOptions } from './join-server.ts';
export { isServer, leaveServer } from './leave-server.ts';
export { isCertificateKey, seal, unseal } from './sealed-keys.ts';
export { createServerToken } from './server-token.ts';
export { auditLogIn } from './shared-options.ts';
