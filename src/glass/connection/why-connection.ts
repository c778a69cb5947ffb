/**
 * `why connection pod/a -> service/b:80`: DNS, policies, the Service's rules and its endpoints, one after the other, from what
 * the API tells the user who asks. Meanings are those of our own components: upstream's kube-proxy and policy engines follow
 * the same API. Where the kernels of nodes can be looked into, what their rules really do is a step of its own.
 */
import type { Client } from '../../client/index.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import type { ConnectionAnswer } from '../answers.ts';
import { explainPod } from '../why/pod.ts';
import { Reader, type ReaderOptions } from '../why/reader.ts';
import { parseDestination, parseSource, type Destination } from './destination.ts';
import { KernelSteps, type ReadNodeRules } from './kernel-steps.ts';
import { clusterDns, resolves } from './name-steps.ts';
import { ConnectionPolicies } from './policies.ts';
import { resolverOf, serviceOfName, triedNames } from './resolve-name.ts';
import { toService } from './service-steps.ts';
import { toTarget } from './target-steps.ts';
import { and, portsOf, type Way } from './way.ts';

export interface WhyConnectionOptions extends ReaderOptions {
  readonly client: Client;
  /** `pod/a` */
  readonly from: string;
  /** `service/b:80`, `pod/b:80`, `b.other:80`, `10.0.0.1:80` */
  readonly to: string;
  /** Of names without one; default `default`. */
  readonly namespace?: string;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
  /** Reads the rules of a node's kernel, where that is possible. */
  readonly nodeRules?: ReadNodeRules;
}

export async function whyConnection(options: WhyConnectionOptions): Promise<ConnectionAnswer> {
  const { namespace = 'default', protocol = 'TCP' } = options;
  const destination = parseDestination(options.to, namespace);
  const place = parseSource(options.from, namespace);
  const reader = new Reader(options);
  const pod = await options.client.resource('v1/pods').get(place, options.signal ? { signal: options.signal } : {});
  const way: Way = {
    reader,
    source: pod,
    protocol,
    kernel: new KernelSteps({ read: options.nodeRules, source: pod, protocol }),
    policies: await ConnectionPolicies.read(reader),
    steps: [],
  };
  const works = await walk(way, destination);
  const failed = way.steps.find(({ passes }) => passes === false);
  return {
    from: `pod ${place.namespace}/${place.name}`,
    to: options.to,
    ...(works === undefined ? {} : { works }),
    ...(works === false && failed ? { cause: failed.message } : {}),
    steps: way.steps,
    unknown: reader.unknown,
  };
}

/** Whether it works, as far as the API tells. */
async function walk(way: Way, destination: Destination): Promise<boolean | undefined> {
  if (!(await sourceRuns(way))) return false;
  switch (destination.kind) {
    case 'service':
      return toNamedService(way, destination, destination.port);
    case 'name':
      return toName(way, destination.host, destination.port);
    case 'pod':
      return toPod(way, destination, destination.port);
    case 'address':
      return toAddress(way, destination.address, destination.port);
  }
}

async function sourceRuns(way: Way): Promise<boolean> {
  const { metadata, status, spec } = way.source;
  const passes = status?.phase === 'Running' && !!status.podIP;
  way.steps.push({
    step: 'Source',
    passes,
    message: passes
      ? `pod ${metadata.name} has the address ${status.podIP} on node ${spec?.nodeName}`
      : `pod ${metadata.name} is ${status?.phase ?? 'Pending'} and has no running containers to connect from`,
    ...(passes ? {} : { because: [await explainPod(way.reader, way.source)] }),
  });
  return passes;
}

async function toNamedService(
  way: Way,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  port: string,
): Promise<boolean | undefined> {
  const { object: service, known } = await way.reader.get('v1/services', { namespace, name });
  if (!known) return undefined;
  if (!service) {
    way.steps.push({
      step: 'Service',
      passes: false,
      message: `there is no Service ${name} in namespace ${namespace}`,
    });
    return false;
  }
  const host = namespace === way.source.metadata.namespace ? name : `${name}.${namespace}`;
  const resolved = await resolves(way, host);
  return and(resolved, await toService(way, service, port));
}

async function toName(way: Way, host: string, port: string): Promise<boolean | undefined> {
  const resolver = resolverOf(way.source, await clusterDns(way));
  for (const tried of resolver.usesCluster ? triedNames(host, resolver) : []) {
    const named = serviceOfName(tried);
    if (!named) continue;
    const { object: service, known } = await way.reader.get('v1/services', named);
    if (!known) return undefined;
    if (service) return and(await resolves(way, host), await toService(way, service, port, named.hostname));
  }
  if ((await resolves(way, host)) === false) return false;
  way.reader.noteUnknown(
    `what ${host} resolves to: no Service of the cluster has this name, and other name servers were not asked`,
  );
  return undefined;
}

async function toPod(
  way: Way,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  port: string,
): Promise<boolean | undefined> {
  const { object: pod, known } = await way.reader.get('v1/pods', { namespace, name });
  if (!known) return undefined;
  if (!pod) {
    way.steps.push({
      step: 'Destination',
      passes: false,
      message: `there is no pod ${name} in namespace ${namespace}`,
    });
    return false;
  }
  const named = portsOf(pod).find((one) => one.name === port);
  const number = named?.containerPort ?? Number(port);
  if (!Number.isInteger(number)) {
    way.steps.push({
      step: 'Destination',
      passes: false,
      message: `no container of pod ${name} has a port that is called ${port}`,
    });
    return false;
  }
  return toTarget(way, { address: pod.status?.podIP ?? '', port: number, pod });
}

async function toAddress(way: Way, address: string, port: string): Promise<boolean | undefined> {
  const services = await way.reader.list('v1/services');
  const service = services.find(
    ({ spec }) => spec?.clusterIPs?.includes(address) || spec?.externalIPs?.includes(address),
  );
  if (service) return toService(way, service, port);
  const pods = await way.reader.list('v1/pods', { fieldSelector: `status.podIP=${address}` });
  const pod = pods.find((one) => !isPodTerminal(one));
  if (!pod)
    way.steps.push({
      step: 'Destination',
      message: `${address} is the address of no Service and no pod: it is outside of the cluster, or free`,
    });
  return toTarget(way, { address, port: Number(port), pod });
}
