/** The plugin VolumeZone: volumes with zone or region labels can be used only on nodes of that zone or region. */
import { ownValue } from '../../../base/index.ts';
import { Action, ANY_UPDATE } from '../../framework/cluster-event.ts';
import type { Handle } from '../../framework/handle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { skip, unresolvable } from '../../framework/status.ts';
import { claimSignature, claimVolumes, storageClassOf } from '../pod-claims.ts';

const NO_ZONE = unresolvable('node(s) had no available volume zone');

/** Each label with its deprecated name. */
const TOPOLOGY_LABELS: readonly (readonly [string, string])[] = [
  ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'],
];

interface ZoneConstraint {
  readonly keys: readonly string[];
  readonly values: ReadonlySet<string>;
}

export function volumeZone({ listers }: Handle): Plugin {
  return {
    name: 'VolumeZone',
    signature: claimSignature,
    preFilter(state, pod) {
      const constraints: ZoneConstraint[] = [];
      for (const { name } of claimVolumes(pod)) {
        const claim = listers.get('v1/persistentvolumeclaims', `${pod.namespace}/${name}`);
        if (claim === undefined)
          return { status: unresolvable(`persistentvolumeclaim ${JSON.stringify(name)} not found`) };
        const volumeName = claim.spec?.volumeName ?? '';
        if (volumeName === '') {
          const className = storageClassOf(claim);
          if (className === '')
            return { status: unresolvable('PersistentVolumeClaim had no pv name and storageClass name') };
          const storageClass = listers.get('storage.k8s.io/v1/storageclasses', className);
          if (storageClass?.volumeBindingMode === 'WaitForFirstConsumer') continue;
          return { status: unresolvable('PersistentVolume had no name') };
        }
        const volume = listers.get('v1/persistentvolumes', volumeName);
        if (volume === undefined)
          return { status: unresolvable(`persistentvolume ${JSON.stringify(volumeName)} not found`) };
        for (const keys of TOPOLOGY_LABELS) {
          for (const key of keys) {
            const value = ownValue(volume.metadata.labels, key);
            if (value !== undefined) constraints.push({ keys, values: new Set(value.split('__')) });
          }
        }
      }
      if (constraints.length === 0) return { status: skip() };
      state.set('VolumeZone', constraints);
      return undefined;
    },
    bindFilter(state) {
      const constraints = state.get<ZoneConstraint[]>('VolumeZone') ?? [];
      return ({ labels }) => {
        const hasZone = TOPOLOGY_LABELS.some((keys) => keys.some((key) => ownValue(labels, key) !== undefined));
        if (!hasZone) return undefined;
        return constraints.every(({ keys, values }) =>
          keys.some((key) => Object.hasOwn(labels, key) && values.has(ownValue(labels, key)!)),
        )
          ? undefined
          : NO_ZONE;
      };
    },
    eventsToRegister: () => [
      { resource: 'StorageClass', action: Action.Add },
      { resource: 'Node', action: Action.Add | Action.UpdateNodeLabel },
      { resource: 'PersistentVolumeClaim', action: Action.Add | ANY_UPDATE },
      { resource: 'PersistentVolume', action: Action.Add | ANY_UPDATE },
    ],
  };
}
