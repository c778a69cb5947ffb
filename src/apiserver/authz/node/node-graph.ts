/**
 * The graph of the node authorizer: which objects the pods of each node reference. It counts references per object and
 * node, so that a check is one lookup. It is built for the first request of a node.
 */
import type { PersistentVolume, Pod } from '../../../api/generated/core-v1.ts';
import { exponentialBuckets, type Clock, type Context, type Histogram } from '../../../kernel/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Entry } from '../../storage/entry.ts';
import type { CacheEvent } from '../../storage/resource-cache.ts';
import { podReferences } from './pod-references.ts';
import { volumeSecrets } from './volume-secrets.ts';

export type Vertex =
  | 'secret'
  | 'configmap'
  | 'pvc'
  | 'pv'
  | 'pod'
  | 'serviceaccount'
  | 'resourceclaim'
  | 'volumeattachment'
  | 'resourceslice'
  | 'podcertificaterequest';

interface KnownPod {
  readonly node: string;
  readonly references: readonly string[];
}

export class NodeGraph {
  #pods = new Map<string, KnownPod>();
  /** By `kind ns/name`: how many pods of each node reference the object. */
  #users = new Map<string, Map<string, number>>();
  #lastReferences: readonly string[] = [];
  #claimOfVolume = new Map<string, string>();
  #volumesOfSecret = new Map<string, Set<string>>();
  #secretsOfVolume = new Map<string, readonly string[]>();
  #nodeOf = new Map<string, string>();
  #built = false;
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #actions: Histogram<'operation'>;

  constructor(registry: Registry, { clock, metrics }: Pick<Context, 'clock' | 'metrics'>) {
    this.#registry = registry;
    this.#clock = clock;
    this.#actions = metrics.histogram({
      name: 'node_authorizer_graph_actions_duration_seconds',
      help: 'Duration of changes of the graph of what nodes use.',
      labels: ['operation'],
      buckets: exponentialBuckets(0.0001, 2, 12),
    });
  }

  /** Whether a pod of the node, or the node itself, references the object. */
  reaches(node: string, vertex: Vertex, namespace: string, name: string): boolean {
    if (!this.#built) this.#build();
    const place = `${namespace}/${name}`;
    switch (vertex) {
      case 'pod':
        return this.#pods.get(place)?.node === node;
      case 'pv':
        return this.#claimReaches(node, this.#claimOfVolume.get(name));
      case 'secret':
        return this.#used(node, `secret ${place}`) || this.#volumeReaches(node, place);
      case 'volumeattachment':
      case 'resourceslice':
      case 'podcertificaterequest':
        return this.#nodeOf.get(`${vertex} ${place}`) === node;
      default:
        return this.#used(node, `${vertex} ${place}`);
    }
  }

  #used = (node: string, key: string): boolean => this.#users.get(key)?.has(node) ?? false;

  #claimReaches(node: string, claim: string | undefined): boolean {
    return claim !== undefined && this.#used(node, `pvc ${claim}`);
  }

  #volumeReaches(node: string, secret: string): boolean {
    for (const volume of this.#volumesOfSecret.get(secret) ?? [])
      if (this.#claimReaches(node, this.#claimOfVolume.get(volume))) return true;
    return false;
  }

  #build(): void {
    this.#built = true;
    this.#follow('', 'v1', 'pods', (entry, object) => this.#setPod(entry, object as unknown as Pod | undefined));
    this.#follow('', 'v1', 'persistentvolumes', (entry, object) =>
      this.#setVolume(entry.name, object as unknown as PersistentVolume | undefined),
    );
    this.#followNodeNames('storage.k8s.io', 'volumeattachments', 'volumeattachment');
    this.#followNodeNames('resource.k8s.io', 'resourceslices', 'resourceslice');
    this.#followNodeNames('certificates.k8s.io', 'podcertificaterequests', 'podcertificaterequest');
  }

  #followNodeNames(group: string, plural: string, vertex: Vertex): void {
    const version = this.#registry.all().find((served) => served.group === group && served.plural === plural)?.version;
    if (!version) return;
    this.#follow(group, version, plural, (entry, object) => {
      const key = `${vertex} ${entry.namespace}/${entry.name}`;
      const node = (object?.['spec'] as { nodeName?: string } | undefined)?.nodeName;
      if (node) this.#nodeOf.set(key, node);
      else this.#nodeOf.delete(key);
    });
  }

  #follow(
    group: string,
    version: string,
    plural: string,
    set: (entry: Entry, object: KubeObject | undefined) => void,
  ): void {
    const { cache, kind } = this.#registry.require(group, version, plural);
    const shown = kind === 'PersistentVolume' ? 'PV' : kind;
    const [added, deleted] = ['Add', 'Delete'].map((verb) => this.#actions.child({ operation: `${verb}${shown}` }));
    const change = (entry: Entry, object: KubeObject | undefined): void => {
      const since = this.#clock.monotonic();
      set(entry, object);
      (object ? added! : deleted!).observe((this.#clock.monotonic() - since) / 1000);
    };
    for (const entry of cache.list()) change(entry, entry.object);
    cache.watch({
      scope: '',
      deliver: ({ type, entry }: CacheEvent) => change(entry, type === 'DELETED' ? undefined : entry.object),
    });
  }

  #setPod({ namespace, name }: Entry, pod: Pod | undefined): void {
    const place = `${namespace}/${name}`;
    const known = this.#pods.get(place);
    const node = pod?.spec?.nodeName;
    if (!pod || !node) {
      if (known) this.#forgetPod(place, known);
      return;
    }
    const references = this.#shared(podReferences(pod, namespace, name));
    if (known && known.node === node && sameTexts(known.references, references)) return;
    if (known) this.#forgetPod(place, known);
    this.#pods.set(place, { node, references });
    for (const key of references) {
      let users = this.#users.get(key);
      if (!users) this.#users.set(key, (users = new Map()));
      users.set(node, (users.get(node) ?? 0) + 1);
    }
  }

  /** Consecutive pods are often from one template and have the same references: they share one list to save memory. */
  #shared(references: readonly string[]): readonly string[] {
    if (!sameTexts(this.#lastReferences, references)) this.#lastReferences = references;
    return this.#lastReferences;
  }

  #forgetPod(place: string, { node, references }: KnownPod): void {
    this.#pods.delete(place);
    for (const key of references) {
      const users = this.#users.get(key);
      const count = users?.get(node) ?? 0;
      if (count > 1) users!.set(node, count - 1);
      else users?.delete(node);
      if (users?.size === 0) this.#users.delete(key);
    }
  }

  #setVolume(name: string, volume: PersistentVolume | undefined): void {
    for (const secret of this.#secretsOfVolume.get(name) ?? []) this.#volumesOfSecret.get(secret)?.delete(name);
    this.#secretsOfVolume.delete(name);
    this.#claimOfVolume.delete(name);
    const claim = volume?.spec?.claimRef;
    if (!volume || !claim) return;
    this.#claimOfVolume.set(name, `${claim.namespace ?? ''}/${claim.name ?? ''}`);
    const secrets = volumeSecrets(volume);
    this.#secretsOfVolume.set(name, secrets);
    for (const secret of secrets)
      this.#volumesOfSecret.set(secret, (this.#volumesOfSecret.get(secret) ?? new Set()).add(name));
  }
}

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i]);
