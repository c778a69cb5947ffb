/**
 * `why connection pod/a -> service/b:80`: DNS, policies, the Service's rules and its endpoints, one after the other, from what
 * the API tells the user who asks. Meanings are those of our own components: upstream's kube-proxy and policy engines follow
 * the same API. Where the kernels of nodes can be looked into, what their rules really do is a step of its own.
 */
import type { Namespace, Pod, Service, ServicePort } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import type { Client } from '../../client/index.ts';
import {
  endpointsOfPort,
  familyOf,
  internalEndpoints,
  isPodReady,
  isPodTerminal,
  longRunningContainers,
  planService,
} from '../../component-helpers/index.ts';
import {
  policyVerdict,
  selectingPolicy,
  type Direction,
  type SelectingPolicy,
} from '../../machinery/network-policy/index.ts';
import type { ConnectionAnswer, ConnectionStep } from '../answers.ts';
import { explainPod } from '../why/pod.ts';
import { Reader, type ReaderOptions } from '../why/reader.ts';
import { explainService } from '../why/service.ts';
import { parseDestination, parseSource, type Destination } from './destination.ts';
import { KernelSteps, type ReadNodeRules } from './kernel-steps.ts';
import { resolverOf, serviceOfName, triedNames } from './resolve-name.ts';

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
  const kernel = new KernelSteps({ read: options.nodeRules, source: pod, protocol });
  const walk = new Walk(reader, pod, { protocol, kernel });
  const works = await walk.go(destination);
  const failed = walk.steps.find(({ passes }) => passes === false);
  return {
    from: `pod ${place.namespace}/${place.name}`,
    to: options.to,
    ...(works === undefined ? {} : { works }),
    ...(works === false && failed ? { cause: failed.message } : {}),
    steps: walk.steps,
    unknown: reader.unknown,
  };
}

/** Where packets go after a Service's address was translated. */
interface Target {
  readonly address: string;
  readonly port: number;
  readonly pod: Pod | undefined;
  /** A Service's address was translated to it. */
  readonly isTranslated?: boolean;
}

const MAX_ENDPOINTS = 10;
const DNS_PORT = 53;

class Walk {
  readonly steps: ConnectionStep[] = [];
  readonly #reader: Reader;
  readonly #source: Pod;
  readonly #protocol: string;
  readonly #kernel: KernelSteps;
  #policies: readonly SelectingPolicy[] = [];
  #namespaces: ReadonlyMap<string, Namespace> = new Map();
  /** Policies or namespaces that the asker may not list leave verdicts open. */
  #knowsPolicies = true;

  constructor(
    reader: Reader,
    source: Pod,
    { protocol, kernel }: { readonly protocol: string; readonly kernel: KernelSteps },
  ) {
    this.#reader = reader;
    this.#source = source;
    this.#protocol = protocol;
    this.#kernel = kernel;
  }

