/** The CEL variables `request` and `namespaceObject`. */
import type { KubeObject } from '../../../machinery/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { namespaceObject, namespaceOf } from '../request-matching.ts';
import type { MatchedVersion } from '../versioned-objects.ts';

export function requestVariable(attributes: AdmissionAttributes, matched: MatchedVersion): Record<string, unknown> {
  const { served, kind, subresource, user, name, operation, dryRun, options } = attributes;
  const namespace = namespaceOf(attributes);
  const groupVersionKind = (of: MatchedVersion['kind']): Record<string, string> => ({
    group: of.group,
    version: of.version,
    kind: of.kind,
  });
  const groupVersionResource = (of: MatchedVersion['resource']): Record<string, string> => ({
    group: of.group,
    version: of.version,
    resource: of.plural,
  });
  return {
    kind: groupVersionKind(matched.kind),
    resource: groupVersionResource(matched.resource),
    ...(subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource }),
    requestKind: groupVersionKind(kind),
    requestResource: groupVersionResource(served),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.groups.length > 0 ? { groups: user.groups } : {}),
      ...(user.extra && Object.keys(user.extra).length > 0 ? { extra: user.extra } : {}),
    },
    dryRun,
    options: options ?? null,
  };
}

const NAMESPACE_METADATA_FIELDS = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
] as const;

/** The namespace of the request, with the fields that expressions may use; null for cluster-scoped objects and Namespaces. */
export async function namespaceVariable(attributes: AdmissionAttributes): Promise<Record<string, unknown> | null> {
  const { kind } = attributes;
  const isNamespace = kind.kind === 'Namespace' && kind.group === '';
  const name = isNamespace ? '' : namespaceOf(attributes);
  if (name === '') return null;
  const found: KubeObject = await namespaceObject(attributes.registry, name);
  const metadata = Object.fromEntries(
    NAMESPACE_METADATA_FIELDS.filter((field) => found.metadata[field] !== undefined).map((field) => [
      field,
      found.metadata[field],
    ]),
  );
  return { metadata, spec: found['spec'] ?? {}, status: found['status'] ?? {} };
}
