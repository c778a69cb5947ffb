/** Shared informers of the objects, besides pods and nodes, that plugins read. */
import type { Service } from '../api/generated/core-v1.ts';
import {
  NAMESPACE_INDEX,
  byNamespace,
  type BuiltInResource,
  type InformerFactory,
  type ObjectOf,
  type SharedInformer,
} from '../client/index.ts';
import type { SpreadListers } from './plugins/pod-topology-spread/default-selector.ts';

export class Listers implements SpreadListers {
  readonly #informers: InformerFactory;
  readonly #services: SharedInformer<Service>;

  constructor(informers: InformerFactory) {
    this.#informers = informers;
    this.#services = informers.informer('v1/services', {}, { [NAMESPACE_INDEX]: byNamespace });
    for (const resource of WATCHED) informers.informer(resource);
  }

  informer<K extends BuiltInResource>(resource: K): SharedInformer<ObjectOf<K>> {
    return this.#informers.informer(resource);
  }

  get<K extends BuiltInResource>(resource: K, key: string): ObjectOf<K> | undefined {
    return this.#informers.informer(resource).get(key);
  }

  list<K extends BuiltInResource>(resource: K): ObjectOf<K>[] {
    return this.#informers.informer(resource).list();
  }

  services(namespace: string): readonly Service[] {
    return this.#services.indexer.byIndex(NAMESPACE_INDEX, namespace);
  }

  replicationController = (namespace: string, name: string): ReturnType<SpreadListers['replicationController']> =>
    this.get('v1/replicationcontrollers', `${namespace}/${name}`);
  replicaSet = (namespace: string, name: string): ReturnType<SpreadListers['replicaSet']> =>
    this.get('apps/v1/replicasets', `${namespace}/${name}`);
  statefulSet = (namespace: string, name: string): ReturnType<SpreadListers['statefulSet']> =>
    this.get('apps/v1/statefulsets', `${namespace}/${name}`);

  /** The labels of a namespace, for namespace selectors of affinity terms. */
  labelsOf = (namespace: string): Readonly<Record<string, string>> =>
    this.get('v1/namespaces', namespace)?.metadata.labels ?? {};
}

/** Requested before the informers start, so that they have synced before the first pod is scheduled. */
const WATCHED = [
  'v1/namespaces',
  'v1/replicationcontrollers',
  'apps/v1/replicasets',
  'apps/v1/statefulsets',
  'v1/persistentvolumes',
  'v1/persistentvolumeclaims',
  'storage.k8s.io/v1/storageclasses',
  'storage.k8s.io/v1/csinodes',
  'storage.k8s.io/v1/csidrivers',
  'storage.k8s.io/v1/csistoragecapacities',
  'storage.k8s.io/v1/volumeattachments',
  'policy/v1/poddisruptionbudgets',
  'resource.k8s.io/v1/resourceclaims',
  'resource.k8s.io/v1/resourceslices',
  'resource.k8s.io/v1/deviceclasses',
] as const satisfies readonly BuiltInResource[];
