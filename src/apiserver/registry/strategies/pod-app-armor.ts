/** AppArmor profiles were annotations before they were fields: both are kept in sync. */
import type { AppArmorProfile, Pod } from '../../../api/generated/core-v1.ts';
import { deepEqual, ownValue } from '../../../base/index.ts';
import { allContainers } from '../../../component-helpers/index.ts';

const ANNOTATION_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';

export function reconcileAppArmor(pod: Pod, warn: (text: string) => void): void {
  const spec = pod.spec;
  if (!spec || spec.os?.name === 'windows') return;
  const podProfile = spec.securityContext?.appArmorProfile;
  for (const container of allContainers(spec)) {
    const key = ANNOTATION_PREFIX + container.name;
    const annotation = ownValue(pod.metadata.annotations, key);
    const profile = container.securityContext?.appArmorProfile;
    if (annotation !== undefined && !profile) {
      warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
      const field = profileOf(annotation);
      if (field && !deepEqual(field, podProfile)) (container.securityContext ??= {}).appArmorProfile = field;
    }
  }
}

function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const local = /^localhost\/(.+)$/.exec(annotation);
  return local ? { type: 'Localhost', localhostProfile: local[1]! } : undefined;
}
