/** The files of configMap, secret, downwardAPI and projected volumes, including bound service account tokens. */
import type {
  ConfigMap,
  DownwardAPIVolumeFile,
  KeyToPath,
  Secret,
  VolumeProjection,
} from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { fieldValue, resourceFieldValue } from '../environment/field-value.ts';
import type { PayloadFile } from './atomic-writer.ts';
import { trustBundleFile } from './cluster-trust-bundle.ts';
import { VolumeError, type VolumeRequest } from './volume.ts';

interface Collected {
  readonly files: Map<string, PayloadFile>;
  /** When a token must be renewed. */
  refreshAt: number | undefined;
}

const DEFAULT_MODE = 0o644;

interface ObjectFiles {
  readonly items: readonly KeyToPath[] | undefined;
  readonly mode: number;
  readonly optional: boolean;
}

export function configMapFiles(
  name: string,
  found: ConfigMap | undefined,
  options: ObjectFiles,
): Map<string, PayloadFile> {
  if (found === undefined) {
    if (options.optional) return new Map();
    throw new VolumeError(`configmap ${JSON.stringify(name)} not found`);
  }
  const data = new Map<string, Buffer>();
  for (const [key, text] of Object.entries(found.data ?? {})) data.set(key, Buffer.from(text));
  for (const [key, base64] of Object.entries(found.binaryData ?? {})) data.set(key, Buffer.from(base64, 'base64'));
  return pick(data, options, 'config');
}

export function secretFiles(name: string, found: Secret | undefined, options: ObjectFiles): Map<string, PayloadFile> {
  if (found === undefined) {
    if (options.optional) return new Map();
    throw new VolumeError(`secret ${JSON.stringify(name)} not found`);
  }
  const data = new Map(Object.entries(found.data ?? {}).map(([key, base64]) => [key, Buffer.from(base64, 'base64')]));
  return pick(data, options, 'secret');
}

function pick(
  data: ReadonlyMap<string, Buffer>,
  { items, mode, optional }: ObjectFiles,
  kind: 'config' | 'secret',
): Map<string, PayloadFile> {
  if (items === undefined || items.length === 0)
    return new Map(Array.from(data, ([key, bytes]) => [key, { data: bytes, mode }]));
  const files = new Map<string, PayloadFile>();
  for (const { key, path, mode: own } of items) {
    const bytes = data.get(key);
    if (bytes !== undefined) files.set(path, { data: bytes, mode: own ?? mode });
    else if (!optional) throw new VolumeError(`references non-existent ${kind} key: ${key}`);
  }
  return files;
}

export function downwardFiles(
  items: readonly DownwardAPIVolumeFile[] | undefined,
  request: VolumeRequest,
  mode: number,
): Map<string, PayloadFile> {
  const { pod, host } = request;
  const files = new Map<string, PayloadFile>();
  for (const item of items ?? []) {
    let text = '';
    if (item.fieldRef !== undefined) text = fieldValue(item.fieldRef.fieldPath, pod);
    else if (item.resourceFieldRef !== undefined) {
      const { containerName } = item.resourceFieldRef;
      const container = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find(
        ({ name }) => name === containerName,
      );
      if (container === undefined) throw new VolumeError(`container ${containerName} not found`);
      text = resourceFieldValue(item.resourceFieldRef, container, host.podFacts(pod));
    }
    files.set(item.path, { data: Buffer.from(text), mode: item.mode ?? mode });
  }
  return files;
}

export async function projectedFiles(
  sources: readonly VolumeProjection[],
  request: VolumeRequest,
  mode: number,
): Promise<Collected> {
  const collected: Collected = { files: new Map(), refreshAt: undefined };
  const problems: string[] = [];
  for (const source of sources) {
    try {
      for (const [name, file] of await sourceFiles(source, request, mode, collected)) collected.files.set(name, file);
    } catch (error) {
      problems.push(errorMessage(error));
    }
  }
  if (problems.length > 0)
    throw new VolumeError(problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`);
  return collected;
}

async function sourceFiles(
  source: VolumeProjection,
  request: VolumeRequest,
  mode: number,
  collected: Collected,
): Promise<Map<string, PayloadFile>> {
  const { pod, host } = request;
  const { uid = '', namespace = '' } = pod.metadata;
  if (source.configMap !== undefined) {
    const { name = '', items, optional = false } = source.configMap;
    return configMapFiles(name, await host.configMaps.get(uid, namespace, name), { items, mode, optional });
  }
  if (source.secret !== undefined) {
    const { name = '', items, optional = false } = source.secret;
    return secretFiles(name, await host.secrets.get(uid, namespace, name), { items, mode, optional });
  }
  if (source.downwardAPI !== undefined) return downwardFiles(source.downwardAPI.items, request, mode);
  if (source.serviceAccountToken !== undefined) {
    const { path, ...audience } = source.serviceAccountToken;
    const { token, refreshAt } = await host.tokens.token(pod, audience);
    collected.refreshAt = Math.min(collected.refreshAt ?? refreshAt, refreshAt);
    return new Map([[path, tokenFile(token, request, mode)]]);
  }
  if (source.clusterTrustBundle !== undefined) return trustBundleFile(source.clusterTrustBundle, request, mode);
  if (source.podCertificate !== undefined)
    throw new VolumeError('pod certificate projections are off: the feature gate PodCertificateRequest is not enabled');
  return new Map();
}

/** When all containers run as one user, that user owns the token file and others cannot read it. */
function tokenFile(token: string, { pod }: VolumeRequest, mode: number): PayloadFile {
  const ofPod = pod.spec?.securityContext;
  const users = new Set(
    [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(
      (container) => container.securityContext?.runAsUser ?? ofPod?.runAsUser,
    ),
  );
  const [uid] = users;
  const isOne = users.size === 1 && uid !== undefined;
  return {
    data: Buffer.from(token),
    mode: isOne || ofPod?.fsGroup !== undefined ? 0o600 : mode,
    ...(isOne ? { uid } : {}),
  };
}

export { DEFAULT_MODE };
