/** service-cidr-controller: a ServiceCIDR stays while addresses are in use that no other ServiceCIDR has. */
import type { ServiceCIDR } from '../../api/generated/networking-v1.ts';
import { isNotFound, keyOf } from '../../client/index.ts';
import { AddressRange } from '../../base/index.ts';
import { formatTime } from '../../machinery/time/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { setFinalizer } from '../volume-protection/finalizer.ts';

const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';
const FIELD_MANAGER = 'service-cidr-controller';
/** Other API servers may still be giving out addresses of a range that they have not seen deleted. */
const DELETION_GRACE_MS = 10_000;

export const serviceCidrController: ControllerDescriptor = {
  name: FIELD_MANAGER,
  build(context) {
    const { client, clock, informers, signal } = context;
    const ranges = informers.informer('networking.k8s.io/v1/servicecidrs');
    const addresses = informers.informer('networking.k8s.io/v1/ipaddresses');
    const resource = client.resource('networking.k8s.io/v1/servicecidrs');
    const removableAt = new Map<string, number>();

    const reconcile = async (name: string): Promise<void> => {
      const range = ranges.get(name);
      if (!range) return void removableAt.delete(name);
      if (range.metadata.deletionTimestamp) return release(range);
      await setFinalizer(resource, range, FINALIZER, { present: true, signal });
      await setReady(range, 'True', '', 'Kubernetes Service CIDR is ready');
    };

    const release = async (range: ServiceCIDR): Promise<void> => {
      if (!(range.metadata.finalizers ?? []).includes(FINALIZER)) return;
      const name = keyOf(range);
      if (isNeeded(range)) {
        removableAt.delete(name);
        return setReady(range, 'False', 'Terminating', 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR');
      }
      const at = removableAt.get(name) ?? clock.monotonic() + DELETION_GRACE_MS;
      removableAt.set(name, at);
      if (at > clock.monotonic()) return queue.addAfter(name, at - clock.monotonic());
      await setFinalizer(resource, range, FINALIZER, { present: false, signal });
    };

    const isNeeded = (range: ServiceCIDR): boolean => {
      const own = cidrsOf(range);
      const others = ranges
        .list()
        .filter((other) => other !== range && !other.metadata.deletionTimestamp)
        .flatMap(cidrsOf);
      return addresses.list().some((address) => {
        const single = hostRange(keyOf(address));
        return own.some((cidr) => cidr.overlaps(single)) && !others.some((cidr) => cidr.overlaps(single));
      });
    };

    const setReady = async (range: ServiceCIDR, status: string, reason: string, message: string): Promise<void> => {
      const known = range.status?.conditions?.find(({ type }) => type === 'Ready');
      if (known?.status === status && known.reason === reason && known.message === message) return;
      const lastTransitionTime = known?.status === status && known.lastTransitionTime ? known.lastTransitionTime : formatTime(clock.now());
      const conditions = [{ type: 'Ready', status, reason, message, lastTransitionTime }];
      try {
        await resource.apply(
          { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: keyOf(range) }, status: { conditions } },
          { fieldManager: FIELD_MANAGER, force: true, subresource: 'status', signal },
        );
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'ipaddresses', 5, reconcile);
    const enqueueOverlapping = (cidrs: readonly AddressRange[]): void => {
      for (const range of ranges.list()) if (cidrsOf(range).some((own) => cidrs.some((cidr) => own.overlaps(cidr)))) queue.add(keyOf(range));
    };
    enqueueOnChange(ranges, queue, (range) => {
      enqueueOverlapping(cidrsOf(range));
      return keyOf(range);
    });
    const addressChanged = (address: { metadata: { name?: string } }): void => {
      const { name = '' } = address.metadata;
      enqueueOverlapping([hostRange(name)]);
    };
    addresses.addHandler({ onAdd: (address, { initial }) => initial || addressChanged(address), onDelete: addressChanged });
    return run;
  },
};

const cidrsOf = ({ spec }: ServiceCIDR): AddressRange[] => (spec?.cidrs ?? []).map((cidr) => AddressRange.parse(cidr));
const hostRange = (address: string): AddressRange => AddressRange.parse(`${address}/${address.includes(':') ? 128 : 32}`);
