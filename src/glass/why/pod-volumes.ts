/** Volumes that keep a pod from starting: claims that are not bound, ConfigMaps and Secrets that do not exist. */
import type { Pod, Volume } from '../../api/generated/core-v1.ts';
import type { Cause } from '../answers.ts';
import { explainPersistentVolumeClaim } from './persistent-volume-claim.ts';
import type { Reader } from './reader.ts';

export async function volumeCauses(reader: Reader, pod: Pod): Promise<Cause[]> {
  const causes: Cause[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    const cause = (await claimCause(reader, pod, volume)) ?? (await sourceCause(reader, pod, volume));
    if (cause) causes.push(cause);
  }
  return causes;
}

async function claimCause(reader: Reader, { metadata }: Pod, volume: Volume): Promise<Cause | undefined> {
  const name =
    volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? `${metadata.name}-${volume.name}` : undefined);
  if (name === undefined) return undefined;
  const namespace = metadata.namespace ?? '';
  const { object: claim, known } = await reader.get('v1/persistentvolumeclaims', { namespace, name });
  if (!known || claim?.status?.phase === 'Bound') return undefined;
  if (!claim)
    return {
      reason: 'ClaimNotFound',
      message: `the volume ${volume.name} needs the PersistentVolumeClaim ${name}, which does not exist`,
      remedy: `create the PersistentVolumeClaim ${name} in namespace ${namespace}`,
    };
  return {
    reason: 'ClaimNotBound',
    message: `the volume ${volume.name} needs the PersistentVolumeClaim ${name}, which is ${claim.status?.phase ?? 'Pending'}`,
    because: await reader.because(`persistentvolumeclaims/${namespace}/${name}`, () =>
      explainPersistentVolumeClaim(reader, claim),
    ),
  };
}

interface Source {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
}

/** A ConfigMap or Secret that the volume cannot do without. */
async function sourceCause(reader: Reader, { metadata }: Pod, volume: Volume): Promise<Cause | undefined> {
  const needed: { resource: 'v1/configmaps' | 'v1/secrets'; source: Source | undefined }[] = [
    { resource: 'v1/configmaps', source: volume.configMap },
    {
      resource: 'v1/secrets',
      source: volume.secret && { name: volume.secret.secretName, optional: volume.secret.optional },
    },
    ...(volume.projected?.sources ?? []).flatMap(({ configMap, secret }) => [
      { resource: 'v1/configmaps' as const, source: configMap },
      { resource: 'v1/secrets' as const, source: secret },
    ]),
  ];
  for (const { resource, source } of needed) {
    if (!source?.name || source.optional) continue;
    const { object, known } = await reader.get(resource, { namespace: metadata.namespace ?? '', name: source.name });
    if (object || !known) continue;
    const kind = resource === 'v1/secrets' ? 'Secret' : 'ConfigMap';
    return {
      reason: 'FailedMount',
      message: `the volume ${volume.name} needs the ${kind} ${source.name}, which does not exist`,
      remedy: `create the ${kind} ${source.name} in namespace ${metadata.namespace}, or make the volume optional`,
    };
  }
  return undefined;
}