  /** Whether it works, as far as the API tells. */
  async go(destination: Destination): Promise<boolean | undefined> {
    if (!(await this.#sourceRuns())) return false;
    await this.#readPolicies();
    switch (destination.kind) {
      case 'service':
        return this.#toNamedService(destination, destination.port);
      case 'name':
        return this.#toName(destination.host, destination.port);
      case 'pod':
        return this.#toPod(destination, destination.port);
      case 'address':
        return this.#toAddress(destination.address, destination.port);
    }
  }

  async #sourceRuns(): Promise<boolean> {
    const { metadata, status, spec } = this.#source;
    const passes = status?.phase === 'Running' && !!status.podIP;
    this.steps.push({
      step: 'Source',
      passes,
      message: passes
        ? `pod ${metadata.name} has the address ${status.podIP} on node ${spec?.nodeName}`
        : `pod ${metadata.name} is ${status?.phase ?? 'Pending'} and has no running containers to connect from`,
      ...(passes ? {} : { because: [await explainPod(this.#reader, this.#source)] }),
    });
    return passes;
  }

  async #readPolicies(): Promise<void> {
    const before = this.#reader.unknown.length;
    const policies = await this.#reader.list('networking.k8s.io/v1/networkpolicies');
    if (policies.length > 0) {
      const namespaces = await this.#reader.list('v1/namespaces');
      this.#namespaces = new Map(namespaces.map((namespace) => [namespace.metadata.name ?? '', namespace]));
    }
    this.#policies = policies.map(selectingPolicy);
    this.#knowsPolicies = this.#reader.unknown.length === before;
  }

  async #toNamedService(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    port: string,
  ): Promise<boolean | undefined> {
    const { object: service, known } = await this.#reader.get('v1/services', { namespace, name });
    if (!known) return undefined;
    if (!service) {
      this.steps.push({
        step: 'Service',
        passes: false,
        message: `there is no Service ${name} in namespace ${namespace}`,
      });
      return false;
    }
    const host = namespace === this.#source.metadata.namespace ? name : `${name}.${namespace}`;
    const resolved = await this.#resolves(host);
    return and(resolved, await this.#toService(service, port));
  }

  async #toName(host: string, port: string): Promise<boolean | undefined> {
    const resolver = resolverOf(this.#source, await this.#clusterDns());
    for (const tried of resolver.usesCluster ? triedNames(host, resolver) : []) {
      const named = serviceOfName(tried);
      if (!named) continue;
      const { object: service, known } = await this.#reader.get('v1/services', named);
      if (!known) return undefined;
      if (service) return and(await this.#resolves(host), await this.#toService(service, port, named.hostname));
    }
    if ((await this.#resolves(host)) === false) return false;
    this.#reader.noteUnknown(
      `what ${host} resolves to: no Service of the cluster has this name, and other name servers were not asked`,
    );
    return undefined;
  }

  /** Whether the pod's resolver finds the name, and may ask for it. */
  async #resolves(host: string): Promise<boolean | undefined> {
    const servers = await this.#clusterDns();
    const resolver = resolverOf(this.#source, servers);
    const { dnsPolicy = 'ClusterFirst' } = this.#source.spec ?? {};
    if (servers.length === 0) {
      this.steps.push({
        step: 'DNS',
        message: 'no Service kube-system/kube-dns is visible: how names are resolved is not known',
      });
      return undefined;
    }
    if (!resolver.usesCluster) {
      this.steps.push({
        step: 'DNS',
        passes: false,
        message: `its dnsPolicy ${dnsPolicy} uses the name servers of the node, which do not know names of the cluster`,
        remedy: 'set dnsPolicy ClusterFirst, or ClusterFirstWithHostNet for a pod with hostNetwork',
      });
      return false;
    }
    const tried = triedNames(host, resolver);
    for (const name of tried) {
      const named = serviceOfName(name);
      const service = named && (await this.#reader.get('v1/services', named)).object;
      if (!named || !service) continue;
      const verdict = this.#verdict('egress', this.#source, await this.#dnsServer(servers[0]!), {
        protocol: 'UDP',
        port: DNS_PORT,
        names: ['dns'],
      });
      this.steps.push({
        step: 'DNS',
        ...(this.#knowsPolicies ? { passes: verdict.allowed } : {}),
        message: verdict.allowed
          ? `${host} is ${name}: ${await this.#recordOf(service)}`
          : `policies of the pod do not allow it to ask cluster DNS (UDP port 53 of ${servers[0]}): ${verdict.isolatedBy.join(', ')}`,
        evidence: [`search path: ${resolver.searches.join(' ')}, ndots ${resolver.ndots}`],
        ...(verdict.allowed
          ? {}
          : {
              remedy:
                'add an egress rule for UDP and TCP port 53 to pods with the label k8s-app=kube-dns in kube-system',
            }),
      });
      return this.#knowsPolicies ? verdict.allowed : undefined;
    }
    const inside = tried.filter((name) => serviceOfName(name) !== undefined);
    // Longer names may be of other domains.
    const isOfCluster = inside.length > 0 && host.split('.').length <= 3;
    this.steps.push({
      step: 'DNS',
      ...(isOfCluster ? { passes: false } : {}),
      message: `no Service has a name that is tried for ${host}`,
      evidence: inside.length > 0 ? [`tried: ${inside.join(', ')}`] : [],
    });
    return isOfCluster ? false : undefined;
  }

  async #recordOf({ metadata, spec }: Service): Promise<string> {
    if (spec?.type === 'ExternalName') return `an alias of ${spec.externalName}`;
    if (spec?.clusterIP !== 'None') return (spec?.clusterIPs ?? [spec?.clusterIP ?? '']).join(', ');
    const ready = (await this.#slicesOf(metadata.namespace ?? '', metadata.name ?? '')).flatMap(({ endpoints }) =>
      (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false).flatMap(({ addresses }) => addresses),
    );
    return ready.length > 0
      ? `${ready.slice(0, MAX_ENDPOINTS).join(', ')} (headless)`
      : 'no address: it is headless and has no ready endpoint';
  }

  async #clusterDns(): Promise<readonly string[]> {
    const { object } = await this.#reader.get('v1/services', { namespace: 'kube-system', name: 'kube-dns' });
    return object?.spec?.clusterIPs ?? [];
  }

  /** Cluster DNS as policies see it: pods, or a server on the node that stands for them. */
  async #dnsServer(address: string): Promise<Peer> {
    return { address, namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };
  }

  #slicesOf(namespace: string, name: string): Promise<EndpointSlice[]> {
    return this.#reader.list('discovery.k8s.io/v1/endpointslices', {
      namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
    });
  }

