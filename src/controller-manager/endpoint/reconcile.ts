/** Reconciles the Endpoints of one Service with its pods. */
import type { Endpoints, Pod, Service } from '../../api/generated/core-v1.ts';
import { errorMessage, deepEqual } from '../../base/index.ts';
import {
  isAlreadyExists,
  isNamespaceTerminating,
  keyOf,
  splitKey,
  type ResourceClient,
  type SharedInformer,
} from '../../client/index.ts';
import type { ControllerContext, Reconciler } from '../controller.ts';
import {
  hasSelectedPods,
  HEADLESS_LABEL,
  isHeadless,
  TRIGGER_TIME,
  type ServicesOfPods,
} from '../endpointslice/service-pods.ts';
import { TriggerTimes } from '../endpointslice/trigger-time.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { subsetsOf, truncated } from './subsets.ts';

const MAX_ADDRESSES = 1000;
const MANAGED_BY_LABEL = 'endpoints.kubernetes.io/managed-by';
const MANAGER = 'endpoint-controller';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';

/** What the reconciler and the watches of Endpoints share. */
export interface EndpointsParts {
  readonly relations: ServicesOfPods;
  readonly endpoints: SharedInformer<Endpoints>;
}

export class EndpointsReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: EndpointsParts;
  readonly #resource: ResourceClient<Endpoints>;
  readonly #triggers: TriggerTimes;

  constructor(context: ControllerContext, parts: EndpointsParts, triggers: TriggerTimes) {
    this.#triggers = triggers;
    this.#context = context;
    this.#parts = parts;
    this.#resource = context.client.resource('v1/endpoints');
  }

  async reconcile(key: string): Promise<void> {
    const { relations } = this.#parts;
    const service = relations.services.get(key);
    if (!service) {
      this.#triggers.forget(key);
      return this.#delete(key);
    }
    if (service.metadata.deletionTimestamp !== undefined || !hasSelectedPods(service)) return;
    const wanted = this.#wantedEndpoints(key, service, relations.podsOf(service));
    if (wanted) await ignoreNotFound(() => this.#write(service, wanted));
  }

  /** The Endpoints to write; undefined when nothing changes. */
  #wantedEndpoints(key: string, service: Service, selected: readonly Pod[]): Endpoints | undefined {
    const { name, namespace } = service.metadata;
    const { subsets, over } = truncated(subsetsOf(service, selected), MAX_ADDRESSES);
    const current = this.#parts.endpoints.get(key);
    const headless: Record<string, string> = isHeadless(service) ? { [HEADLESS_LABEL]: '' } : {};
    const labels = { ...service.metadata.labels, ...headless, [MANAGED_BY_LABEL]: MANAGER };
    const time = this.#triggers.next(key, service, selected);
    if (current && isSame(current, { subsets, labels, over })) return undefined;
    const { [TRIGGER_TIME]: _, [OVER_CAPACITY]: __, ...others } = current?.metadata.annotations ?? {};
    const annotations = {
      ...others,
      ...(time === undefined ? {} : { [TRIGGER_TIME]: time }),
      ...(over ? { [OVER_CAPACITY]: 'truncated' } : {}),
    };
    return { ...current, metadata: { ...(current?.metadata ?? { name, namespace }), labels, annotations }, subsets };
  }

  async #write(service: Service, wanted: Endpoints): Promise<void> {
    const { recorder, signal } = this.#context;
    const isNew = wanted.metadata.resourceVersion === undefined;
    try {
      await (isNew ? this.#resource.create(wanted, { signal }) : this.#resource.update(wanted, { signal }));
    } catch (error) {
      if (isNamespaceTerminating(error) || isAlreadyExists(error)) return;
      const reason = isNew ? 'FailedToCreateEndpoint' : 'FailedToUpdateEndpoint';
      const why = errorMessage(error);
      const message = `Failed to ${isNew ? 'create' : 'update'} endpoint for service ${keyOf(service)}: ${why}`;
      if (!signal.aborted) recorder.event(service, 'Warning', reason, message);
      throw error;
    }
  }

  /** Deletes the Endpoints of a deleted Service, but not those of a leader election lock. */
  async #delete(key: string): Promise<void> {
    const left = this.#parts.endpoints.get(key);
    if (!left || left.metadata.annotations?.[LEADER] !== undefined) return;
    const options = { preconditions: { uid: left.metadata.uid }, signal: this.#context.signal };
    await ignoreNotFound(() => this.#resource.delete(splitKey(key), options));
  }
}

interface WantedState {
  readonly subsets: Endpoints['subsets'];
  readonly labels: Readonly<Record<string, string>>;
  readonly over: boolean;
}

function isSame({ subsets = [], metadata }: Endpoints, wanted: WantedState): boolean {
  const isOver = metadata.annotations?.[OVER_CAPACITY] !== undefined;
  return deepEqual(subsets, wanted.subsets) && deepEqual(metadata.labels, wanted.labels) && isOver === wanted.over;
}
