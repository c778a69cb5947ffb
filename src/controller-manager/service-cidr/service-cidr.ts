/** service-cidr-controller: keeps a ServiceCIDR that is being deleted while Services use addresses only it contains. */
import type { IPAddress, ServiceCIDR } from '../../api/generated/networking-v1.ts';
import type { AddressRange } from '../../base/index.ts';
import { keyOf } from '../../client/index.ts';
import {
  keyedController,
  keysOnChange,
  watch,
  type ControllerContext,
  type ControllerDescriptor,
  type Watch,
} from '../controller.ts';
import { cidrsOf, hostRange } from './ranges.ts';
import { FIELD_MANAGER, ServiceCidrReconciler, type ServiceCidrParts } from './reconcile.ts';

export const serviceCidrController: ControllerDescriptor = {
  name: FIELD_MANAGER,
  build(context) {
    const parts = {
      ranges: context.informers.informer('networking.k8s.io/v1/servicecidrs'),
      addresses: context.informers.informer('networking.k8s.io/v1/ipaddresses'),
    };
    const removableAt = new Map<string, number>();
    const reconciler = (worker: ControllerContext) => new ServiceCidrReconciler(worker, parts, removableAt);
    const watches = serviceCidrWatches(parts);
    return keyedController(context, { queue: 'ipaddresses', workers: 5, reconciler, watches });
  },
};

function serviceCidrWatches({ ranges, addresses }: ServiceCidrParts): readonly Watch[] {
  const overlapping = (cidrs: readonly AddressRange[]): string[] =>
    ranges
      .list()
      .filter((range) => cidrsOf(range).some((own) => cidrs.some((cidr) => own.overlaps(cidr))))
      .map(keyOf);
  const rangesAround = (range: ServiceCIDR): string[] => [...overlapping(cidrsOf(range)), keyOf(range)];
  const rangesOf = ({ metadata: { name = '' } }: IPAddress): string[] => overlapping([hostRange(name)]);
  return [
    watch(ranges, keysOnChange(rangesAround)),
    watch(addresses, { added: (address, { initial }) => (initial ? [] : rangesOf(address)), deleted: rangesOf }),
  ];
}