  async #toService(service: Service, port: string, hostname?: string): Promise<boolean | undefined> {
    const { metadata, spec } = service;
    const title = `${metadata.namespace}/${metadata.name}`;
    if (spec?.type === 'ExternalName') {
      this.steps.push({ step: 'Service', passes: true, message: `${title} is an alias of ${spec.externalName}` });
      this.#reader.noteUnknown(`whether ${spec.externalName} answers: it is outside of the cluster`);
      return undefined;
    }
    const ports = spec?.ports ?? [];
    const isHeadless = spec?.clusterIP === 'None';
    const found =
      ports.find((one) => one.name === port || one.port === Number(port)) ??
      (isHeadless ? ports.find(({ targetPort }) => targetPort === Number(port)) : undefined);
    if (!found || (found.protocol ?? 'TCP') !== this.#protocol) {
      this.steps.push({
        step: 'Service',
        passes: false,
        message: `Service ${title} has no ${this.#protocol} port ${port}`,
        evidence: [`it has ${ports.map(portText).join(', ') || 'no ports'}`],
        remedy: `connect to one of its ports, or add port ${port} to it`,
      });
      return false;
    }
    this.steps.push({
      step: 'Service',
      passes: true,
      message: `${title} ${isHeadless ? 'is headless' : `has the address ${spec?.clusterIP}`}; ${portText(found)} goes to ${found.targetPort ?? found.port} of its pods`,
    });
    const slices = await this.#slicesOf(metadata.namespace ?? '', metadata.name ?? '');
    const targets = isHeadless ? headlessTargets(slices, found, hostname) : await this.#proxied(service, found, slices);
    return targets ? this.#anyOf(service, targets, { slices, isTranslated: !isHeadless }) : false;
  }

  /** What kube-proxy of the source's node does for the port: undefined where it has no endpoints. */
  async #proxied(
    service: Service,
    port: ServicePort,
    slices: readonly EndpointSlice[],
  ): Promise<readonly { ip: string; port: number }[] | undefined> {
    const { metadata, spec } = service;
    const nodeName = this.#source.spec?.nodeName ?? '';
    const { object: node } = await this.#reader.get('v1/nodes', { name: nodeName });
    const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'];
    const family = familyOf(this.#source.status?.podIP ?? '');
    const plan = planService(service, slices, { name: nodeName, ...(zone ? { zone } : {}) }).find(
      (one) => one.port === port.port && one.protocol === this.#protocol.toLowerCase() && one.family === family,
    );
    if (!plan) {
      this.steps.push({
        step: 'Rules',
        passes: false,
        message: metadata.labels?.['service.kubernetes.io/service-proxy-name']
          ? 'kube-proxy leaves this Service to another proxy, by its label service.kubernetes.io/service-proxy-name'
          : `kube-proxy has no rule for it: the Service has no ${family} address`,
      });
      return undefined;
    }
    const chosen = internalEndpoints(plan);
    const affinity =
      plan.affinitySeconds === undefined ? [] : [`session affinity: the same endpoint for ${plan.affinitySeconds} s`];
    if (chosen.length > 0) {
      this.steps.push({
        step: 'Rules',
        passes: true,
        message: `node ${nodeName} sends ${plan.clusterIp}:${plan.port} to ${chosen
          .map(({ ip, port: to }) => `${ip}:${to}`)
          .slice(0, MAX_ENDPOINTS)
          .join(', ')}`,
        evidence: [
          ...(plan.internalPolicyLocal ? ['internalTrafficPolicy Local: endpoints of this node only'] : []),
          ...affinity,
        ],
      });
      const kernel = await this.#kernel.translation(
        { address: plan.clusterIp, port: plan.port },
        chosen.map(({ ip, port: to }) => ({ address: ip, port: to })),
      );
      if (kernel) this.steps.push(kernel);
      else
        this.#reader.noteUnknown(`whether the kernel of node ${nodeName} has these rules: only its kube-proxy knows`);
      return kernel?.passes === false ? undefined : chosen;
    }
    const elsewhere = plan.internalPolicyLocal && plan.endpoints.cluster.length > 0;
    this.steps.push({
      step: 'Rules',
      passes: false,
      message: elsewhere
        ? `internalTrafficPolicy is Local and no endpoint is on node ${nodeName}: packets are dropped`
        : `the Service has no endpoint that takes traffic: packets are rejected`,
      evidence: endpointLines(slices, port, family),
      ...(elsewhere
        ? { remedy: 'set internalTrafficPolicy Cluster, or run a pod of the Service on each node' }
        : { because: [await explainService(this.#reader, spec ? service : { ...service })] }),
    });
    return undefined;
  }

  /** One endpoint that can be reached is enough, but each connection gets any of them. */
  async #anyOf(
    service: Service,
    targets: readonly { readonly ip: string; readonly port: number }[],
    { slices, isTranslated }: { readonly slices: readonly EndpointSlice[]; readonly isTranslated: boolean },
  ): Promise<boolean | undefined> {
    if (targets.length === 0) {
      this.steps.push({
        step: 'Endpoints',
        passes: false,
        message: 'the Service has no ready endpoint, so its name has no address',
        because: [await explainService(this.#reader, service)],
      });
      return false;
    }
    const outcomes: (boolean | undefined)[] = [];
    for (const { ip, port } of targets.slice(0, MAX_ENDPOINTS)) {
      const endpoint = slices
        .flatMap(({ endpoints }) => endpoints ?? [])
        .find(({ addresses }) => addresses.includes(ip));
      const name = endpoint?.targetRef?.kind === 'Pod' ? endpoint.targetRef.name : undefined;
      const pod = name
        ? (await this.#reader.get('v1/pods', { namespace: service.metadata.namespace ?? '', name })).object
        : undefined;
      outcomes.push(await this.#toTarget({ address: ip, port, pod, isTranslated }));
    }
    if (targets.length > MAX_ENDPOINTS)
      this.#reader.noteUnknown(`${targets.length - MAX_ENDPOINTS} more endpoints were not looked at`);
    if (outcomes.every((outcome) => outcome === false)) return false;
    if (outcomes.some((outcome) => outcome === false))
      this.steps.push({
        step: 'Endpoints',
        message: 'some endpoints cannot be reached: connections that are sent to them fail',
      });
    return outcomes.includes(true) ? true : undefined;
  }

  async #toPod(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    port: string,
  ): Promise<boolean | undefined> {
    const { object: pod, known } = await this.#reader.get('v1/pods', { namespace, name });
    if (!known) return undefined;
    if (!pod) {
      this.steps.push({
        step: 'Destination',
        passes: false,
        message: `there is no pod ${name} in namespace ${namespace}`,
      });
      return false;
    }
    const named = portsOf(pod).find((one) => one.name === port);
    const number = named?.containerPort ?? Number(port);
    if (!Number.isInteger(number)) {
      this.steps.push({
        step: 'Destination',
        passes: false,
        message: `no container of pod ${name} has a port that is called ${port}`,
      });
      return false;
    }
    return this.#toTarget({ address: pod.status?.podIP ?? '', port: number, pod });
  }

  async #toAddress(address: string, port: string): Promise<boolean | undefined> {
    const services = await this.#reader.list('v1/services');
    const service = services.find(
      ({ spec }) => spec?.clusterIPs?.includes(address) || spec?.externalIPs?.includes(address),
    );
    if (service) return this.#toService(service, port);
    const pods = await this.#reader.list('v1/pods', { fieldSelector: `status.podIP=${address}` });
    const pod = pods.find((one) => !isPodTerminal(one));
    if (!pod)
      this.steps.push({
        step: 'Destination',
        message: `${address} is the address of no Service and no pod: it is outside of the cluster, or free`,
      });
    return this.#toTarget({ address, port: Number(port), pod });
  }

  /** The policies of both sides, and the pod at the end. */
  async #toTarget(target: Target): Promise<boolean | undefined> {
    const { address, port, pod, isTranslated = false } = target;
    const title = pod
      ? `pod ${pod.metadata.namespace}/${pod.metadata.name} (${address}:${port})`
      : `${address}:${port}`;
    if (pod && !(await this.#podRuns(pod, title))) return false;
    const names = pod ? portsOf(pod).flatMap((one) => (one.containerPort === port && one.name ? [one.name] : [])) : [];
    const asked = { protocol: this.#protocol, port, names };
    const isSelf = address === this.#source.status?.podIP;
    const egress = isSelf || this.#policy('egress', this.#source, peerOf(pod, address), asked, title);
    const ingress =
      isSelf ||
      !pod ||
      this.#policy('ingress', pod, peerOf(this.#source, this.#source.status?.podIP ?? ''), asked, title);
    if (!egress || !ingress) return false;
    const kernel = isSelf ? [] : await this.#kernel.path({ address, port }, pod, isTranslated);
    this.steps.push(...kernel);
    if (kernel.some(({ passes }) => passes === false)) return false;
    if (!pod || !this.#knowsPolicies) return undefined;
    this.#listens(pod, port, title);
    return true;
  }

  async #podRuns(pod: Pod, title: string): Promise<boolean> {
    const passes = !isPodTerminal(pod) && !!pod.status?.podIP && pod.status.phase === 'Running';
    const ready = isPodReady(pod);
    const state = pod.metadata.deletionTimestamp ? 'terminating' : ready ? 'ready' : 'not ready';
    this.steps.push({
      step: 'Endpoint',
      passes,
      message: `${title} is ${pod.status?.phase ?? 'Pending'}, ${state}`,
      ...(passes && ready
        ? {}
        : {
            because: await this.#reader.because(`pods/${pod.metadata.namespace}/${pod.metadata.name}`, () =>
              explainPod(this.#reader, pod),
            ),
          }),
    });
    return passes;
  }

  #policy(direction: Direction, pod: Pod, peer: Peer, asked: Asked, title: string): boolean {
    const { allowed, isolatedBy, allowedBy } = this.#verdict(direction, pod, peer, asked);
    const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const side = direction === 'egress' ? `from ${name}` : `to ${name}`;
    this.steps.push({
      step: direction === 'egress' ? 'Egress policy' : 'Ingress policy',
      ...(this.#knowsPolicies || !allowed ? { passes: allowed } : {}),
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

  #verdict(
    direction: Direction,
    pod: Pod,
    peer: Peer,
    { protocol, port, names }: Asked,
  ): ReturnType<typeof policyVerdict> {
    // The traffic of a pod in the node's network is the node's.
    if (pod.spec?.hostNetwork) return { allowed: true, isolatedBy: [] };
    return policyVerdict(this.#policies, {
      direction,
      pod: { namespace: pod.metadata.namespace ?? '', labels: pod.metadata.labels ?? {} },
      peer: { ...peer, namespaceLabels: this.#namespaces.get(peer.namespace ?? '')?.metadata.labels ?? {} },
      protocol,
      port,
      portNames: names,
    });
  }

  /** Containers listen where they like: declared ports are a hint. */
  #listens(pod: Pod, port: number, title: string): void {
    const running = new Set(
      (pod.status?.containerStatuses ?? []).flatMap(({ name, state }) => (state?.running ? [name] : [])),
    );
    const declaring = longRunningContainers(pod.spec).filter(({ ports = [] }) =>
      ports.some((one) => one.containerPort === port),
    );
    const declared = declaring.map(({ name }) => name);
    const stopped = declared.filter((name) => !running.has(name));
    this.steps.push({
      step: 'Container',
      ...(stopped.length > 0 ? { passes: false } : declared.length > 0 ? { passes: true } : {}),
      message:
        stopped.length > 0
          ? `container ${stopped.join(', ')}, which has port ${port}, is not running`
          : declared.length > 0
            ? `container ${declared.join(', ')} declares port ${port} and is running`
            : `no container declares port ${port}: it has ${
                portsOf(pod)
                  .map(({ containerPort }) => containerPort)
                  .join(', ') || 'no declared ports'
              }`,
    });
    this.#reader.noteUnknown(`whether a process of ${title} listens: only the node knows`);
  }
}

interface Peer {
  readonly address: string;
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
}

interface Asked {
  readonly protocol: string;
  readonly port: number;
  readonly names: readonly string[];
}

const peerOf = (pod: Pod | undefined, address: string): Peer =>
  pod && !pod.spec?.hostNetwork
    ? { address, namespace: pod.metadata.namespace, labels: pod.metadata.labels ?? {} }
    : { address };

const describePeer = ({ address, namespace, labels = {} }: Peer): string =>
  namespace === undefined
    ? address
    : `pods with the labels ${
        Object.entries(labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(',') || '(none)'
      } in namespace ${namespace}`;

const portText = ({ name, port, protocol = 'TCP' }: ServicePort): string =>
  `${protocol} port ${port}${name ? ` (${name})` : ''}`;

const portsOf = (pod: Pod): NonNullable<ReturnType<typeof longRunningContainers>[number]['ports']> =>
  longRunningContainers(pod.spec).flatMap(({ ports }) => ports ?? []);

function headlessTargets(
  slices: readonly EndpointSlice[],
  port: ServicePort,
  hostname: string | undefined,
): { ip: string; port: number }[] {
  const wanted =
    hostname === undefined
      ? slices
      : slices.map((slice) => ({
          ...slice,
          endpoints: (slice.endpoints ?? []).filter((one) => one.hostname === hostname),
        }));
  return ['IPv4', 'IPv6'].flatMap((family) =>
    endpointsOfPort(wanted, { family, portName: port.name ?? '', protocol: port.protocol ?? 'TCP' }).filter(
      ({ ready }) => ready,
    ),
  );
}

const endpointLines = (slices: readonly EndpointSlice[], port: ServicePort, family: string): string[] =>
  endpointsOfPort(slices, { family, portName: port.name ?? '', protocol: port.protocol ?? 'TCP' })
    .slice(0, MAX_ENDPOINTS)
    .map(
      ({ ip, port: to, ready, serving, terminating, nodeName }) =>
        `${ip}:${to} on node ${nodeName ?? 'unknown'}: ${ready ? 'ready' : 'not ready'}, ${serving ? 'serving' : 'not serving'}${terminating ? ', terminating' : ''}`,
    );

/** False if one is, and true if both are. */
const and = (a: boolean | undefined, b: boolean | undefined): boolean | undefined =>
  a === false || b === false ? false : a === undefined || b === undefined ? undefined : true;
