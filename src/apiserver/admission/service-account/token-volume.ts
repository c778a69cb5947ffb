/** The kube-api-access volume: a bound ServiceAccount token, the cluster's CA and the namespace, mounted where clients expect it. */
import type { PodSpec, Volume } from '../../../api/generated/core-v1.ts';
import type { Random } from '../../../kernel/index.ts';

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const NAME_PREFIX = 'kube-api-access-';

/** An hour and seven seconds: TokenRequest extends the tokens that have exactly this expiration. */
const EXPIRATION_SECONDS = 3607;
const READABLE_BY_ALL = 0o644;

/** Returns the volume's name if it was mounted into a container. */
export function mountToken(spec: PodSpec, random: Random): string | undefined {
  const existing = (spec.volumes ?? []).find((volume) => volume.name.startsWith(NAME_PREFIX));
  const name = existing?.name ?? unusedName(spec, random);
  let isMounted = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === MOUNT_PATH)) continue;
    (container.volumeMounts ??= []).push({ name, readOnly: true, mountPath: MOUNT_PATH });
    isMounted = true;
  }
  if (isMounted && !existing) (spec.volumes ??= []).push(tokenVolume(name));
  return isMounted ? name : undefined;
}

function unusedName(spec: PodSpec, random: Random): string {
  const usedNames = new Set((spec.volumes ?? []).map((volume) => volume.name));
  for (;;) {
    const name = NAME_PREFIX + random.nameSuffix();
    if (!usedNames.has(name)) return name;
  }
}

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: EXPIRATION_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: READABLE_BY_ALL,
  },
});
