/** kubernetes.io/enforce-mountable-secrets: pods of the ServiceAccount may only use the Secrets that it lists. */
import type { Container, EphemeralContainer, PodSpec, ServiceAccount } from '../../../api/generated/core-v1.ts';
import { parseGoBool } from '../../../base/index.ts';

const ANNOTATION = 'kubernetes.io/enforce-mountable-secrets';

export const enforcesMountableSecrets = ({ metadata }: ServiceAccount): boolean =>
  parseGoBool(metadata.annotations?.[ANNOTATION] ?? '') === true;

/** Describes the first Secret that the pod may not use; undefined if there is none. */
export function forbiddenSecretReference(spec: PodSpec, account: ServiceAccount): string | undefined {
  const limit = mountableSecrets(account);
  for (const { secret } of spec.volumes ?? []) {
    if (secret && !limit.mountable.has(secret.secretName ?? ''))
      return `volume with secret.secretName="${secret.secretName ?? ''}" ${limit.notAllowed}`;
  }
  const inContainers =
    forbiddenInContainers('init container', spec.initContainers, limit) ??
    forbiddenInContainers('container', spec.containers, limit);
  if (inContainers) return inContainers;
  const pull = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  for (const [i, { name }] of (spec.imagePullSecrets ?? []).entries()) {
    if (!pull.has(name))
      return `imagePullSecrets[${i}].name="${name ?? ''}" is not allowed because service account ${account.metadata.name} does not reference that imagePullSecret`;
  }
  return undefined;
}

export const forbiddenEphemeralReference = (spec: PodSpec, account: ServiceAccount): string | undefined =>
  forbiddenInContainers('ephemeral container', spec.ephemeralContainers, mountableSecrets(account));

interface MountableSecrets {
  readonly mountable: ReadonlySet<string>;
  readonly notAllowed: string;
}

const mountableSecrets = ({ metadata, secrets }: ServiceAccount): MountableSecrets => ({
  mountable: new Set((secrets ?? []).map(({ name }) => name ?? '')),
  notAllowed: `is not allowed because service account ${metadata.name} does not reference that secret`,
});

function forbiddenInContainers(
  kind: string,
  containers: readonly (Container | EphemeralContainer)[] | undefined,
  { mountable, notAllowed }: MountableSecrets,
): string | undefined {
  for (const { name, env, envFrom } of containers ?? []) {
    for (const variable of env ?? []) {
      const secret = variable.valueFrom?.secretKeyRef;
      if (secret && !mountable.has(secret.name ?? ''))
        return `${kind} ${name} with envVar ${variable.name} referencing secret.secretName="${secret.name ?? ''}" ${notAllowed}`;
    }
    for (const { secretRef } of envFrom ?? []) {
      if (secretRef && !mountable.has(secretRef.name ?? ''))
        return `${kind} ${name} with envFrom referencing secret.secretName="${secretRef.name ?? ''}" ${notAllowed}`;
    }
  }
  return undefined;
}
