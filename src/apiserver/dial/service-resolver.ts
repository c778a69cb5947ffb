/**
 * Resolves a Service to the address of an endpoint. Users can write EndpointSlices, so an endpoint counts only if it is a
 * pod of the namespace with this address in its status or, for webhooks and aggregated APIs, if the Service has no
 * selector. FQDN slices are ignored. As upstream does by default, an ExternalName Service of a webhook or an aggregated API leads to its
 * name; --enable-aggregator-routing refuses it.
 */
import type { Pod, Service } from '../../api/generated/core-v1.ts';
import type { Endpoint, EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { quote } from '../../base/index.ts';
import type { Random } from '../../kernel/index.ts';
import { notFound, serviceUnavailable } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { DialPolicy } from './dial-policy.ts';
import type { PermittedTarget, Target } from './target.ts';

interface ServicePortRef {
  readonly namespace: string;
  readonly name: string;
  readonly portName: string;
}

const ROUTABLE = ['ClusterIP', 'NodePort', 'LoadBalancer'];

interface ServiceResolverOptions {
  readonly random: Random;
  readonly policy: DialPolicy;
  /** Whether ExternalName Services lead to their names. */
  readonly externalNames: boolean;
}

export class ServiceResolver {
  readonly #registry: Registry;
  readonly #random: Random;
  readonly #policy: DialPolicy;
  readonly #externalNames: boolean;

  constructor(registry: Registry, { random, policy, externalNames }: ServiceResolverOptions) {
    this.#registry = registry;
    this.#random = random;
    this.#policy = policy;
    this.#externalNames = externalNames;
  }

  /** For webhooks and aggregated APIs. Throws upstream's error if the Service, port or endpoint does not exist. */
  resolve(namespace: string, name: string, port: number): PermittedTarget {
    const found = this.#registry.lookup('', 'v1', 'services', namespace, name) as (Service & KubeObject) | undefined;
    if (!found) throw notFound({ group: '', resource: 'service' }, name);
    const { type = 'ClusterIP', ports = [], selector = {}, externalName = '' } = found.spec ?? {};
    if (type === 'ExternalName' && this.#externalNames)
      return this.#policy.permit({ host: externalName, port }, 'external-name');
    if (!ROUTABLE.includes(type)) throw new Error(`unsupported service type ${quote(type)}`);
    const servicePort = ports.find((candidate) => candidate.port === port);
    if (!servicePort) throw serviceUnavailable(`no service port ${port} found for service ${quote(name)}`);
    const hasSelector = Object.keys(selector).length > 0;
    return this.#choose({ namespace, name, portName: servicePort.name ?? '' }, found, { podsOnly: hasSelector });
  }

  /** For services/proxy: upstream only proxies to pods. */
  resolvePods(port: ServicePortRef, service: Service): PermittedTarget {
    return this.#choose(port, service, { podsOnly: true });
  }

  /** Chooses a random endpoint that may be dialled. If there is none, throws the error of the first one. */
  #choose(port: ServicePortRef, { spec }: Service, { podsOnly }: { podsOnly: boolean }): PermittedTarget {
    let refusal: Error | undefined;
    for (const slice of this.#slicesOf(port, spec?.ipFamilies?.[0])) {
      const slicePort = slice.ports?.find((candidate) => (candidate.name ?? '') === port.portName)?.port;
      if (slicePort === undefined) continue;
      const endpoints = slice.endpoints ?? [];
      const from = endpoints.length > 0 ? this.#random.integer(endpoints.length) : 0;
      for (let i = 0; i < endpoints.length; i++) {
        const endpoint = endpoints[(from + i) % endpoints.length]!;
        const host = endpoint.addresses[0];
        if (endpoint.conditions?.ready === false || host === undefined) continue;
        try {
          const target = this.#permit(port.namespace, endpoint, { host, port: slicePort }, podsOnly);
          if (target) return target;
        } catch (error) {
          refusal ??= error as Error;
        }
      }
    }
    throw refusal ?? serviceUnavailable(`no endpoints available for service ${quote(port.name)}`);
  }

  /** Undefined if the endpoint is not a pod but must be. */
  #permit(namespace: string, endpoint: Endpoint, target: Target, podsOnly: boolean): PermittedTarget | undefined {
    const pod = this.#podOf(namespace, endpoint, target.host);
    if (pod) return this.#policy.permitPod(pod, target);
    return podsOnly ? undefined : this.#policy.permit(target, 'endpoint');
  }

  #podOf(namespace: string, { targetRef }: Endpoint, address: string): Pod | undefined {
    if (targetRef?.kind !== 'Pod' || targetRef.namespace !== namespace) return undefined;
    const pod = this.#registry.lookup('', 'v1', 'pods', namespace, targetRef.name ?? '') as
      | (Pod & KubeObject)
      | undefined;
    return pod?.status?.podIPs?.some(({ ip }) => ip === address) ? pod : undefined;
  }

  /** Slices of the Service's first IP family come first. */
  #slicesOf({ namespace, name }: ServicePortRef, preferred: string | undefined): EndpointSlice[] {
    const slices: EndpointSlice[] = [];
    for (const { object } of this.#registry.require('discovery.k8s.io', 'v1', 'endpointslices').cache.list(namespace)) {
      const slice = object as EndpointSlice & KubeObject;
      if (slice.metadata.labels?.['kubernetes.io/service-name'] === name && slice.addressType !== 'FQDN')
        slices.push(slice);
    }
    return slices.sort((a, b) => Number(b.addressType === preferred) - Number(a.addressType === preferred));
  }
}
