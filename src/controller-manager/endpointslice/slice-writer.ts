/** Writes planned EndpointSlices, and tracks writes that the informer does not show yet, so that none is repeated. */
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { byNamespace, isNamespaceTerminating, NAMESPACE_INDEX, type SharedInformer } from '../../client/index.ts';
import type { ControllerContext } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { SliceMetrics, type SliceSubsystem } from './metrics.ts';
import { TRIGGER_TIME } from './service-pods.ts';
import { planSlices, type EndpointGroup, type SlicePlan } from './slice-plan.ts';

export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
export const MANAGED_BY_LABEL = 'endpointslice.kubernetes.io/managed-by';
const BY_SERVICE_INDEX = 'byServiceAndManager';

/** A write that the informer does not show within this time was undone by another client. */
const FORGET_AFTER_MS = 30_000;

export interface SliceTarget {
  readonly namespace: string;
  /** The Service's name. */
  readonly service: string;
  readonly groups: readonly EndpointGroup[];
  readonly placeholders: readonly string[];
  readonly maxPerSlice: number;
  readonly metadata: Required<Pick<ObjectMeta, 'labels' | 'ownerReferences' | 'annotations'>>;
}

export class SliceWriter {
  readonly slices: SharedInformer<EndpointSlice>;
  readonly #context: ControllerContext;
  readonly #manager: string;
  readonly #unseen: Map<string, Map<string, { generation: number; since: number }>>;

  readonly #metrics: SliceMetrics;

  /** The writer whose state all workers share. */
  static shared(context: ControllerContext, manager: string, subsystem: SliceSubsystem): SliceWriter {
    return new SliceWriter(context, manager, { metrics: new SliceMetrics(context.metrics, subsystem) });
  }

  private constructor(
    context: ControllerContext,
    manager: string,
    { shared, metrics }: { shared?: SliceWriter; metrics: SliceMetrics },
  ) {
    this.#metrics = metrics;
    this.#unseen = shared ? shared.#unseen : new Map();
    this.#context = context;
    this.#manager = manager;
    this.slices = context.informers.informer(
      'discovery.k8s.io/v1/endpointslices',
      {},
      {
        [NAMESPACE_INDEX]: byNamespace,
        [BY_SERVICE_INDEX]: ({ metadata: { namespace, labels } }) => [
          `${namespace}/${labels?.[SERVICE_NAME_LABEL]}/${labels?.[MANAGED_BY_LABEL]}`,
        ],
      },
    );
  }

