/** Whether a volume can be provisioned for a claim on a node: topology, and published capacity. */
import type { PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import { ownValue } from '../../../base/index.ts';
import { labelSelectorAsSelector } from '../../../machinery/selectors/index.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import { wholeValue } from '../../cache/quantity-values.ts';
import type { Listers } from '../../listers.ts';
import { storageClassOf } from '../pod-claims.ts';
import { requestedBytes } from './find-matching-volume.ts';

export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** The free space for the volume on the node, if the driver publishes it; otherwise why it cannot be provisioned. */
export function provisionable(
  claim: PersistentVolumeClaim,
  node: NodeInfo,
  listers: Listers,
): { readonly freeBytes: number | undefined } | 'no' | 'no space' {
  const selected = claim.metadata.annotations?.[SELECTED_NODE];
  if (selected !== undefined && selected !== node.name) return 'no';
  const storageClass = listers.get('storage.k8s.io/v1/storageclasses', storageClassOf(claim));
  if (storageClass === undefined || storageClass.provisioner === '' || storageClass.provisioner === NO_PROVISIONER)
    return 'no';
  const terms = storageClass.allowedTopologies ?? [];
  const allowed =
    terms.length === 0 ||
    terms.some((term) =>
      (term.matchLabelExpressions ?? []).every(({ key, values }) =>
        (values as readonly (string | undefined)[]).includes(ownValue(node.labels, key)),
      ),
    );
  if (!allowed) return 'no';
  return capacityFor(claim, storageClass.provisioner, node, listers) ?? 'no space';
}

/** Capacity is checked only for drivers that publish it. */
function capacityFor(
  claim: PersistentVolumeClaim,
  provisioner: string,
  node: NodeInfo,
  listers: Listers,
): { readonly freeBytes: number | undefined } | undefined {
  const driver = listers.get('storage.k8s.io/v1/csidrivers', provisioner);
  if (driver?.spec.storageCapacity !== true) return { freeBytes: undefined };
  const wanted = requestedBytes(claim);
  const className = storageClassOf(claim);
  const found = listers.list('storage.k8s.io/v1/csistoragecapacities').find((capacity) => {
    if (capacity.storageClassName !== className || capacity.nodeTopology === undefined) return false;
    const largest = capacity.maximumVolumeSize ?? capacity.capacity;
    return (
      largest !== undefined &&
      wholeValue(largest) >= wanted &&
      labelSelectorAsSelector(capacity.nodeTopology).matches(node.labels)
    );
  });
  return found && { freeBytes: found.capacity === undefined ? undefined : wholeValue(found.capacity) };
}
