/** componentstatuses: the health of the control plane's parts, as it was asked for before there were health endpoints. */
import type { ComponentStatus } from '../../api/generated/core-v1.ts';
import { notFound } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Result } from '../request/request.ts';
import { encodeForStorage } from '../storage/encode-for-storage.ts';
import { Entry } from '../storage/entry.ts';
import type { Scope } from '../verbs/scope.ts';

export function listComponentStatuses(scope: Scope): Promise<Result> {
  const entries = statuses().map((status) => entryOf(status));
  return Promise.resolve({ type: 'list', served: scope.served, entries, resourceVersion: '' });
}

export function getComponentStatus(scope: Scope): Promise<Result> {
  const { name } = scope.place;
  const status = statuses().find((s) => s.metadata.name === name);
  if (!status) throw notFound({ group: '', resource: 'componentstatus' }, name);
  return Promise.resolve({ type: 'object', status: 200, object: status });
}

/** The store answers, or this server would not; what the others say of themselves they say in their leases. */
function statuses(): (ComponentStatus & KubeObject)[] {
  return ['etcd-0'].map((name) => ({
    apiVersion: 'v1',
    kind: 'ComponentStatus',
    metadata: { name },
    conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
  }));
}

function entryOf(object: KubeObject): Entry {
  const name = object.metadata.name ?? '';
  return Entry.fromValue({ key: name, namespace: '', name }, encodeForStorage(object), 0, object).withoutRevision();
}
