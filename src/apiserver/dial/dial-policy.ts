/**
 * Decides which addresses the API server may dial. The decision depends on the source of the address:
 *
 * | source | examples | allowed addresses |
 * |---|---|---|
 * | `operator` | webhook URLs, which only administrators write | anything: envtest's webhooks are on loopback |
 * | `kubelet` | a Node's address, for exec, attach, port-forward, logs | global unicast; loopback, for a kubelet here |
 * | `node` | a Node's address, for nodes/proxy: the caller chooses the path | global unicast |
 * | `pod`, `endpoint` | a Pod's status, an EndpointSlice | global unicast; names are never resolved |
 * | `external-name` | an ExternalName Service of a webhook or an aggregated API | global unicast |
 *
 * Only operator addresses may reach the control plane itself. For the others, the addresses and ports of API servers and
 * the addresses of Services (which can lead there) are forbidden, and so is a TLS server with an API server's certificate.
 * Otherwise a user who may write Nodes could send requests to the API server under the API server's own identity.
 *
 * Simulated nodes and pods have fictitious addresses, which may belong to other machines: they are never dialled.
 */
import dns from 'node:dns';
import net, { type LookupFunction } from 'node:net';
import os from 'node:os';
import type { PeerCertificate } from 'node:tls';
import type { Pod } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import type { ServiceCIDR } from '../../api/generated/networking-v1.ts';
import {
  cidrContains,
  formatIp,
  isGlobalUnicast,
  isLoopback,
  parseCidr,
  parseIp,
  type Cidr,
  type IpAddress,
} from '../../base/index.ts';
import { badRequest, failure, type StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { KUBERNETES_SERVICE } from '../bootstrap/kubernetes-service.ts';
import type { Registry } from '../registry/registry.ts';
import { Permit, type PermitChecks, type PermittedTarget, type Target } from './target.ts';

export type AddressSource = 'operator' | 'kubelet' | 'node' | 'pod' | 'endpoint' | 'external-name';

/** Identifies simulated nodes; empty in clusters without them. */
export interface SimulatedNetwork {
  readonly isSimulatedNode?: (nodeName: string) => boolean;
  /** Whether a simulated node or pod has this address. */
  readonly isSimulatedAddress?: (address: string) => boolean;
}

export interface DialPolicyOptions extends SimulatedNetwork {
  readonly advertiseAddress: string;
  /** The port of the API server; undefined before it listens. */
  readonly port: () => number | undefined;
  /** One CIDR, or two separated by a comma. */
  readonly serviceClusterIpRange: string;
  /** The addresses of this machine; by default those of its network interfaces. */
  readonly localAddresses?: () => readonly string[];
}

/** The prefix of container IDs in simulated pods. */
const SIMULATED_RUNTIME = 'simulated://';
/** Every API server's certificate has this name. No kubelet's has it: the kubelet-serving signer rejects it. */
const API_SERVER_NAME = 'DNS:kubernetes.default.svc';

export class DialPolicy {
  readonly #serviceRanges: readonly string[];
  readonly #registry: Registry;
  readonly #options: DialPolicyOptions;

  constructor(registry: Registry, options: DialPolicyOptions) {
    this.#registry = registry;
    this.#options = options;
    this.#serviceRanges = options.serviceClusterIpRange.split(',');
  }

  /**
   * Throws upstream's 400 for a forbidden address. The addresses of a host name are checked when it is resolved.
   */
  permit<T extends Target>(target: T, source: AddressSource): T & PermittedTarget {
    if (source === 'operator' || target.connect) return { ...target, permit: new Permit() };
    const checkPeer = source === 'pod' || source === 'endpoint' ? undefined : refuseApiServer;
    const ip = parseIp(target.host);
    if (ip) {
      this.#check(ip, target.port, source);
      // The canonical form, which every parser reads as the same address.
      return { ...target, host: formatIp(ip), permit: new Permit({ ...(checkPeer ? { checkPeer } : {}) }) };
    }
    if (net.isIP(target.host) !== 0 || source === 'pod' || source === 'endpoint') throw notAllowed();
    const checks: PermitChecks = {
      lookup: this.#checkedLookup(target.port, source),
      ...(checkPeer ? { checkPeer } : {}),
    };
    return { ...target, permit: new Permit(checks) };
  }

  permitPod<T extends Target>(pod: Pod, target: T): T & PermittedTarget {
    this.refuseSimulatedPod(pod);
    return this.permit(target, 'pod');
  }

  /** For ports of a node other than the kubelet's. */
  permitNodePort<T extends Target>(nodeName: string, target: T): T & PermittedTarget {
    if (this.#options.isSimulatedNode?.(nodeName))
      throw simulated(`nothing listens on port ${target.port} of node ${nodeName}: it is simulated`);
    return this.permit(target, 'node');
  }

  refuseSimulatedPod(pod: Pod): void {
    const { namespace, name } = pod.metadata;
    if (this.#isSimulatedPod(pod))
      throw simulated(`nothing listens on any port in pod ${namespace}/${name}: its node is simulated`);
  }

  /**
   * Also checks the container IDs: the pod may outlive its node, and the API server may start before its simulated nodes.
   */
  #isSimulatedPod({ spec, status }: Pod): boolean {
    if (spec?.nodeName && this.#options.isSimulatedNode?.(spec.nodeName)) return true;
    const containers = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
    return containers.some(({ containerID }) => containerID?.startsWith(SIMULATED_RUNTIME));
  }

  #check(ip: IpAddress, port: number, source: AddressSource): void {
    if (!isGlobalUnicast(ip) && !(source === 'kubelet' && isLoopback(ip))) throw notAllowed();
    if (this.#isControlPlane(ip, port) || this.#isServiceAddress(ip)) throw notAllowed();
    if (this.#options.isSimulatedAddress?.(formatIp(ip)))
      throw simulated(`nothing listens at ${formatIp(ip)}: it is the address of a simulated node or pod`);
  }

  /** This server on any address of the machine, and the endpoints of the Service `kubernetes`. */
  #isControlPlane(ip: IpAddress, port: number): boolean {
    const address = formatIp(ip);
    if (port === this.#options.port()) {
      if (isLoopback(ip) || address === canonical(this.#options.advertiseAddress)) return true;
      if ((this.#options.localAddresses ?? interfaceAddresses)().some((local) => canonical(local) === address))
        return true;
    }
    const slice = this.#registry.lookup(
      'discovery.k8s.io',
      'v1',
      'endpointslices',
      KUBERNETES_SERVICE.namespace,
      KUBERNETES_SERVICE.name,
    );
    const { endpoints = [], ports = [] } = (slice ?? {}) as Partial<EndpointSlice>;
    if (!ports.some((candidate) => candidate.port === port)) return false;
    return endpoints.some(({ addresses }) => addresses.some((listed) => canonical(listed) === address));
  }

  #isServiceAddress(ip: IpAddress): boolean {
    return this.#serviceCidrs().some((cidr) => cidrContains(cidr, ip));
  }

  #serviceCidrs(): Cidr[] {
    const stored = this.#registry.find('networking.k8s.io', 'v1', 'servicecidrs')?.cache.list() ?? [];
    const texts = new Set(this.#serviceRanges);
    for (const { object } of stored)
      for (const text of (object as ServiceCIDR & KubeObject).spec?.cidrs ?? []) texts.add(text);
    return [...texts].map(parseCidr).filter((cidr) => cidr !== undefined);
  }

  #checkedLookup(port: number, source: AddressSource): LookupFunction {
    return (name, options, answer) => {
      dns.lookup(name, { ...options, all: true }, (error, found) => {
        if (error) return answer(error, '');
        try {
          for (const { address } of found) {
            const ip = parseIp(address);
            if (!ip) throw notAllowed();
            this.#check(ip, port, source);
          }
        } catch (refusal) {
          return answer(refusal as Error, '');
        }
        if (options.all) return answer(null, found);
        answer(null, found[0]?.address ?? '', found[0]?.family);
      });
    };
  }
}

const notAllowed = (): StatusError => badRequest('address not allowed');

const simulated = (message: string): StatusError => failure(501, 'NotImplemented', message);

function refuseApiServer({ subjectaltname }: PeerCertificate): void {
  if (subjectaltname?.split(', ').includes(API_SERVER_NAME)) throw notAllowed();
}

function canonical(address: string): string {
  const ip = parseIp(address);
  return ip ? formatIp(ip) : address;
}

function interfaceAddresses(): string[] {
  return Object.values(os.networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
