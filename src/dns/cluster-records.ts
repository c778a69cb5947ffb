/**
 * DNS records derived from Namespaces, Services and EndpointSlices, updated one object at a time and read without I/O.
 */
import type { Service } from '../api/generated/core-v1.ts';
import type { EndpointSlice } from '../api/generated/discovery-v1.ts';

export interface ServicePort {
  readonly name: string;
  /** In lower case, as in SRV names. */
  readonly protocol: string;
  readonly port: number;
}

/** One endpoint of a headless Service. */
export interface Endpoint {
  /** The first label of its DNS name: its hostname, or its address with dashes. */
  readonly name: string;
  readonly address: string;
  readonly ports: readonly ServicePort[];
}

export type ServiceRecord =
  | { readonly kind: 'cluster-ip'; readonly addresses: readonly string[]; readonly ports: readonly ServicePort[] }
  | { readonly kind: 'headless'; readonly endpoints: readonly Endpoint[] }
  | { readonly kind: 'external-name'; readonly target: string };

/** The owner of an address, for PTR records. */
export interface ReverseName {
  readonly namespace: string;
  readonly service: string;
  /** Set for an endpoint of a headless Service. */
  readonly endpoint?: string;
}

const SERVICE_LABEL = 'kubernetes.io/service-name';

export class ClusterRecords {
  readonly #services = new Map<string, Service>();
  readonly #slices = new Map<string, Map<string, EndpointSlice>>();
  readonly #records = new Map<string, ServiceRecord>();
  readonly #namespaces = new Set<string>();
  readonly #reverseServices = new Map<string, ReverseName>();
  readonly #reverseEndpoints = new Map<string, Map<string, ReverseName>>();
  /** Increases with every change, so that caches notice stale answers. */
  generation = 1;

  hasNamespace(name: string): boolean {
    return this.#namespaces.has(name);
  }

  service(namespace: string, name: string): ServiceRecord | undefined {
    return this.#records.get(`${namespace}/${name}`);
  }

  reverse(address: string): readonly ReverseName[] {
    const service = this.#reverseServices.get(address);
    return service ? [service] : [...(this.#reverseEndpoints.get(address)?.values() ?? [])];
  }

  setNamespace(name: string): void {
    this.#namespaces.add(name);
    this.generation++;
  }

  deleteNamespace(name: string): void {
    this.#namespaces.delete(name);
    this.generation++;
  }

  setService(service: Service): void {
    const key = `${service.metadata.namespace}/${service.metadata.name}`;
    this.#forgetService(key);
    this.#services.set(key, service);
    for (const address of clusterAddresses(service))
      this.#reverseServices.set(address, { namespace: service.metadata.namespace!, service: service.metadata.name! });
    this.#derive(key);
  }

  deleteService(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    this.#forgetService(key);
    this.#derive(key);
  }

  setSlice(slice: EndpointSlice): void {
    const key = serviceOf(slice);
    if (!key) return;
    const slices = this.#slices.get(key) ?? new Map<string, EndpointSlice>();
    this.#slices.set(key, slices.set(slice.metadata.name!, slice));
    this.#derive(key);
  }

  deleteSlice(slice: EndpointSlice): void {
    const key = serviceOf(slice);
    const slices = key && this.#slices.get(key);
    if (!slices) return;
    slices.delete(slice.metadata.name!);
    if (slices.size === 0) this.#slices.delete(key);
    this.#derive(key);
  }

  #forgetService(key: string): void {
    const before = this.#services.get(key);
    if (!before) return;
    for (const address of clusterAddresses(before)) this.#reverseServices.delete(address);
    this.#services.delete(key);
  }

  /** Derives the record of one Service from the Service and its EndpointSlices. */
  #derive(key: string): void {
    this.generation++;
    const old = this.#records.get(key);
    if (old?.kind === 'headless') for (const { address } of old.endpoints) this.#forgetEndpoint(address, key);
    const service = this.#services.get(key);
    if (!service) {
      this.#records.delete(key);
      return;
    }
    const record = recordOf(service, [...(this.#slices.get(key)?.values() ?? [])]);
    this.#records.set(key, record);
    if (record.kind !== 'headless') return;
    for (const { address, name } of record.endpoints) {
      const names = this.#reverseEndpoints.get(address) ?? new Map<string, ReverseName>();
      this.#reverseEndpoints.set(
        address,
        names.set(key, { namespace: service.metadata.namespace!, service: service.metadata.name!, endpoint: name }),
      );
    }
  }

  #forgetEndpoint(address: string, key: string): void {
    const names = this.#reverseEndpoints.get(address);
    names?.delete(key);
    if (names?.size === 0) this.#reverseEndpoints.delete(address);
  }
}

const clusterAddresses = ({ spec }: Service): string[] =>
  (spec?.clusterIPs ?? []).filter((address) => address !== 'None' && address !== '');

function serviceOf(slice: EndpointSlice): string | undefined {
  const name = slice.metadata.labels?.[SERVICE_LABEL];
  return name ? `${slice.metadata.namespace}/${name}` : undefined;
}

function recordOf({ spec = {} }: Service, slices: readonly EndpointSlice[]): ServiceRecord {
  if (spec.type === 'ExternalName')
    return { kind: 'external-name', target: (spec.externalName ?? '').replace(/\.$/, '') };
  if (spec.clusterIP !== 'None') {
    const ports = (spec.ports ?? []).map((port) => ({
      name: port.name ?? '',
      protocol: (port.protocol ?? 'TCP').toLowerCase(),
      port: port.port,
    }));
    return {
      kind: 'cluster-ip',
      addresses: (spec.clusterIPs ?? [spec.clusterIP ?? '']).filter((address) => address !== ''),
      ports,
    };
  }
  const endpoints = new Map<string, Endpoint>();
  for (const slice of slices) {
    if (slice.addressType === 'FQDN') continue;
    const ports = (slice.ports ?? []).map((port) => ({
      name: port.name ?? '',
      protocol: (port.protocol ?? 'TCP').toLowerCase(),
      port: port.port ?? 0,
    }));
    for (const endpoint of slice.endpoints ?? []) {
      // With publishNotReadyAddresses the slices report every endpoint as ready.
      if (endpoint.conditions?.ready === false) continue;
      for (const address of endpoint.addresses) {
        const known = endpoints.get(address);
        endpoints.set(address, {
          name: endpoint.hostname || address.replace(/[.:]/g, '-'),
          address,
          ports: known ? [...known.ports, ...ports] : ports,
        });
      }
    }
  }
  return { kind: 'headless', endpoints: [...endpoints.values()] };
}
