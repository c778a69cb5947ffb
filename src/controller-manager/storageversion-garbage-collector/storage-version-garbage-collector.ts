/**
 * storageversion-garbage-collector-controller: StorageVersions name the API servers that store in a version; those that
 * are gone for good are taken out. Does nothing where the server does not have this alpha API.
 */
import { defineResource, isConflict, isNotFound, keyOf, type ApiObject } from '../../client/index.ts';
import type { ControllerDescriptor } from '../controller.ts';

interface StorageVersion extends ApiObject {
  status?: { storageVersions?: { apiServerID?: string }[]; commonEncodingVersion?: string; conditions?: unknown[] };
}

const STORAGE_VERSIONS = defineResource<StorageVersion>({ group: 'internal.apiserver.k8s.io', version: 'v1alpha1', plural: 'storageversions', kind: 'StorageVersion', namespaced: false });
const IDENTITY_SELECTOR = 'apiserver.kubernetes.io/identity=kube-apiserver';
/** A server that restarts makes its lease again. */
const PERIOD_MS = 60_000;

export const storageVersionGarbageCollectorController: ControllerDescriptor = {
  name: 'storageversion-garbage-collector-controller',
  aliases: ['storage-version-gc'],
  build(context) {
    const { client, clock, informers, discovered, signal, logger } = context;
    const leases = informers.informer('coordination.k8s.io/v1/leases', { namespace: 'kube-system', labelSelector: IDENTITY_SELECTOR });
    discovered.use({});

    const collect = async (): Promise<void> => {
      await discovered.settled();
      if (!discovered.findKind('internal.apiserver.k8s.io/v1alpha1', 'StorageVersion')) return;
      const resource = client.resource(STORAGE_VERSIONS);
      for (const version of (await resource.list({ signal })).items) {
        const known = version.status?.storageVersions ?? [];
        const alive = known.filter(({ apiServerID }) => leases.get(`kube-system/${apiServerID ?? ''}`));
        if (alive.length === known.length) continue;
        const write = alive.length === 0 ? resource.delete({ name: keyOf(version) }, { preconditions: { uid: version.metadata.uid }, signal }) : resource.updateStatus({ ...version, status: { ...version.status, storageVersions: alive } }, { signal });
        await write.catch((error: unknown) => {
          if (!isNotFound(error) && !isConflict(error)) throw error;
        });
      }
    };

    return async () => {
      while (!signal.aborted) {
        await collect().catch((error: unknown) => signal.aborted || logger.error(error, 'Failed to collect storage versions'));
        await clock.sleep(PERIOD_MS, signal).catch(() => {});
      }
    };
  },
};
