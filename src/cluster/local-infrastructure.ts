/** What the local cloud stands on: the fabric's nodes and the host's routes. */
import http from 'node:http';
import type { LocalInfrastructure } from '../cloud-controller-manager/index.ts';
import { connectIn, runIn } from '../kernel/netns/index.ts';
import type { Fabric } from './fabric/index.ts';

const PROBE_TIMEOUT_MS = 1000;

export interface LocalInfrastructureOptions {
  readonly fabric: Fabric;
  /** Whether a node's kubelet runs. */
  readonly isRunning: (node: string) => boolean;
  /** The namespace that is the host's; default: the process's own. */
  readonly hostNetns?: string;
}

export function localInfrastructure({ fabric, isRunning, hostNetns }: LocalInfrastructureOptions): LocalInfrastructure {
  const ip = (address: string, parameters: readonly string[]): Promise<string> => runIn('ip', [address.includes(':') ? '-6' : '-4', 'route', ...parameters], { netns: hostNetns });
  const prefix = (address: string): string => `${address}/${address.includes(':') ? 128 : 32}`;
  return {
    instances: () => Array.from(fabric.nodes.values(), ({ name, addresses, podCidrs }) => ({ name, addresses, podCidrs, running: isRunning(name) })),
    setPodCidrs: (node, podCidrs) => fabric.setPodCidrs(node, podCidrs),
    podRoutes: () => fabric.listPodRoutes(),
    loadBalancerRanges: fabric.loadBalancerRanges,
    routeAddress: async (address, nodes) => {
      // Unreachable at once is better than silence: a client learns that nobody is healthy.
      const way = nodes.length === 0 ? ['replace', 'unreachable', prefix(address)] : ['replace', prefix(address), ...nodes.flatMap((via) => ['nexthop', 'via', via, 'dev', fabric.hostInterface])];
      await removeRoute(ip, prefix(address), address);
      await ip(address, way);
    },
    unrouteAddress: (address) => removeRoute(ip, prefix(address), address),
    probe: (host, port, path) => probe({ netns: hostNetns, host, port }, path),
  };
}

/** A route of another type does not replace one; so the old one goes first. */
async function removeRoute(ip: (address: string, parameters: readonly string[]) => Promise<string>, prefix: string, address: string): Promise<void> {
  for (const type of [[], ['unreachable']]) await ip(address, ['del', ...type, prefix]).catch(() => undefined);
}

function probe(target: { netns: string | undefined; host: string; port: number }, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get({ path, timeout: PROBE_TIMEOUT_MS, createConnection: () => connectIn(target) }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', () => resolve(false));
  });
}
