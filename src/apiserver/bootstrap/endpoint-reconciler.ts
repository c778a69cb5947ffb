/**
 * Keeps the endpoints of the Service `kubernetes`: the addresses of the API servers that are alive. Servers that share an
 * etcd, upstream's among them, each hold a key under /registry/masterleases with a time to live, and each writes the
 * endpoints from all of these keys; a server that dies drops out when its key expires. A store that no other server can
 * write to has one server, and needs no keys.
 */
import type { Endpoints, EndpointSubset } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { compareText, deepEqual } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Loopback } from '../request/loopback.ts';
import { kubernetesEndpoints, kubernetesEndpointSlice } from './kubernetes-service.ts';

const INTERVAL_MS = 10_000;

/** Another server was faster, or the cache is behind. */
const RACES = ['AlreadyExists', 'Conflict', 'NotFound'] as const;

const ENDPOINTS_PATH = '/api/v1/namespaces/default/endpoints';
const ENDPOINT_SLICES_PATH = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

/** The addresses of the servers that are alive. */
export interface ServerLeases {
  renew(address: string): Promise<void>;
  addresses(): Promise<string[]>;
  remove(address: string): Promise<void>;
}

interface EndpointReconcilerOptions {
  /** Where other servers may write to the store, too. */
  readonly leases?: ServerLeases | undefined;
  readonly loopback: Loopback;
  /** What the server's cache has in place of an object. It may be behind: the next round sees what others wrote. */
  readonly existing: (object: KubeObject) => KubeObject | undefined;
  readonly address: string;
  readonly port: number;
  /** Aborts when the server is to end: it leaves the endpoints, even if it goes on serving for a while. */
  readonly stopping?: AbortSignal | undefined;
}

export class EndpointReconciler {
  readonly #ctx: Context;
  readonly #options: EndpointReconcilerOptions;

  constructor(ctx: Context, options: EndpointReconcilerOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /** Reconciles now, and from then on for as long as the server runs and others may change the endpoints. */
  async start(): Promise<void> {
    await this.#reconcileOrLog();
    const { leases, stopping = this.#ctx.signal } = this.#options;
    if (!leases) return;
    const timer = this.#ctx.clock.every(INTERVAL_MS, () => void this.#reconcileOrLog());
    stopping.addEventListener(
      'abort',
      () => {
        timer.cancel();
        this.#leave(leases).catch((error: unknown) =>
          this.#ctx.logger.error(error, 'Could not remove the lease of this API server'),
        );
      },
      { once: true },
    );
  }

  /** Another server removes the address from the endpoints when this one cannot write any more. */
  async #leave(leases: ServerLeases): Promise<void> {
    await leases.remove(this.#options.address);
    if (this.#ctx.signal.aborted) return;
    const addresses = await leases.addresses();
    if (addresses.length > 0) await this.#writeAddresses(addresses.sort(compareText));
  }

  /** An address that Endpoints may not have, such as one of loopback, must not keep the server from serving. */
  async #reconcileOrLog(): Promise<void> {
    try {
      await this.reconcile();
    } catch (error) {
      if (this.#ctx.signal.aborted) return;
      this.#ctx.logger.error(error, 'Unable to reconcile the endpoints of the Service "kubernetes"');
    }
  }

  async reconcile(): Promise<void> {
    const { leases, address } = this.#options;
    await leases?.renew(address);
    const addresses = leases ? (await leases.addresses()).sort(compareText) : [address];
    if (addresses.length === 0) throw new Error('no API server has a lease, not even this one');
    await this.#writeAddresses(addresses);
  }

  async #writeAddresses(addresses: string[]): Promise<void> {
    const { port } = this.#options;
    await this.#write<Endpoints>(ENDPOINTS_PATH, kubernetesEndpoints(addresses, port), (found, wanted) =>
      sameSubsets(found.subsets, wanted.subsets),
    );
    await this.#write<EndpointSlice>(
      ENDPOINT_SLICES_PATH,
      kubernetesEndpointSlice(addresses, port),
      (found, wanted) => deepEqual(found.endpoints, wanted.endpoints) && deepEqual(found.ports, wanted.ports),
    );
  }

  /** Another server may be writing the same: the next round sees what it wrote. */
  async #write<T>(collection: string, wanted: KubeObject, same: (found: T, wanted: T) => boolean): Promise<void> {
    const { loopback, existing } = this.#options;
    const path = `${collection}/${wanted.metadata.name}`;
    const found = existing(wanted);
    try {
      if (!found) await loopback('POST', collection, wanted);
      else if (!same(found as T, wanted as T)) {
        const labels = { ...found.metadata.labels, ...wanted.metadata.labels };
        await loopback('PUT', path, { ...wanted, metadata: { ...found.metadata, labels } } as KubeObject);
      }
    } catch (error) {
      if (!RACES.some((reason) => isStatusError(error, reason))) throw error;
    }
  }
}

const sameSubsets = (found: readonly EndpointSubset[] = [], wanted: readonly EndpointSubset[] = []): boolean =>
  found.length === wanted.length &&
  deepEqual(found[0]?.ports, wanted[0]?.ports) &&
  deepEqual(addressesOf(found[0]), addressesOf(wanted[0]));

const addressesOf = (subset: EndpointSubset | undefined): string[] =>
  (subset?.addresses ?? []).map(({ ip }) => ip).sort(compareText);
