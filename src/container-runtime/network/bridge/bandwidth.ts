/** Bandwidth limits of a pod: parses its annotations and generates the tc commands. */
import { ownValue } from '../../../base/index.ts';
import { PodNetworkError } from '../pod-network.ts';

const INGRESS_ANNOTATION = 'kubernetes.io/ingress-bandwidth';
const EGRESS_ANNOTATION = 'kubernetes.io/egress-bandwidth';

/** Bits per second; absent means unlimited. */
export interface Bandwidth {
  readonly ingress?: number;
  readonly egress?: number;
}

const MIN_BITS_PER_SECOND = 1_000;
const MAX_BITS_PER_SECOND = 1_000_000_000_000_000;

export function bandwidthOf(annotations: Readonly<Record<string, string>> = {}): Bandwidth {
  const read = (annotation: string): number | undefined => {
    const text = ownValue(annotations, annotation);
    if (text === undefined) return undefined;
    const bits = parseQuantity(text);
    if (bits === undefined)
      throw new PodNetworkError('bad-annotation', `the annotation ${annotation}: "${text}" is not a quantity`);
    if (bits < MIN_BITS_PER_SECOND)
      throw new PodNetworkError(
        'bad-annotation',
        `the annotation ${annotation}: resource is unreasonably small (< 1kbit)`,
      );
    if (bits > MAX_BITS_PER_SECOND)
      throw new PodNetworkError(
        'bad-annotation',
        `the annotation ${annotation}: resource is unreasonably large (> 1Pbit)`,
      );
    return bits;
  };
  const ingress = read(INGRESS_ANNOTATION);
  const egress = read(EGRESS_ANNOTATION);
  return { ...(ingress === undefined ? {} : { ingress }), ...(egress === undefined ? {} : { egress }) };
}

const SUFFIXES: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({
    n: 1e-9,
    u: 1e-6,
    m: 1e-3,
    '': 1,
    k: 1e3,
    M: 1e6,
    G: 1e9,
    T: 1e12,
    P: 1e15,
    E: 1e18,
    Ki: 2 ** 10,
    Mi: 2 ** 20,
    Gi: 2 ** 30,
    Ti: 2 ** 40,
    Pi: 2 ** 50,
    Ei: 2 ** 60,
  }),
);

/** A Kubernetes quantity as a whole number, rounded up. */
function parseQuantity(text: string): number | undefined {
  const match = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(text);
  if (match === null) return undefined;
  return Math.ceil(Number(match[1]! + (match[2] ?? '')) * SUFFIXES.get(match[3] ?? '')!);
}

/**
 * Commands for `tc -batch`. Linux shapes only what leaves a device: the pod's ingress leaves the node's end of the
 * veth pair, and its egress is redirected through an ifb device.
 */
export function shapingCommands({
  bandwidth,
  hostInterface,
  ifbDevice,
  mtu,
}: {
  bandwidth: Bandwidth;
  hostInterface: string;
  ifbDevice: string;
  mtu: number;
}): string[] {
  const commands: string[] = [];
  if (bandwidth.ingress !== undefined) commands.push(tokenBucket(hostInterface, bandwidth.ingress, mtu));
  if (bandwidth.egress !== undefined) {
    commands.push(
      tokenBucket(ifbDevice, bandwidth.egress, mtu),
      `qdisc add dev ${hostInterface} ingress`,
      `filter add dev ${hostInterface} parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev ${ifbDevice}`,
    );
  }
  return commands;
}

function tokenBucket(device: string, bitsPerSecond: number, mtu: number): string {
  // A tenth of a second at the rate, and at least ten frames: a smaller burst would never reach the rate.
  const burst = Math.min(Math.max(Math.ceil(bitsPerSecond / 8 / 10), 10 * mtu), 2 ** 30);
  return `qdisc replace dev ${device} root tbf rate ${bitsPerSecond}bit burst ${burst} latency 25ms`;
}
