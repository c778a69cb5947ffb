/** PreBind of VolumeBinding: writes the plan, and waits until the volume binder and provisioners have bound all claims. */
import type { PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Handle } from '../../framework/handle.ts';
import { errorStatus, Status } from '../../framework/status.ts';
import { isFullyBound } from '../pod-claims.ts';
import { SELECTED_NODE } from './provisioning.ts';
import { claimedBy, provisionedOn, type VolumePlan } from './volume-plan.ts';

const POLL_MS = 100;

interface BindVolumesOptions {
  readonly pod: PodInfo;
  readonly nodeName: string;
  readonly plan: VolumePlan;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export async function bindVolumes(handle: Handle, options: BindVolumesOptions): Promise<Status | undefined> {
  const { plan, nodeName, signal, timeoutMs } = options;
  const { client, clock } = handle;
  for (const { claim, volume } of plan.bindings)
    await client.resource('v1/persistentvolumes').update(claimedBy(volume, claim), { signal });
  for (const { claim } of plan.provisions)
    await client.resource('v1/persistentvolumeclaims').update(provisionedOn(claim, nodeName), { signal });
  const end = clock.monotonic() + timeoutMs;
  for (;;) {
    const outcome = allBound(handle, options);
    if (outcome instanceof Status) return outcome;
    if (outcome) return undefined;
    if (clock.monotonic() >= end) return errorStatus(new Error('binding volumes: context deadline exceeded'));
    await clock.sleep(POLL_MS, signal);
  }
}

function allBound(handle: Handle, { plan, nodeName }: BindVolumesOptions): boolean | Status {
  const current = ({ metadata }: PersistentVolumeClaim): PersistentVolumeClaim | undefined =>
    handle.listers.get('v1/persistentvolumeclaims', `${metadata.namespace}/${metadata.name}`);
  for (const { claim } of plan.bindings) {
    const now = current(claim);
    if (now === undefined)
      return errorStatus(
        new Error(
          `binding volumes: could not find v1.PersistentVolumeClaim "${claim.metadata.namespace}/${claim.metadata.name}"`,
        ),
      );
    if (!isFullyBound(now)) return false;
  }
  for (const { claim } of plan.provisions) {
    const now = current(claim);
    if (now === undefined)
      return errorStatus(
        new Error(
          `binding volumes: could not find v1.PersistentVolumeClaim "${claim.metadata.namespace}/${claim.metadata.name}"`,
        ),
      );
    if (isFullyBound(now)) continue;
    // The provisioner removed the selected node, so the pod has to be scheduled again.
    if (
      now.metadata.resourceVersion !== claim.metadata.resourceVersion &&
      now.metadata.annotations?.[SELECTED_NODE] !== nodeName
    ) {
      return errorStatus(
        new Error(`binding volumes: provisioning failed for PVC ${JSON.stringify(claim.metadata.name)}`),
      );
    }
    return false;
  }
  return true;
}
