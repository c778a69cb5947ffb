/** From a Service to an address that answers for it: one of its ready endpoints. */
import type { Service } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import type { Random } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { quote } from '../../machinery/quote.ts';
import { notFound, serviceUnavailable } from '../../machinery/status.ts';
import type { Registry } from '../registry/registry.ts';

export interface ResolvedEndpoint {
  readonly host: string;
  readonly port: number;
}

const ROUTABLE = ['ClusterIP', 'NodePort', 'LoadBalancer'];

export class ServiceResolver {
  constructor(
    private readonly registry: Registry,
    private readonly random: Random,
  ) {}

  /** Fails with upstream's words when there is no such Service, port or endpoint. */
  resolve(namespace: string, name: string, port: number): ResolvedEndpoint {
    const found = this.registry.lookup('', 'v1', 'services', namespace, name) as (Service & KubeObject) | undefined;
    if (!found) throw notFound({ group: '', resource: 'service' }, name);
    const { type = 'ClusterIP', ports = [], ipFamilies = [] } = found.spec ?? {};
    if (!ROUTABLE.includes(type)) throw new Error(`unsupported service type ${quote(type)}`);
    const servicePort = ports.find((candidate) => candidate.port === port);
    if (!servicePort) throw serviceUnavailable(`no service port ${port} found for service ${quote(name)}`);
    const slices = this.#slicesOf(namespace, name, ipFamilies[0]);
    for (const slice of slices) {
      const slicePort = slice.ports?.find((candidate) => (candidate.name ?? '') === (servicePort.name ?? ''))?.port;
      const ready = (slice.endpoints ?? []).filter((endpoint) => endpoint.conditions?.ready !== false && endpoint.addresses.length > 0);
      if (slicePort === undefined || ready.length === 0) continue;
      return { host: ready[this.random.integer(ready.length)]!.addresses[0]!, port: slicePort };
    }
    throw serviceUnavailable(`no endpoints available for service ${quote(name)}`);
  }

  /** Those of the Service's first address family come first. */
  #slicesOf(namespace: string, service: string, preferred: string | undefined): EndpointSlice[] {
    const slices: EndpointSlice[] = [];
    for (const { object } of this.registry.require('discovery.k8s.io', 'v1', 'endpointslices').cache.list(namespace)) {
      if (object.metadata.labels?.['kubernetes.io/service-name'] === service) slices.push(object as EndpointSlice & KubeObject);
    }
    return slices.sort((a, b) => Number(b.addressType === preferred) - Number(a.addressType === preferred));
  }
}
