/**
 * kube-proxy makes a node's kernel forward traffic for a Service to one of its endpoints. `service-plan` and
 * `choose-endpoints` of component-helpers derive from Services and EndpointSlices what a node has to do. `nftables/` and
 * `iptables/` turn that into proxy rules, `sync-rules` keeps the kernel's rules up to date, and `run` watches the API
 * server. The rules stay in the kernel when kube-proxy stops or crashes.
 */
export { removeRules, run, type ProxiedKernel } from './run.ts';
export type { Plans } from './rule-writer.ts';
export { DEFAULT_KUBE_PROXY_CONFIG } from './config.ts';
export { kubeProxyFlags, kubeProxyHelp, parseKubeProxyFlags } from './command.ts';
