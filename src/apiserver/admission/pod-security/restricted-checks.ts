/** Pod Security checks of the restricted level, on top of those of the baseline level. */
import type { PodSpec, Volume } from '../../../api/generated/core-v1.ts';
import { procMount } from './baseline-checks.ts';
import {
  containersText,
  containersWhere,
  hasUserNamespace,
  joinQuoted,
  plural,
  settersText,
  type Check,
  type CheckPod,
} from './check.ts';
import { seccompProfileRequired } from './seccomp.ts';

const allowPrivilegeEscalation: CheckPod = (spec) => {
  const containers = containersWhere(
    spec,
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  );
  if (containers.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(containers)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const capabilities: CheckPod = (spec) => {
  const details: string[] = [];
  const keeping = containersWhere(spec, ({ securityContext }) => !securityContext?.capabilities?.drop?.includes('ALL'));
  if (keeping.length > 0) details.push(`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  const added = new Set<string>();
  const adding = containersWhere(spec, ({ securityContext }) => {
    const bad = (securityContext?.capabilities?.add ?? []).filter((name) => name !== 'NET_BIND_SERVICE');
    for (const name of bad) added.add(name);
    return bad.length > 0;
  });
  if (adding.length > 0)
    details.push(
      `${containersText(adding)} must not include ${joinQuoted([...added].sort())} in securityContext.capabilities.add`,
    );
  return details.length > 0 ? { reason: 'unrestricted capabilities', detail: details.join('; ') } : undefined;
};

const ALLOWED_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const;
const KNOWN_VOLUMES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'portworxVolume',
  'photonPersistentDisk',
  'scaleIO',
  'storageos',
] as const;

const restrictedVolumes: CheckPod = (spec) => {
  const bad = (spec.volumes ?? []).filter((volume) => !ALLOWED_VOLUMES.some((type) => volume[type]));
  if (bad.length === 0) return undefined;
  const types = [...new Set(bad.map(typeOf))].sort();
  const names = joinQuoted(bad.map(({ name }) => name));
  return {
    reason: 'restricted volume types',
    detail: `${plural('volume', 'volumes', bad.length)} ${names} ${plural('uses', 'use', bad.length)} ${plural('restricted volume type', 'restricted volume types', types.length)} ${joinQuoted(types)}`,
  };
};

const typeOf = (volume: Volume): string => KNOWN_VOLUMES.find((type) => volume[type]) ?? 'unknown';

const runAsNonRoot: CheckPod = (spec) => {
  const podLevel = spec.securityContext?.runAsNonRoot;
  const setters = settersText(
    podLevel === false,
    containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false),
  );
  const reason = 'runAsNonRoot != true';
  if (setters !== '') return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (podLevel) return undefined;
  const without = containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  return without.length > 0
    ? { reason, detail: `pod or ${containersText(without)} must set securityContext.runAsNonRoot=true` }
    : undefined;
};

const runAsUser: CheckPod = (spec) => {
  const setters = settersText(
    spec.securityContext?.runAsUser === 0,
    containersWhere(spec, ({ securityContext }) => securityContext?.runAsUser === 0),
  );
  return setters === '' ? undefined : { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
};

const unless =
  (isExempt: (spec: PodSpec) => boolean, check: CheckPod): CheckPod =>
  (spec, metadata) =>
    isExempt(spec) ? undefined : check(spec, metadata);

/** Linux-only checks do not apply to Windows pods. */
const isWindows = ({ os }: PodSpec): boolean => os?.name === 'windows';

/** Violations are reported in this order. */
export const RESTRICTED_CHECKS: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    versions: [
      { since: 8, check: allowPrivilegeEscalation },
      { since: 25, check: unless(isWindows, allowPrivilegeEscalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    versions: [
      { since: 22, check: capabilities, overrides: ['capabilities_baseline'] },
      { since: 25, check: unless(isWindows, capabilities), overrides: ['capabilities_baseline'] },
    ],
  },
  { id: 'procMount_restricted', versions: [{ since: 35, check: procMount }] },
  { id: 'restrictedVolumes', versions: [{ since: 0, check: restrictedVolumes, overrides: ['hostPathVolumes'] }] },
  {
    id: 'runAsNonRoot',
    versions: [
      { since: 0, check: runAsNonRoot },
      { since: 35, check: unless(hasUserNamespace, runAsNonRoot) },
    ],
  },
  {
    id: 'runAsUser',
    versions: [
      { since: 23, check: runAsUser },
      { since: 35, check: unless(hasUserNamespace, runAsUser) },
    ],
  },
  {
    id: 'seccompProfile_restricted',
    versions: [
      { since: 19, check: seccompProfileRequired, overrides: ['seccompProfile_baseline'] },
      { since: 25, check: unless(isWindows, seccompProfileRequired), overrides: ['seccompProfile_baseline'] },
    ],
  },
];
