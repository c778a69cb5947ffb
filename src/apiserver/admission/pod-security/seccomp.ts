import type { PodSpec } from '../../../api/generated/core-v1.ts';
import { ownValue } from '../../../base/index.ts';
import { allContainers } from '../../../component-helpers/index.ts';
import {
  containersText,
  containersWhere,
  joinQuoted,
  plural,
  settersText,
  type CheckPod,
  type Violation,
} from './check.ts';

/** Pod Security checks of seccomp profiles, for the baseline and the restricted level. */
const POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
const CONTAINER_ANNOTATION = 'container.seccomp.security.alpha.kubernetes.io/';
const REASON = 'seccompProfile';

const isAllowed = (type: string): boolean => type === 'RuntimeDefault' || type === 'Localhost';

const isAllowedAnnotation = (value: string): boolean =>
  value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');

/** Before v1.19, annotations selected the profile. */
export const seccompAnnotations: CheckPod = (spec, { annotations = {} }) => {
  const keys = [POD_ANNOTATION, ...allContainers(spec).map(({ name }) => CONTAINER_ANNOTATION + name)];
  const bad = keys.flatMap((key) => {
    const value = ownValue(annotations, key);
    return value === undefined || isAllowedAnnotation(value) ? [] : [`${key}=${JSON.stringify(value)}`];
  });
  if (bad.length === 0) return undefined;
  return {
    reason: REASON,
    detail: `forbidden ${plural('annotation', 'annotations', bad.length)} ${bad.sort().join(', ')}`,
  };
};

/** Baseline: the profile may not be Unconfined. */
export const seccompProfile: CheckPod = (spec) => badProfiles(spec);

/** Restricted: every container must have a profile, its own or the pod's. */
export const seccompProfileRequired: CheckPod = (spec) => {
  const bad = badProfiles(spec);
  if (bad || spec.securityContext?.seccompProfile) return bad;
  const without = containersWhere(spec, ({ securityContext }) => !securityContext?.seccompProfile);
  if (without.length === 0) return undefined;
  return {
    reason: REASON,
    detail: `pod or ${containersText(without)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

function badProfiles(spec: PodSpec): Violation | undefined {
  const badTypes = new Set<string>();
  const isBad = (type: string | undefined): boolean => {
    if (type === undefined || isAllowed(type)) return false;
    badTypes.add(type);
    return true;
  };
  const podIsBad = isBad(spec.securityContext?.seccompProfile?.type);
  const setters = settersText(
    podIsBad,
    containersWhere(spec, ({ securityContext }) => isBad(securityContext?.seccompProfile?.type)),
  );
  return setters === ''
    ? undefined
    : {
        reason: REASON,
        detail: `${setters} must not set securityContext.seccompProfile.type to ${joinQuoted([...badTypes].sort())}`,
      };
}
