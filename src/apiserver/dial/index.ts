/**
 * Every connection that the API server opens for somebody: to kubelets, Pods, Services, webhooks and aggregated API
 * servers. `DialPolicy` decides whether an address may be dialled, `ServiceResolver` which endpoint stands for a
 * Service, `Dialer` opens the connection, `send` and `relay` pass a plain request on, and `handOver` joins two
 * connections after an upgrade. No other folder of the API server opens connections; a test here lists the exceptions
 * and their reasons.
 */
export { connectionErrorText } from './connection-error-text.ts';
export { DialAgent } from './dial-agent.ts';
export { dialText, unreachable } from './dial-error.ts';
export { DialPolicy, type AddressSource, type DialPolicyOptions, type SimulatedNetwork } from './dial-policy.ts';
export { Dialer, type DialerOptions, type Endpoint } from './dialer.ts';
export { pump, relay, send, startRequest, type Outgoing } from './forward-request.ts';
export { handOver, type HandOver } from './hand-over.ts';
export { forwardedHeaders } from './headers.ts';
export { ServiceResolver } from './service-resolver.ts';
export { authorityOf, type PermittedTarget, type Target } from './target.ts';
export {
  KubeletClient,
  type KubeletClientOptions,
  type KubeletConnection,
  type NodeConnections,
} from './kubelet-connection.ts';
