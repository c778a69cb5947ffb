/** The volume through which a pod finds its token, the cluster's CA and its namespace, mounted where clients look for them. */
import type { PodSpec, Volume } from '../../../api/generated/core-v1.ts';
import type { Random } from '../../../kernel/index.ts';

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const NAME_PREFIX = 'kube-api-access-';

/** Seven seconds more than an hour: kubelets refresh the token before clients that keep it for an hour see it expire. */
const EXPIRATION_SECONDS = 3607;
const READABLE_BY_ALL = 0o644;

export function mountToken(spec: PodSpec, random: Random): void {
  const existing = (spec.volumes ?? []).find((volume) => volume.name.startsWith(NAME_PREFIX));
  const name = existing?.name ?? unusedName(spec, random);
  let needed = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === MOUNT_PATH)) continue;
    (container.volumeMounts ??= []).push({ name, readOnly: true, mountPath: MOUNT_PATH });
    needed = true;
  }
  if (needed && !existing) (spec.volumes ??= []).push(tokenVolume(name));
}

function unusedName(spec: PodSpec, random: Random): string {
  const taken = new Set((spec.volumes ?? []).map((volume) => volume.name));
  for (;;) {
    const name = NAME_PREFIX + random.nameSuffix();
    if (!taken.has(name)) return name;
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
