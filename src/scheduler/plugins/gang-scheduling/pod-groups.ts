/** Finds the PodGroups that pods name. */
import { discover, type ApiObject, type SharedInformer } from '../../../client/index.ts';
import { Action, event } from '../../framework/cluster-event.ts';
import type { Handle } from '../../framework/handle.ts';
import { GROUP_KINDS, type GroupReference, type GroupSource, type PodGroup } from './pod-group.ts';

const DISCOVERY_RETRY_MS = 5_000;

/** An informer for a kind of PodGroup starts when the first pod names one: most clusters have neither kind. */
export class PodGroups {
  readonly #handle: Handle;
  readonly #informers = new Map<GroupSource, SharedInformer<ApiObject> | 'discovering'>();

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  get(group: GroupReference): PodGroup | undefined {
    const object = this.object(group);
    return object && GROUP_KINDS[group.source].read(object);
  }

  object({ source, namespace, name }: GroupReference): ApiObject | undefined {
    const informer = this.#informers.get(source);
    if (informer === undefined) this.#startInformer(source);
    return informer === undefined || informer === 'discovering' ? undefined : informer.get(`${namespace}/${name}`);
  }

  /** Waits until the API server serves the kind, then starts its informer. */
  #startInformer(source: GroupSource): void {
    const handle = this.#handle;
    const { resource } = GROUP_KINDS[source];
    this.#informers.set(source, 'discovering');
    handle.longTask(`pod groups of ${resource.group}`, async (signal) => {
      for (;;) {
        const { resources } = await discover(handle.client, signal).catch(() => ({ resources: [] }));
        if (
          resources.some(
            (r) => r.group === resource.group && r.version === resource.version && r.plural === resource.plural,
          )
        )
          break;
        await handle.clock.sleep(DISCOVERY_RETRY_MS, signal);
      }
      const informer = handle.informers.informer(resource);
      this.#informers.set(source, informer);
      const changed = (before: unknown, after: unknown): void =>
        handle.moveAllToActiveOrBackoff(
          event('PodGroup', before === undefined ? Action.Add : Action.UpdateOther, 'PodGroupChange'),
          before,
          after,
        );
      informer.addHandler({ onAdd: (object) => changed(undefined, object), onUpdate: changed });
    });
  }
}
