/** The end of the way: the policies of both sides, the kernels between them, and the pod that answers. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { isPodReady, isPodTerminal, longRunningContainers } from '../../component-helpers/index.ts';
import type { Direction } from '../../machinery/network-policy/index.ts';
import { explainPod } from '../why/pod.ts';
import { describePeer, peerOf, type Asked, type Peer } from './policies.ts';
import { portsOf, type Way } from './way.ts';

/** Where packets go after a Service's address was translated. */
interface Target {
  readonly address: string;
  readonly port: number;
  readonly pod: Pod | undefined;
  /** A Service's address was translated to it. */
  readonly isTranslated?: boolean;
}

/** The policies of both sides, and the pod at the end. */
export async function toTarget(way: Way, target: Target): Promise<boolean | undefined> {
  const { address, port, pod, isTranslated = false } = target;
  const title = pod ? `pod ${pod.metadata.namespace}/${pod.metadata.name} (${address}:${port})` : `${address}:${port}`;
  if (pod && !(await podRuns(way, pod, title))) return false;
  const names = pod ? portsOf(pod).flatMap((one) => (one.containerPort === port && one.name ? [one.name] : [])) : [];
  const asked = { protocol: way.protocol, port, names };
  const isSelf = address === way.source.status?.podIP;
  const egress = isSelf || policyAllows(way, 'egress', way.source, peerOf(pod, address), asked, title);
  const ingress =
    isSelf ||
    !pod ||
    policyAllows(way, 'ingress', pod, peerOf(way.source, way.source.status?.podIP ?? ''), asked, title);
  if (!egress || !ingress) return false;
  const kernel = isSelf ? [] : await way.kernel.path({ address, port }, pod, isTranslated);
  way.steps.push(...kernel);
  if (kernel.some(({ passes }) => passes === false)) return false;
  if (!pod || !way.policies.areKnown) return undefined;
  return listens(way, pod, port, title);
}

async function podRuns(way: Way, pod: Pod, title: string): Promise<boolean> {
  const passes = !isPodTerminal(pod) && !!pod.status?.podIP && pod.status.phase === 'Running';
  const ready = isPodReady(pod);
  const state = pod.metadata.deletionTimestamp ? 'terminating' : ready ? 'ready' : 'not ready';
  way.steps.push({
    step: 'Endpoint',
    passes,
    message: `${title} is ${pod.status?.phase ?? 'Pending'}, ${state}`,
    ...(passes && ready
      ? {}
      : {
          because: await way.reader.because(`pods/${pod.metadata.namespace}/${pod.metadata.name}`, () =>
            explainPod(way.reader, pod),
          ),
        }),
  });
  return passes;
}

function policyAllows(way: Way, direction: Direction, pod: Pod, peer: Peer, asked: Asked, title: string): boolean {
  const { allowed, isolatedBy, allowedBy } = way.policies.verdict(direction, pod, peer, asked);
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
  const side = direction === 'egress' ? `from ${name}` : `to ${name}`;
  way.steps.push({
    step: direction === 'egress' ? 'Egress policy' : 'Ingress policy',
    ...(way.policies.areKnown || !allowed ? { passes: allowed } : {}),
    message: !allowed
      ? `NetworkPolicy ${isolatedBy.join(', ')} isolates ${name}, and no rule allows ${asked.protocol} port ${asked.port} ${direction === 'egress' ? `to ${title}` : `from ${describePeer(peer)}`}`
      : isolatedBy.length === 0
        ? `no NetworkPolicy is about traffic ${side}`
        : `NetworkPolicy ${allowedBy} allows it`,
    ...(allowed
      ? {}
      : {
          remedy: `add ${direction === 'egress' ? 'an egress' : 'an ingress'} rule for port ${asked.port} to one of these policies`,
        }),
  });
  return allowed;
}

/** Containers listen where they like: declared ports are a hint, and one that is missing among others leaves it open. */
function listens(way: Way, pod: Pod, port: number, title: string): boolean | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const running = new Set(
    [...containerStatuses, ...initContainerStatuses].flatMap(({ name, state }) => (state?.running ? [name] : [])),
  );
  const declared = longRunningContainers(pod.spec)
    .filter(({ ports = [] }) => ports.some((one) => one.containerPort === port))
    .map(({ name }) => name);
  const stopped = declared.filter((name) => !running.has(name));
  const others = portsOf(pod).map(({ containerPort }) => containerPort);
  way.reader.noteUnknown(`whether a process of ${title} listens: only the node knows`);
  if (stopped.length > 0) {
    const message = `container ${stopped.join(', ')}, which has port ${port}, is not running`;
    way.steps.push({ step: 'Container', passes: false, message });
    return false;
  }
  if (declared.length > 0) {
    const message = `container ${declared.join(', ')} declares port ${port} and is running`;
    way.steps.push({ step: 'Container', passes: true, message });
    return true;
  }
  way.steps.push({
    step: 'Container',
    message: `no container declares port ${port}: it has ${others.join(', ') || 'no declared ports'}`,
    ...(others.length > 0 ? { remedy: `if nothing listens on ${port}, connect to port ${others.join(' or ')}` } : {}),
  });
  return others.length > 0 ? undefined : true;
}
