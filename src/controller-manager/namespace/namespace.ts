/** namespace-controller: empties a namespace that is being deleted, says how that goes, and lets it go in the end. */
import type { Namespace } from '../../api/generated/core-v1.ts';
import { formatTime, parseTime } from '../../base/index.ts';
import { isNotFound, keyOf } from '../../client/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { deleteContent } from './delete-content.ts';
import { deletionConditions, withConditions } from './deletion-conditions.ts';

const WORKERS = 10;
const FINALIZER = 'kubernetes';
/** After something in a terminating namespace went; a burst of deletions is looked at once. */
const RECHECK_MS = 100;

export const namespaceController: ControllerDescriptor = {
  name: 'namespace-controller',
  aliases: ['namespace'],
  build(context) {
    const { client, clock, signal, config } = context;
    const namespaces = context.informers.informer('v1/namespaces');
    const resource = client.resource('v1/namespaces');
    /** Namespaces that wait for objects to go. */
    const waiting = new Set<string>();

    const reconcile = async (name: string): Promise<void> => {
      waiting.delete(name);
      if (!namespaces.get(name)?.metadata.deletionTimestamp) return;
      let namespace = await readLive(name);
      if (!namespace?.metadata.deletionTimestamp || !namespace.spec?.finalizers?.length) return;
      if (namespace.status?.phase !== 'Terminating') {
        namespace = await resource.updateStatus(
          { ...namespace, status: { ...namespace.status, phase: 'Terminating' } },
          { signal },
        );
      }
      waiting.add(name);
      const sinceSeconds = (clock.now() - parseTime(namespace.metadata.deletionTimestamp!)) / 1000;
      const { progress, estimateSeconds, errors } = await deleteContent({
        client,
        namespace: name,
        sinceSeconds,
        signal,
      });
      const changed = withConditions(namespace, deletionConditions(progress), formatTime(clock.now()));
      if (changed) namespace = await resource.updateStatus(changed, { signal });
      if (errors.length > 0)
        throw errors.length === 1
          ? errors[0]
          : new AggregateError(errors, `failed to delete the content of namespace ${name}`);
      if (estimateSeconds > 0) return queue.addAfter(name, (Math.floor(estimateSeconds / 2) + 1) * 1000);
      waiting.delete(name);
      await finalize(namespace);
    };

    const readLive = async (name: string): Promise<Namespace | undefined> => {
      try {
        return await resource.get({ name }, { signal });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    };

    const finalize = async (namespace: Namespace): Promise<void> => {
      const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
      const reference = { name: namespace.metadata.name ?? '' };
      try {
        await resource
          .subresource(reference, 'finalize')
          .update(
            { ...namespace, spec: { ...namespace.spec, finalizers: finalizers.length > 0 ? finalizers : undefined } },
            { signal },
          );
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'namespace', WORKERS, reconcile);
    const enqueue = (namespace: Namespace): void => {
      if (namespace.metadata.deletionTimestamp)
        queue.addAfter(keyOf(namespace), config.namespaceDeletionDelaySeconds * 1000);
    };
    namespaces.addHandler({
      onAdd: enqueue,
      onUpdate: (before, after) => before.metadata.deletionTimestamp || enqueue(after),
      onDelete: (gone) => waiting.delete(keyOf(gone)),
    });
    context.discovered.use({
      onDelete: (_, { metadata: { namespace } }) => {
        if (namespace !== undefined && waiting.has(namespace)) queue.addAfter(namespace, RECHECK_MS);
      },
    });
    return run;
  },
};
