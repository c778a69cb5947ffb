/** DefaultStorageClass: a claim without a class gets the default StorageClass; the newest if there are several. */
import type { PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AdmissionPlugin } from './admission.ts';
import { derivedFrom } from './derived.ts';
import { newest } from './newest.ts';
import { isForResource } from './request-objects.ts';

const IS_DEFAULT = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export function defaultStorageClassPlugin(registry: Registry): AdmissionPlugin {
  const classes = registry.require('storage.k8s.io', 'v1', 'storageclasses');
  const defaultClass = derivedFrom(classes, () =>
    newest(
      classes.cache
        .list()
        .map((entry) => entry.object)
        .filter(({ metadata }) => IS_DEFAULT.some((key) => ownValue(metadata.annotations, key) === 'true')),
    ),
  );
  return {
    name: 'DefaultStorageClass',
    operations: ['CREATE'],
    matches: (attributes) => isForResource(attributes, '', 'persistentvolumeclaims') && attributes.subresource === '',
    admit({ object, record }) {
      const claim = object as PersistentVolumeClaim & KubeObject;
      if (claim.metadata.annotations?.[CLASS_ANNOTATION] !== undefined || claim.spec?.storageClassName !== undefined)
        return;
      const found = defaultClass();
      if (!found) return;
      (claim.spec ??= {}).storageClassName = found.metadata.name!;
      record?.changed('spec.storageClassName');
    },
  };
}
