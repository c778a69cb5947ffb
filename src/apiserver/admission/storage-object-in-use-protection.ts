/** StorageObjectInUseProtection: adds the protection finalizer to new PVs, PVCs and VolumeAttributesClasses. */
import type { AdmissionPlugin } from './admission.ts';

const FINALIZERS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '/persistentvolumes': 'kubernetes.io/pv-protection',
    '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
    'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
  }),
);

export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  operations: ['CREATE'],
  matches: ({ served, subresource }) =>
    subresource === '' && FINALIZERS.get(`${served.group}/${served.plural}`) !== undefined,
  admit({ served, object, record }) {
    const { metadata } = object!;
    const finalizer = FINALIZERS.get(`${served.group}/${served.plural}`)!;
    if (metadata.finalizers?.includes(finalizer)) return;
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
    record?.changed('metadata.finalizers');
  },
};
