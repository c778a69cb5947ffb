/**
 * kube-proxy: makes a node's kernel send what is addressed to a Service to one of its endpoints. `service-plan` and
 * `choose-endpoints` say what has to be done (pure), `nftables/` and `iptables/` write it as rules, `sync-rules` keeps the
 * kernel at it, `run` follows the API server. A crash leaves the rules, and so the traffic, as they are.
 */
export { removeRules, run } from './run.ts';
export { DEFAULT_KUBE_PROXY_CONFIG } from './config.ts';
export { parseKubeProxyFlags, kubeProxyHelp } from './command.ts';

export { kubeProxyFlags } from './command.ts';
