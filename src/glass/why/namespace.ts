/** Why a namespace does not go away: what is left in it, and which finalizers hold that. */
import type { Namespace } from '../../api/generated/core-v1.ts';
import { discover, isForbidden, type ApiObject } from '../../client/index.ts';
import type { Cause, Explanation, Subject } from '../answers.ts';
import { healthy, unhealthy } from './explanation.ts';
import type { Reader } from './reader.ts';
import { finalizerCauses } from './terminating.ts';

const MAX_OBJECTS = 10;
const DELETION_CONDITIONS = /^Namespace/;

export async function explainNamespace(reader: Reader, namespace: Namespace): Promise<Explanation> {
  const { metadata, status } = namespace;
  const subject: Subject = { kind: 'Namespace', name: metadata.name ?? '' };
  if (!metadata.deletionTimestamp) return healthy(subject, status?.phase ?? 'Active');
  const conditions = (status?.conditions ?? []).filter(
    ({ type = '', status: is }) => DELETION_CONDITIONS.test(type) && is === 'True',
  );
  const causes: Cause[] = conditions.map(({ type = '', reason, message = '' }) => ({
    reason: reason ?? type,
    message,
  }));
  causes.push(...(await remaining(reader, metadata.name ?? '')));
  if (causes.length === 0) causes.push(...finalizerCauses(namespace));
  if (causes.length === 0)
    causes.push({
      reason: 'NotFinalized',
      message: 'the namespace controller has not finished',
      remedy: 'see that kube-controller-manager runs and holds its lease',
    });
  return unhealthy(subject, 'Terminating', causes);
}

/** Objects in the namespace that were deleted and that finalizers hold. */
async function remaining(reader: Reader, namespace: string): Promise<Cause[]> {
  const causes: Cause[] = [];
  const { resources, unavailable } = await discover(reader.client);
  for (const name of unavailable)
    causes.push({
      reason: 'DiscoveryFailed',
      message: `${name} is not served, so its objects cannot be deleted`,
      remedy: `mend or delete the APIService of ${name}`,
    });
  for (const resource of resources) {
    if (
      !resource.namespaced ||
      !resource.preferred ||
      !resource.verbs.includes('list') ||
      !resource.verbs.includes('delete')
    )
      continue;
    const items: ApiObject[] = await reader.client
      .metadata(resource)
      .list({ namespace, limit: MAX_OBJECTS })
      .then((list) => list.items)
      .catch((error: unknown) => {
        if (!isForbidden(error)) throw error;
        reader.noteUnknown(`you may not list ${resource.plural} in namespace "${namespace}"`);
        return [];
      });
    for (const object of items) {
      const finalizers = finalizerCauses(object);
      if (finalizers.length === 0 || causes.length >= MAX_OBJECTS) continue;
      const subject = { kind: resource.kind, namespace, name: object.metadata.name ?? '' };
      causes.push({
        reason: 'ObjectRemains',
        message: `the ${resource.kind} ${object.metadata.name} is still there`,
        because: [unhealthy(subject, object.metadata.deletionTimestamp ? 'Terminating' : 'not deleted', finalizers)],
      });
    }
  }
  return causes;
}
