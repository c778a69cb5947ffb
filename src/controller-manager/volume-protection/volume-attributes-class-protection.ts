/** volumeattributesclass-protection-controller: a VolumeAttributesClass stays while a claim or a volume uses it. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/core-v1.ts';
import { keyOf } from '../../client/index.ts';
import { hasFinalizer } from '../../component-helpers/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { setFinalizer } from './finalizer.ts';

const FINALIZER = 'kubernetes.io/vac-protection';
const BY_CLASS = 'volumeAttributesClass';

export const volumeAttributesClassProtectionController: ControllerDescriptor = {
  name: 'volumeattributesclass-protection-controller',
  build(context) {
    const { informers, signal } = context;
    const classes = informers.informer('storage.k8s.io/v1/volumeattributesclasses');
    const claims = informers.informer('v1/persistentvolumeclaims', {}, { [BY_CLASS]: classesOfClaim });
    const volumes = informers.informer('v1/persistentvolumes', {}, { [BY_CLASS]: classesOfVolume });

    const reconcile = async (name: string, { client }: ControllerContext): Promise<void> => {
      const resource = client.resource('storage.k8s.io/v1/volumeattributesclasses');
      const found = classes.get(name);
      if (!found) return;
      if (!found.metadata.deletionTimestamp) return setFinalizer(resource, found, FINALIZER, { present: true, signal });
      if (!hasFinalizer(found, FINALIZER)) return;
      if (
        claims.indexer.keysByIndex(BY_CLASS, name).length > 0 ||
        volumes.indexer.keysByIndex(BY_CLASS, name).length > 0
      )
        return;
      const live = await Promise.all([
        client.resource('v1/persistentvolumeclaims').list({ signal }),
        client.resource('v1/persistentvolumes').list({ signal }),
      ]);
      if (
        live[0].items.some((claim) => classesOfClaim(claim).includes(name)) ||
        live[1].items.some((volume) => classesOfVolume(volume).includes(name))
      )
        return;
      await setFinalizer(resource, found, FINALIZER, { present: false, signal });
    };

    const { queue, run } = keyedLoop(context, 'vacprotection', 1, reconcile);
    enqueueOnChange(classes, queue, keyOf);
    const released = (names: readonly string[]): void =>
      names.forEach((name) => classes.get(name)?.metadata.deletionTimestamp && queue.add(name));
    claims.addHandler({
      onUpdate: (before) => released(classesOfClaim(before)),
      onDelete: (claim) => released(classesOfClaim(claim)),
    });
    volumes.addHandler({
      onUpdate: (before) => released(classesOfVolume(before)),
      onDelete: (volume) => released(classesOfVolume(volume)),
    });
    return run;
  },
};

function classesOfClaim({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name): name is string => name !== undefined && name !== ''))];
}

const classesOfVolume = ({ spec }: PersistentVolume): string[] =>
  spec?.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];
