/**
 * The outgoing connections of the API server: to kubelets, pods, Services, webhooks and aggregated API servers.
 * `DialPolicy` decides which addresses may be dialled, `ServiceResolver` chooses an endpoint of a Service, `Dialer` opens
 * the connection, `send` and `relay` forward plain requests, and `proxyUpgrade` proxies upgrade requests. Other folders of
 * the API server open no connections; a test lists the exceptions with their reasons.
 */
export { connectionErrorText } from './connection-error-text.ts';
export { DialAgent } from './dial-agent.ts';
export { dialText, unreachable } from './dial-error.ts';
export { DialPolicy, type DialPolicyOptions, type SimulatedNetwork } from './dial-policy.ts';
export { Dialer, type DialerOptions } from './dialer.ts';
export { pump, relay, send, startRequest } from './forward-request.ts';
export { proxyUpgrade } from './upgrade-proxy.ts';
export { clientHost, forwardedHeaders } from './headers.ts';
export { ServiceResolver } from './service-resolver.ts';
export { authorityOf, type PermittedTarget, type Target } from './target.ts';
export {
  KubeletClient,
  type KubeletClientOptions,
  type KubeletConnection,
  type NodeConnections,
} from './kubelet-connection.ts';
