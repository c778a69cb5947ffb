import { discover, type ApiObject, type SharedInformer } from '../../../client/index.ts';
import { Action, event } from '../../framework/cluster-event.ts';
import type { Handle } from '../../framework/handle.ts';
import { GROUP_KINDS, type GroupReference, type GroupSource, type PodGroup } from './pod-group.ts';

const LOOK_AGAIN_MS = 5_000;

/** The groups that there are. Nobody watches a kind of group before a pod names one: most clusters have neither kind. */
export class PodGroups {
  readonly #handle: Handle;
  readonly #informers = new Map<GroupSource, SharedInformer<ApiObject> | 'looking'>();

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  get(group: GroupReference): PodGroup | undefined {
    const object = this.object(group);
    return object && GROUP_KINDS[group.source].read(object);
  }

  object({ source, namespace, name }: GroupReference): ApiObject | undefined {
    const informer = this.#informers.get(source);
    if (informer === undefined) this.#look(source);
    return informer === undefined || informer === 'looking' ? undefined : informer.get(`${namespace}/${name}`);
  }

  /** The kind may be installed later than the first pod that needs it. */
  #look(source: GroupSource): void {
    const handle = this.#handle;
    const { resource } = GROUP_KINDS[source];
    this.#informers.set(source, 'looking');
    handle.longTask(`pod groups of ${resource.group}`, async (signal) => {
      for (;;) {
        const { resources } = await discover(handle.client, signal).catch(() => ({ resources: [] }));
        if (
          resources.some(
            (r) => r.group === resource.group && r.version === resource.version && r.plural === resource.plural,
          )
        )
          break;
        await handle.clock.sleep(LOOK_AGAIN_MS, signal);
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
