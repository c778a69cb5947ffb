/**
 * storageversion-garbage-collector-controller: removes API servers that do not exist any more from StorageVersions. Does
 * nothing when the API server does not serve this alpha API.
 */

import { formatTime } from '../../base/index.ts';
import { defineResource, isNotFound, keyOf, type ApiObject, type Resource, type Client } from '../../client/index.ts';
import { keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { findCondition, withoutCondition, type Condition } from '../status.ts';

interface ServerStorageVersion {
  apiServerID?: string;
  encodingVersion?: string;
}

interface StorageVersionStatus {
  storageVersions?: ServerStorageVersion[];
  commonEncodingVersion?: string;
  conditions?: (Condition & { observedGeneration?: number })[];
}

interface StorageVersion extends ApiObject {
  status?: StorageVersionStatus;
}

const STORAGE_VERSIONS = defineResource<StorageVersion>({
  group: 'internal.apiserver.k8s.io',
  version: 'v1alpha1',
  plural: 'storageversions',
  kind: 'StorageVersion',
  namespaced: false,
});
const LEASES_NAMESPACE = 'kube-system';
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';
const API_SERVER = 'kube-apiserver';
const ALL_EQUAL = 'AllEncodingVersionsEqual';

export const storageVersionGarbageCollectorController: ControllerDescriptor = {
  name: 'storageversion-garbage-collector-controller',
  aliases: ['storage-version-gc'],
  build(context) {
    const { clock, informers, discovered, signal } = context;
    const leases = informers.informer('coordination.k8s.io/v1/leases', {
      namespace: LEASES_NAMESPACE,
      labelSelector: `${IDENTITY_LABEL}=${API_SERVER}`,
    });

    // A server creates its lease before its records, so a lease that the informer lacks may be new.
    const isAlive = async (client: Client, server: string): Promise<boolean> => {
      if (leases.get(`${LEASES_NAMESPACE}/${server}`)) return true;
      const lease = await orAbsent(
        client.resource('coordination.k8s.io/v1/leases').get({ namespace: LEASES_NAMESPACE, name: server }, { signal }),
      );
      return lease?.metadata.labels?.[IDENTITY_LABEL] === API_SERVER;
    };

    const reconcile = async (name: string, { client }: ControllerContext): Promise<void> => {
      const resource = client.resource(STORAGE_VERSIONS);
      const version = await orAbsent(resource.get({ name }, { signal }));
      if (!version) return;
      const known = version.status?.storageVersions ?? [];
      const alive: ServerStorageVersion[] = [];
      for (const record of known) if (await isAlive(client, record.apiServerID ?? '')) alive.push(record);
      if (alive.length === known.length) return;
      const { uid, resourceVersion, generation } = version.metadata;
      await ignoreNotFound<unknown>(() =>
        alive.length === 0
          ? resource.delete({ name }, { preconditions: { uid, resourceVersion }, signal })
          : resource.updateStatus(
              {
                ...version,
                status: statusOf(version.status ?? {}, alive, { generation, now: formatTime(clock.now()) }),
              },
              { signal },
            ),
      );
    };

    const { queue, run } = keyedLoop(context, 'storage_version_garbage_collector', 1, reconcile);
    const enqueue = (resource: Resource, object: ApiObject): void => {
      if (isStorageVersions(resource)) queue.add(keyOf(object));
    };
    discovered.use({ onAdd: enqueue, onUpdate: (resource, _, after) => enqueue(resource, after) });
    leases.addHandler({
      onDelete: () => {
        for (const name of discovered.informer(STORAGE_VERSIONS.group, STORAGE_VERSIONS.plural)?.indexer.keys() ?? [])
          queue.add(name);
      },
    });
    return run;
  },
};

const isStorageVersions = ({ group, version, plural }: Resource): boolean =>
  group === STORAGE_VERSIONS.group && version === STORAGE_VERSIONS.version && plural === STORAGE_VERSIONS.plural;

async function orAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** The common encoding version of the remaining servers, if they have one. */
function statusOf(
  status: StorageVersionStatus,
  records: ServerStorageVersion[],
  { generation, now }: { generation: number | undefined; now: string },
): StorageVersionStatus {
  const { commonEncodingVersion: before, ...rest } = status;
  const [first] = records;
  const common = records.every(({ encodingVersion }) => encodingVersion === first?.encodingVersion)
    ? first?.encodingVersion
    : undefined;
  const old = findCondition(status.conditions, ALL_EQUAL);
  const next =
    common === undefined
      ? { status: 'False', reason: 'CommonEncodingVersionUnset', message: 'Common encoding version unset' }
      : { status: 'True', reason: 'CommonEncodingVersionSet', message: 'Common encoding version set' };
  // A different common version is a transition, too.
  const isOther = before !== undefined && common !== undefined && before !== common;
  const lastTransitionTime = old && old.status === next.status && !isOther ? old.lastTransitionTime : now;
  const condition = {
    type: ALL_EQUAL,
    ...next,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
  };
  return {
    ...rest,
    storageVersions: records,
    ...(common === undefined ? {} : { commonEncodingVersion: common }),
    conditions: [...withoutCondition(status.conditions, ALL_EQUAL), condition],
  };
}
