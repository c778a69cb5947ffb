/**
 * namespace-controller: deletes the content of a terminating namespace, reports the progress in its conditions, and
 * removes its finalizer when nothing is left.
 */
import { keyOf } from '../../client/index.ts';
import { keyedController, watch, type ControllerDescriptor, type Watch } from '../controller.ts';
import type { DiscoveredResources } from '../discovered-resources.ts';
import { NamespaceReconciler } from './reconcile.ts';

const WORKERS = 10;
/** The delay between the deletion of an object and the next sync of its namespace: a burst of deletions causes one sync. */
const RECHECK_MS = 100;

export const namespaceController: ControllerDescriptor = {
  name: 'namespace-controller',
  aliases: ['namespace'],
  build(context) {
    const namespaces = context.informers.informer('v1/namespaces');
    const waiting = new Set<string>();
    const afterMs = context.config.namespaceDeletionDelaySeconds * 1000;
    return keyedController(context, {
      queue: 'namespace',
      workers: WORKERS,
      reconciler: (worker) => new NamespaceReconciler(worker, namespaces, waiting),
      watches: [
        watch(namespaces, {
          added: (namespace) => (namespace.metadata.deletionTimestamp ? [{ key: keyOf(namespace), afterMs }] : []),
          updated: (before, after) =>
            !before.metadata.deletionTimestamp && after.metadata.deletionTimestamp
              ? [{ key: keyOf(after), afterMs }]
              : [],
          deleted: (namespace) => void waiting.delete(keyOf(namespace)),
        }),
        watchDeletions(context.discovered, waiting),
      ],
    });
  },
};

function watchDeletions(discovered: DiscoveredResources, waiting: ReadonlySet<string>): Watch {
  return (add) =>
    discovered.use({
      onDelete: (_, { metadata: { namespace } }) => {
        if (namespace !== undefined && waiting.has(namespace)) add({ key: namespace, afterMs: RECHECK_MS });
      },
    });
}