  /** The writer of one worker. */
  forWorker(context: ControllerContext): SliceWriter {
    return new SliceWriter(context, this.#manager, { shared: this, metrics: this.#metrics });
  }

  /** The Service has no slices any more. */
  forget(serviceKey: string): void {
    this.#metrics.forget(serviceKey);
  }

  /** Calls back with the Service of every managed slice that changes. */
  onChange(add: (serviceKey: string) => void): void {
    const enqueue = (slice: EndpointSlice): void => {
      const key = this.#serviceKeyOf(slice);
      if (key !== undefined) add(key);
    };
    this.slices.addHandler({
      onAdd: enqueue,
      onUpdate: (before, after) => {
        enqueue(after);
        if (this.#serviceKeyOf(before) !== this.#serviceKeyOf(after)) enqueue(before);
      },
      onDelete: (slice) => {
        const key = this.#serviceKeyOf(slice);
        if (key !== undefined) this.#unseen.get(key)?.delete(slice.metadata.name ?? '');
        enqueue(slice);
      },
    });
  }

  /** The slices of a Service that this controller manages. */
  of(serviceKey: string): EndpointSlice[] {
    return this.slices.indexer
      .byIndex(BY_SERVICE_INDEX, `${serviceKey}/${this.#manager}`)
      .filter((slice) => slice.metadata.deletionTimestamp === undefined);
  }

  /** Whether the informer lacks a write of this controller. Its event will enqueue the Service again. */
  isBehind(serviceKey: string): boolean {
    const unseen = this.#unseen.get(serviceKey);
    if (!unseen) return false;
    const { clock } = this.#context;
    const [namespace] = serviceKey.split('/');
    for (const [name, { generation, since }] of unseen) {
      const cached = this.slices.get(`${namespace}/${name}`);
      if ((cached && (cached.metadata.generation ?? 0) >= generation) || clock.monotonic() - since > FORGET_AFTER_MS)
        unseen.delete(name);
    }
    if (unseen.size === 0) this.#unseen.delete(serviceKey);
    return unseen.size > 0;
  }

  async write(target: SliceTarget): Promise<SlicePlan> {
    const serviceKey = `${target.namespace}/${target.service}`;
    const { client, signal } = this.#context;
    const resource = client.resource('discovery.k8s.io/v1/endpointslices');
    const { labels, ownerReferences } = target.metadata;
    const annotations = (own: Record<string, string> | undefined): Record<string, string> | undefined => {
      const { [TRIGGER_TIME]: _, ...annotations } = own ?? {};
      const all = { ...annotations, ...target.metadata.annotations };
      return Object.keys(all).length > 0 ? all : undefined;
    };
    const plan = this.#plan(serviceKey, target);
    for (const content of plan.create) {
      try {
        const created = await resource.create(
          {
            metadata: {
              namespace: target.namespace,
              generateName: `${target.service}-`,
              labels,
              ownerReferences,
              annotations: annotations(undefined),
            },
            ...mutable(content),
          },
          { signal },
        );
        this.#wrote(serviceKey, created);
        this.#metrics.changed('create');
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
      }
    }
    for (const { slice, content } of plan.update) {
      const updated = await resource.update(
        {
          ...slice,
          metadata: {
            ...slice.metadata,
            labels,
            ownerReferences,
            annotations: annotations(slice.metadata.annotations),
          },
          ...mutable(content),
        },
        { signal },
      );
      this.#wrote(serviceKey, updated);
      this.#metrics.changed('update');
    }
    for (const slice of plan.delete) await this.delete(slice);
    return plan;
  }

  #plan(serviceKey: string, target: SliceTarget): SlicePlan {
    const { labels, ownerReferences, annotations } = target.metadata;
    const existing = this.of(serviceKey);
    const plan = planSlices({
      ...target,
      existing,
      isCurrent: (slice) =>
        deepEqual(slice.metadata.labels, labels) &&
        deepEqual(slice.metadata.ownerReferences, ownerReferences) &&
        hasAll(slice.metadata.annotations, annotations),
    });
    const slices = existing.length + plan.create.length - plan.delete.length;
    this.#metrics.planned(serviceKey, { ...target, ...plan, slices });
    return plan;
  }

  async delete({ metadata: { namespace, name = '', uid } }: EndpointSlice): Promise<void> {
    const { client, signal } = this.#context;
    await ignoreNotFound(() =>
      client
        .resource('discovery.k8s.io/v1/endpointslices')
        .delete({ namespace, name }, { preconditions: { uid }, signal }),
    );
    this.#metrics.changed('delete');
  }

  #wrote(serviceKey: string, { metadata: { name = '', generation = 0 } }: EndpointSlice): void {
    const unseen = this.#unseen.get(serviceKey) ?? new Map<string, { generation: number; since: number }>();
    unseen.set(name, { generation, since: this.#context.clock.monotonic() });
    this.#unseen.set(serviceKey, unseen);
  }

  #serviceKeyOf(slice: EndpointSlice): string | undefined {
    const { namespace, labels } = slice.metadata;
    if (labels?.[MANAGED_BY_LABEL] !== this.#manager) return undefined;
    const service = labels[SERVICE_NAME_LABEL];
    return service === undefined ? undefined : `${namespace}/${service}`;
  }
}

/** A change of the trigger time alone is not written. */
function hasAll(have: Record<string, string> | undefined, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([key, value]) => key === TRIGGER_TIME || have?.[key] === value);
}

function mutable({
  addressType,
  ports,
  endpoints,
}: EndpointGroup): Pick<EndpointSlice, 'addressType' | 'ports' | 'endpoints'> {
  return { addressType, ports: [...ports], endpoints: [...endpoints] };
}
