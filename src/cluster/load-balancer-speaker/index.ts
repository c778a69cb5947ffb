/**
 * Addresses of LoadBalancer Services on the machines' link. One machine speaks for an address: it answers ARP (NDP for IPv6) for it and
 * tells the link so when it begins, and kube-proxy sends what arrives to the Service's endpoints. Machines hear each
 * other by heartbeats on the link, not through the API server: the choice is about who is alive there. A machine's
 * kernel answers only while its process keeps saying so, so one that is frozen falls silent.
 */
export { removeLoadBalancerSpeaker, runLoadBalancerSpeaker } from './run.ts';
