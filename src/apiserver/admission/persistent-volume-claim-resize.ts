/** PersistentVolumeClaimResize: only bound claims can be expanded, and only if their StorageClass allows it. */
import type { PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { parseQuantity, Quantity } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForResource } from './request-objects.ts';

type Claim = PersistentVolumeClaim & KubeObject;

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export function persistentVolumeClaimResizePlugin(registry: Registry): AdmissionPlugin {
  const allowsExpansion = (claim: Claim, old: Claim): boolean => {
    const name = classOf(claim);
    if (name === '' || name !== classOf(old)) return false;
    const found = registry.lookup('storage.k8s.io', 'v1', 'storageclasses', '', name) as
      | (StorageClass & KubeObject)
      | undefined;
    return found?.allowVolumeExpansion ?? false;
  };
  return {
    name: 'PersistentVolumeClaimResize',
    operations: ['UPDATE'],
    matches: (attributes) => isForResource(attributes, '', 'persistentvolumeclaims') && attributes.subresource === '',
    validate(attributes) {
      const claim = attributes.object as Claim;
      const old = attributes.oldObject as Claim;
      if (requestOf(claim).cmp(requestOf(old)) <= 0) return;
      if (old.status?.phase !== 'Bound')
        throw newForbidden(attributes, 'Only bound persistent volume claims can be expanded');
      if (!allowsExpansion(claim, old)) {
        throw newForbidden(
          attributes,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        );
      }
    },
  };
}

const classOf = ({ metadata, spec }: Claim): string =>
  metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';

function requestOf({ spec }: Claim): Quantity {
  const text = spec?.resources?.requests?.['storage'];
  return text === undefined ? Quantity.zero() : parseQuantity(text);
}
