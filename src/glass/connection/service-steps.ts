/** A Service: its port, what kube-proxy of the source's node does for it, and its endpoints. */
import type { Service, ServicePort } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { endpointsOfPort, familyOf, internalEndpoints, planService } from '../../component-helpers/index.ts';
import { explainService } from '../why/service.ts';
import { toTarget } from './target-steps.ts';
import { MAX_ENDPOINTS, portText, slicesOf, type Way } from './way.ts';

export async function toService(
  way: Way,
  service: Service,
  port: string,
  hostname?: string,
): Promise<boolean | undefined> {
  const { metadata, spec } = service;
  const title = `${metadata.namespace}/${metadata.name}`;
  if (spec?.type === 'ExternalName') {
    way.steps.push({ step: 'Service', passes: true, message: `${title} is an alias of ${spec.externalName}` });
    way.reader.noteUnknown(`whether ${spec.externalName} answers: it is outside of the cluster`);
    return undefined;
  }
  const ports = spec?.ports ?? [];
  const isHeadless = spec?.clusterIP === 'None';
  const found =
    ports.find((one) => one.name === port || one.port === Number(port)) ??
    (isHeadless ? ports.find(({ targetPort }) => targetPort === Number(port)) : undefined);
  if (!found || (found.protocol ?? 'TCP') !== way.protocol) {
    way.steps.push({
      step: 'Service',
      passes: false,
      message: `Service ${title} has no ${way.protocol} port ${port}`,
      evidence: [`it has ${ports.map(portText).join(', ') || 'no ports'}`],
      remedy: `connect to one of its ports, or add port ${port} to it`,
    });
    return false;
  }
  way.steps.push({
    step: 'Service',
    passes: true,
    message: `${title} ${isHeadless ? 'is headless' : `has the address ${spec?.clusterIP}`}; ${portText(found)} goes to ${found.targetPort ?? found.port} of its pods`,
  });
  const slices = await slicesOf(way, metadata.namespace ?? '', metadata.name ?? '');
  const targets = isHeadless ? headlessTargets(slices, found, hostname) : await proxied(way, service, found, slices);
  return targets ? anyOf(way, service, targets, { slices, isTranslated: !isHeadless }) : false;
}

/** What kube-proxy of the source's node does for the port: undefined where it has no endpoints. */
async function proxied(
  way: Way,
  service: Service,
  port: ServicePort,
  slices: readonly EndpointSlice[],
): Promise<readonly { ip: string; port: number }[] | undefined> {
  const { metadata, spec } = service;
  const nodeName = way.source.spec?.nodeName ?? '';
  const { object: node } = await way.reader.get('v1/nodes', { name: nodeName });
  const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'];
  const family = familyOf(way.source.status?.podIP ?? '');
  const plan = planService(service, slices, { name: nodeName, ...(zone ? { zone } : {}) }).find(
    (one) => one.port === port.port && one.protocol === way.protocol.toLowerCase() && one.family === family,
  );
  if (!plan) {
    way.steps.push({
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
    way.steps.push({
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
    const kernel = await way.kernel.translation(
      { address: plan.clusterIp, port: plan.port },
      chosen.map(({ ip, port: to }) => ({ address: ip, port: to })),
    );
    if (kernel) way.steps.push(kernel);
    else way.reader.noteUnknown(`whether the kernel of node ${nodeName} has these rules: only its kube-proxy knows`);
    return kernel?.passes === false ? undefined : chosen;
  }
  const elsewhere = plan.internalPolicyLocal && plan.endpoints.cluster.length > 0;
  way.steps.push({
    step: 'Rules',
    passes: false,
    message: elsewhere
      ? `internalTrafficPolicy is Local and no endpoint is on node ${nodeName}: packets are dropped`
      : `the Service has no endpoint that takes traffic: packets are rejected`,
    evidence: endpointLines(slices, port, family),
    ...(elsewhere
      ? { remedy: 'set internalTrafficPolicy Cluster, or run a pod of the Service on each node' }
      : { because: [await explainService(way.reader, spec ? service : { ...service })] }),
  });
  return undefined;
}

/** One endpoint that can be reached is enough, but each connection gets any of them. */
async function anyOf(
  way: Way,
  service: Service,
  targets: readonly { readonly ip: string; readonly port: number }[],
  { slices, isTranslated }: { readonly slices: readonly EndpointSlice[]; readonly isTranslated: boolean },
): Promise<boolean | undefined> {
  if (targets.length === 0) {
    way.steps.push({
      step: 'Endpoints',
      passes: false,
      message: 'the Service has no ready endpoint, so its name has no address',
      because: [await explainService(way.reader, service)],
    });
    return false;
  }
  const outcomes: (boolean | undefined)[] = [];
  for (const { ip, port } of targets.slice(0, MAX_ENDPOINTS)) {
    const endpoint = slices.flatMap(({ endpoints }) => endpoints ?? []).find(({ addresses }) => addresses.includes(ip));
    const name = endpoint?.targetRef?.kind === 'Pod' ? endpoint.targetRef.name : undefined;
    const pod = name
      ? (await way.reader.get('v1/pods', { namespace: service.metadata.namespace ?? '', name })).object
      : undefined;
    outcomes.push(await toTarget(way, { address: ip, port, pod, isTranslated }));
  }
  if (targets.length > MAX_ENDPOINTS)
    way.reader.noteUnknown(`${targets.length - MAX_ENDPOINTS} more endpoints were not looked at`);
  if (outcomes.every((outcome) => outcome === false)) return false;
  if (outcomes.some((outcome) => outcome === false))
    way.steps.push({
      step: 'Endpoints',
      message: 'some endpoints cannot be reached: connections that are sent to them fail',
    });
  return outcomes.includes(true) ? true : undefined;
}

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
