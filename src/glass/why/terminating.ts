/** Why a deleted object is still there: its finalizers, and who set them. */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { isRecord } from '../../base/index.ts';
import type { ApiObject } from '../../client/index.ts';
import type { Cause } from '../answers.ts';

/** Who removes the finalizers that Kubernetes itself sets, and when. */
const FINALIZERS: ReadonlyMap<string, string> = new Map([
  ['foregroundDeletion', 'the garbage collector removes it when the dependents of the object are gone'],
  ['orphan', 'the garbage collector removes it when no dependent refers to the object any more'],
  ['kubernetes.io/pvc-protection', 'the controller manager removes it when no pod uses the claim'],
  ['kubernetes.io/pv-protection', 'the controller manager removes it when no claim is bound to the volume'],
  ['batch.kubernetes.io/job-tracking', 'the Job controller removes it when it has counted the pod'],
  ['service.kubernetes.io/load-balancer-cleanup', 'the cloud controller manager removes it with the load balancer'],
  ['resource.kubernetes.io/delete-protection', 'the controller manager removes it when no pod uses the claim'],
  ['customresourcecleanup.apiextensions.k8s.io', 'the API server removes it when all custom resources are deleted'],
]);

export function finalizerCauses(object: ApiObject): Cause[] {
  return (object.metadata.finalizers ?? []).map((finalizer) => {
    const known = FINALIZERS.get(finalizer);
    const manager = managerOf(object, finalizer);
    return {
      reason: 'Finalizer',
      message: `the finalizer ${finalizer} holds it${known ? `: ${known}` : ''}`,
      ...(manager
        ? {
            evidence: [
              `the field manager ${manager.manager ?? 'unknown'} set it${manager.time ? ` at ${manager.time}` : ''}`,
            ],
          }
        : {}),
      ...(known
        ? {}
        : {
            remedy: `see that the controller which owns ${finalizer} runs; only if it is gone for good, remove the finalizer`,
          }),
    };
  });
}

/** The manager that owns the finalizer in managedFields. */
function managerOf({ metadata }: ApiObject, finalizer: string): ManagedFieldsEntry | undefined {
  return metadata.managedFields?.find(({ fieldsV1 }) => {
    const meta = member(fieldsV1, 'f:metadata');
    return member(member(meta, 'f:finalizers'), `v:${JSON.stringify(finalizer)}`) !== undefined;
  });
}

const member = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
