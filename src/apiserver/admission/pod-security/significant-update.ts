/** Whether PodSecurity evaluates an update of a pod: only changes of images, containers or seccomp annotations count. */
import { ownValue } from '../../../base/index.ts';
import { specOf, type PodObject } from '../request-objects.ts';
import type { AnyContainer } from './check.ts';

const POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER_ANNOTATION = 'container.seccomp.security.alpha.kubernetes.io/';

export function isSignificantUpdate(pod: PodObject, old: PodObject): boolean {
  const annotationChanged = (key: string): boolean =>
    ownValue(pod.metadata.annotations, key) !== ownValue(old.metadata.annotations, key);
  const changed = (container: AnyContainer, before: AnyContainer | undefined): boolean =>
    container.image !== before?.image || annotationChanged(CONTAINER_ANNOTATION + container.name);
  const [spec, oldSpec] = [specOf(pod), specOf(old)];
  if (annotationChanged(POD_ANNOTATION)) return true;
  for (const part of ['containers', 'initContainers'] as const) {
    const [now, before] = [spec[part] ?? [], oldSpec[part] ?? []];
    if (now.length !== before.length || now.some((container, i) => changed(container, before[i]))) return true;
  }
  return (spec.ephemeralContainers ?? []).some((container) => {
    const before = oldSpec.ephemeralContainers?.find(({ name }) => name === container.name);
    return !before || changed(container, before);
  });
}
