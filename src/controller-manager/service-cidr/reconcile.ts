/** Reconciles the finalizer and the Ready condition of one ServiceCIDR. */
import type { IPAddress, ServiceCIDR } from '../../api/generated/networking-v1.ts';
import { formatTime } from '../../base/index.ts';
import { keyOf, type ResourceClient, type SharedInformer } from '../../client/index.ts';
import { hasFinalizer } from '../../component-helpers/index.ts';
import type { ControllerContext, Reconciler, Requeue } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { setFinalizer } from '../volume-protection/finalizer.ts';
import { cidrsOf, hostRange } from './ranges.ts';

const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';
export const FIELD_MANAGER = 'service-cidr-controller';
/** Other API servers may still allocate addresses of a range whose deletion they have not seen. */
const DELETION_GRACE_MS = 10_000;
const IN_USE =
  'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR';

/** What the reconciler and the watches of ServiceCIDRs share. */
export interface ServiceCidrParts {
  readonly ranges: SharedInformer<ServiceCIDR>;
  readonly addresses: SharedInformer<IPAddress>;
}

export class ServiceCidrReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: ServiceCidrParts;
  readonly #resource: ResourceClient<ServiceCIDR>;
  readonly #removableAt: Map<string, number>;

  constructor(context: ControllerContext, parts: ServiceCidrParts, removableAt: Map<string, number>) {
    this.#removableAt = removableAt;
    this.#context = context;
    this.#parts = parts;
    this.#resource = context.client.resource('networking.k8s.io/v1/servicecidrs');
  }

  async reconcile(name: string): Promise<Requeue | void> {
    const { signal } = this.#context;
    const range = this.#parts.ranges.get(name);
    if (!range) return void this.#removableAt.delete(name);
    if (range.metadata.deletionTimestamp) return this.#release(range);
    await setFinalizer(this.#resource, range, FINALIZER, { present: true, signal });
    await this.#setReady(range, { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' });
  }

  async #release(range: ServiceCIDR): Promise<Requeue | void> {
    const { clock, signal } = this.#context;
    if (!hasFinalizer(range, FINALIZER)) return;
    const name = keyOf(range);
    if (this.#isNeeded(range)) {
      this.#removableAt.delete(name);
      return this.#setReady(range, { status: 'False', reason: 'Terminating', message: IN_USE });
    }
    const at = this.#removableAt.get(name) ?? clock.monotonic() + DELETION_GRACE_MS;
    this.#removableAt.set(name, at);
    if (at > clock.monotonic()) return { afterMs: at - clock.monotonic() };
    await setFinalizer(this.#resource, range, FINALIZER, { present: false, signal });
  }

  /** Whether an IPAddress of the range is in no other ServiceCIDR. */
  #isNeeded(range: ServiceCIDR): boolean {
    const { ranges, addresses } = this.#parts;
    const own = cidrsOf(range);
    const others = ranges
      .list()
      .filter((other) => other !== range && !other.metadata.deletionTimestamp)
      .flatMap(cidrsOf);
    return addresses.list().some((address) => {
      const single = hostRange(keyOf(address));
      return own.some((cidr) => cidr.overlaps(single)) && !others.some((cidr) => cidr.overlaps(single));
    });
  }

  async #setReady(range: ServiceCIDR, ready: { status: string; reason: string; message: string }): Promise<void> {
    const { clock, signal } = this.#context;
    const { status, reason, message } = ready;
    const known = range.status?.conditions?.find(({ type }) => type === 'Ready');
    if (known?.status === status && known.reason === reason && known.message === message) return;
    const since = known?.status === status ? known.lastTransitionTime : undefined;
    const conditions = [
      { type: 'Ready', status, reason, message, lastTransitionTime: since || formatTime(clock.now()) },
    ];
    const patch = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name: keyOf(range) },
      status: { conditions },
    };
    const options = { fieldManager: FIELD_MANAGER, force: true, subresource: 'status', signal };
    await ignoreNotFound(() => this.#resource.apply(patch, options));
  }
}
