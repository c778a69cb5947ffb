/** Picks a random ready endpoint of a Service port from its EndpointSlices. */
import type { Service } from '../api/generated/core-v1.ts';
import type { EndpointSlice } from '../api/generated/discovery-v1.ts';
import type { InformerFactory } from '../client/index.ts';
import type { SharedInformer } from '../client/index.ts';
import type { Endpoint } from './proxy.ts';
import type { Backend } from './routing-table.ts';

const SERVICE_INDEX = 'service';
const SERVICE_LABEL = 'kubernetes.io/service-name';

export class EndpointPicker {
  readonly #services: SharedInformer<Service>;
  readonly #slices: SharedInformer<EndpointSlice>;

  readonly #random: () => number;

  constructor(informers: InformerFactory, random: () => number) {
    this.#random = random;
    this.#services = informers.informer('v1/services');
    this.#slices = informers.informer(
      'discovery.k8s.io/v1/endpointslices',
      {},
      { [SERVICE_INDEX]: ({ metadata }) => [`${metadata.namespace}/${metadata.labels?.[SERVICE_LABEL]}`] },
    );
  }

  /** Undefined when the Service has no such port, or the port no ready endpoint. */
  pick({ namespace, service, port }: Backend): Endpoint | undefined {
    const key = `${namespace}/${service}`;
    const declared = this.#services
      .get(key)
      ?.spec?.ports?.find((each) => (typeof port === 'number' ? each.port === port : each.name === port));
    if (!declared) return undefined;
    const endpoints = this.#slices.indexer
      .byIndex(SERVICE_INDEX, key)
      .flatMap((slice) => endpointsOf(slice, declared.name ?? ''));
    return endpoints[Math.floor(this.#random() * endpoints.length)];
  }
}

function endpointsOf(slice: EndpointSlice, portName: string): Endpoint[] {
  const port = (slice.ports ?? []).find(({ name }) => (name ?? '') === portName)?.port;
  if (port === undefined || slice.addressType === 'FQDN') return [];
  return (slice.endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .map(({ addresses }) => ({ ip: addresses[0]!, port }));
}
