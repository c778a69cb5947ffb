/** The local cloud's infrastructure: the fabric's nodes and the host's routes. */
import http from 'node:http';
import type { LocalInfrastructure } from '../cloud-controller-manager/index.ts';
import type { Clock } from '../kernel/index.ts';
import { connectIn } from '../net/netns/index.ts';
import type { Fabric } from './fabric/index.ts';

const PROBE_TIMEOUT_MS = 1000;

interface LocalInfrastructureOptions {
  readonly clock: Clock;
  readonly fabric: Fabric;
  /** Whether a node's kubelet runs. */
  readonly isRunning: (node: string) => boolean;
  /** The namespace that is the host's; default: the process's own. */
  readonly hostNetns?: string;
}

export function localInfrastructure({
  clock,
  fabric,
  isRunning,
  hostNetns,
}: LocalInfrastructureOptions): LocalInfrastructure {
  return {
    instances: () =>
      Array.from(fabric.nodes.values(), ({ name, addresses, podCidrs }) => ({
        name,
        addresses,
        podCidrs,
        running: isRunning(name),
      })),
    setPodCidrs: (node, podCidrs) => fabric.setPodCidrs(node, podCidrs),
    podRoutes: () => fabric.listPodRoutes(),
    loadBalancerRanges: fabric.loadBalancerRanges,
    // Without a healthy node the address is unreachable at once, instead of silent.
    routeAddress: (address, nodes) => fabric.routeHostAddress(address, nodes),
    unrouteAddress: (address) => fabric.unrouteHostAddress(address),
    probe: (host, port, path) => probe(clock, { netns: hostNetns, host, port }, path),
  };
}

function probe(
  clock: Clock,
  target: { netns: string | undefined; host: string; port: number },
  path: string,
): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const socket = connectIn(target);
    const done = (healthy: boolean | undefined): void => {
      silence.cancel();
      resolve(healthy);
    };
    // Covers connecting, too: a node that is cut off does not refuse connections.
    const silence = clock.after(PROBE_TIMEOUT_MS, () => {
      resolve(undefined);
      socket.destroy();
    });
    socket.on('error', () => done(false));
    const request = http.get({ path, createConnection: () => socket }, (response) => {
      response.resume();
      done(response.statusCode === 200);
    });
    request.on('error', () => done(false));
  });
}
