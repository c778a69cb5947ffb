import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../../api/generated/apps-v1.ts';
import { deepEqual } from '../../../base/index.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';
import { specChanges } from './spec-generation.ts';

/** Replicas are a plain number in the internal types. */
const NO_REPLICAS = { replicas: 0 };

export const deployments: Strategy<ObjectOf<Deployment>> = {
  zeroSpec: NO_REPLICAS,
  statusResetFields: ['spec', 'metadata.labels'],
  statusMetadata: ['annotations', 'finalizers', 'ownerReferences'],
  // Rollouts are recorded in annotations, so a change of annotations counts.
  generationChanges: (object, old) =>
    specChanges(object, old) || !deepEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {}),
};

export const replicaSets: Strategy<ObjectOf<ReplicaSet>> = {
  zeroSpec: NO_REPLICAS,
  generationChanges: specChanges,
  prepareForCreate(set) {
    set.status = { replicas: 0 };
  },
};

export const statefulSets: Strategy<ObjectOf<StatefulSet>> = { generationChanges: specChanges, zeroSpec: NO_REPLICAS };

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** templateGeneration was a field once; the server keeps it in an annotation. */
export const daemonSets: Strategy<ObjectOf<DaemonSet>> = {
  generationChanges: specChanges,
  internalMetadata({ annotations, ...metadata }) {
    const { [TEMPLATE_GENERATION]: _, ...others } = annotations ?? {};
    return Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others };
  },
  // A manager that leaves it out owns it as zero.
  tracked: (set) =>
    set.metadata.annotations?.[TEMPLATE_GENERATION] === undefined
      ? {
          ...set,
          metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, [TEMPLATE_GENERATION]: '0' } },
        }
      : set,
  prepareForCreate({ metadata }) {
    const given = Number(metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    (metadata.annotations ??= {})[TEMPLATE_GENERATION] = String(given >= 1 ? given : 1);
  },
  prepareForStatusUpdate({ metadata }, old) {
    (metadata.annotations ??= {})[TEMPLATE_GENERATION] = old.metadata.annotations?.[TEMPLATE_GENERATION] ?? '0';
  },
  prepareForUpdate(set, old) {
    const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const changed = !deepEqual(set.spec?.template, old.spec?.template);
    (set.metadata.annotations ??= {})[TEMPLATE_GENERATION] = String(changed ? before + 1 : before);
  },
};
