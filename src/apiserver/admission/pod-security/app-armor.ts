import { containersWhere, joinQuoted, plural, settersText, type CheckPod } from './check.ts';

/** Baseline check of Pod Security: AppArmor profiles. */
const ANNOTATION_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';

const isAllowed = (type: string): boolean => type === 'RuntimeDefault' || type === 'Localhost';

const isAllowedAnnotation = (profile: string): boolean =>
  profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');

/** A pod may use RuntimeDefault or a Localhost profile, but not Unconfined. */
export const appArmorProfile: CheckPod = (spec, metadata) => {
  const badTypes = new Set<string>();
  const isBad = (type: string | undefined): boolean => {
    if (type === undefined || isAllowed(type)) return false;
    badTypes.add(type);
    return true;
  };
  const podIsBad = isBad(spec.securityContext?.appArmorProfile?.type);
  const setters = settersText(
    podIsBad,
    containersWhere(spec, ({ securityContext }) => isBad(securityContext?.appArmorProfile?.type)),
  );
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(ANNOTATION_PREFIX) && !isAllowedAnnotation(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  if (setters === '' && annotations.length === 0) return undefined;
  const values = [...[...badTypes].sort(), ...annotations];
  const all = [
    ...(setters === '' ? [] : [setters]),
    ...(annotations.length > 0 ? [plural('annotation', 'annotations', annotations.length)] : []),
  ];
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', values.length),
    detail: `${all.join(' and ')} must not set AppArmor profile type to ${joinQuoted(values)}`,
  };
};
