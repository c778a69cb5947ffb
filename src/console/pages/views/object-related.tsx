/** What an object owns, uses and is used by. */
import { useEffect, useState } from 'preact/hooks';
import type { ApiObject, ObjectList, OwnerReference, PodObject } from '../api/objects.ts';
import { api } from '../api/request.ts';
import { findType, pathOf, typeOfKind, type ResourceType } from '../api/resources.ts';
import { Card } from '../parts/basics.tsx';
import { T } from '../texts.ts';
import { RelatedGraph } from './related-graph.tsx';
import { idOf, type RelatedObject } from './related-object.ts';
import type { TabProps } from './tab-props.ts';

/** Which kinds may be owned by which. */
const OWNED: Readonly<Record<string, readonly string[]>> = {
  'deployments.apps': ['replicasets.apps'],
  'replicasets.apps': ['pods'],
  'statefulsets.apps': ['pods', 'persistentvolumeclaims'],
  'daemonsets.apps': ['pods'],
  replicationcontrollers: ['pods'],
  'cronjobs.batch': ['jobs.batch'],
  'jobs.batch': ['pods'],
  services: ['endpointslices.discovery.k8s.io'],
};

interface PartialList {
  readonly items: readonly {
    readonly metadata: {
      readonly name: string;
      readonly namespace?: string;
      readonly uid?: string;
      readonly ownerReferences?: readonly OwnerReference[];
    };
  }[];
}

const ACCEPT = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';

/** Two levels deep: a Deployment's ReplicaSets and their pods. */
export async function ownedBy(
  type: ResourceType,
  object: ApiObject,
  { of, depth = 2 }: { of?: string; depth?: number } = {},
): Promise<RelatedObject[]> {
  const kinds = (Object.hasOwn(OWNED, type.key) ? OWNED[type.key]! : []).flatMap((key) => findType(key) ?? []);
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const list = await api<PartialList>(pathOf(kind, { namespace: object.metadata.namespace }), {
        accept: ACCEPT,
      }).catch((): PartialList => ({ items: [] }));
      const owned = list.items.filter(({ metadata }) =>
        metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid),
      );
      const below =
        depth > 1
          ? await Promise.all(
              owned.map((each) => {
                const { name, namespace = '' } = each.metadata;
                return ownedBy(kind, each as ApiObject, {
                  depth: depth - 1,
                  of: idOf({ type: kind, name, namespace }),
                });
              }),
            )
          : [];
      return [
        ...owned.map(({ metadata }) => ({
          relation: 'owns',
          type: kind,
          name: metadata.name,
          namespace: metadata.namespace ?? '',
          ...(of === undefined ? {} : { of }),
        })),
        ...below.flat(),
      ];
    }),
  );
  return found.flat();
}

async function relatedTo(type: ResourceType, object: ApiObject): Promise<RelatedObject[]> {
  const { namespace = '', ownerReferences = [] } = object.metadata;
  const owners = await ownersOf(ownerReferences, namespace);
  const named = (relation: string, key: string, name: string | undefined, within = namespace): RelatedObject[] => {
    const of = findType(key);
    return of && name ? [{ relation, type: of, name, namespace: of.namespaced ? within : '' }] : [];
  };
  const uses: RelatedObject[] = [];
  if (type.key === 'pods') {
    const { spec } = object as PodObject;
    uses.push(
      ...named('runs on', 'nodes', spec?.nodeName),
      ...named('acts as', 'serviceaccounts', spec?.serviceAccountName),
    );
    for (const volume of spec?.volumes ?? [])
      uses.push(
        ...named('mounts', 'configmaps', volume['configMap']?.name),
        ...named('mounts', 'secrets', volume['secret']?.secretName),
        ...named('mounts', 'persistentvolumeclaims', volume['persistentVolumeClaim']?.claimName),
      );
    uses.push(...(await servicesOf(object)));
  }
  if (type.key === 'persistentvolumeclaims')
    uses.push(...named('bound to', 'persistentvolumes', text(object.spec?.['volumeName'])));
  if (type.key === 'persistentvolumes') {
    const claim = object.spec?.['claimRef'] as { name?: string; namespace?: string } | undefined;
    uses.push(...named('bound to', 'persistentvolumeclaims', claim?.name, claim?.namespace));
  }
  if (type.key === 'horizontalpodautoscalers.autoscaling') {
    const target = object.spec?.['scaleTargetRef'] as Partial<OwnerReference> | undefined;
    uses.push(...named('scales', typeOfKind(target?.kind ?? '', target?.apiVersion)?.key ?? '', target?.name));
  }
  if (type.key === 'ingresses.networking.k8s.io')
    for (const name of servicesOfIngress(object)) uses.push(...named('routes to', 'services', name));
  if (type.key === 'services') {
    const selector = Object.entries((object.spec?.['selector'] ?? {}) as Record<string, string>);
    const labelSelector = selector.map(([key, value]) => `${key}=${value}`).join(',');
    if (selector.length > 0) uses.push(...(await podsBy({ labelSelector }, 'selects', namespace)));
  }
  if (type.key === 'nodes')
    uses.push(...(await podsBy({ fieldSelector: `spec.nodeName=${object.metadata.name}` }, 'runs', '')));
  return [...owners, ...uses, ...(await ownedBy(type, object))];
}

/** Owners and their owners: a pod's ReplicaSet and its Deployment. */
async function ownersOf(
  references: readonly OwnerReference[],
  namespace: string,
  { of, depth = 3 }: { of?: string; depth?: number } = {},
): Promise<RelatedObject[]> {
  const found = await Promise.all(
    references.map(async ({ kind, apiVersion, name }): Promise<RelatedObject[]> => {
      const type = typeOfKind(kind, apiVersion);
      if (!type) return [];
      const within = type.namespaced ? namespace : '';
      const owner: RelatedObject = { relation: 'owned by', type, name, namespace: within, ...(of ? { of } : {}) };
      if (depth <= 1) return [owner];
      const read = await api<ApiObject>(pathOf(type, { namespace: within, name })).catch(() => undefined);
      const above = read?.metadata.ownerReferences ?? [];
      return [owner, ...(await ownersOf(above, namespace, { of: idOf(owner), depth: depth - 1 }))];
    }),
  );
  return found.flat();
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

async function servicesOf(pod: ApiObject): Promise<RelatedObject[]> {
  const type = findType('services')!;
  const list = await api<ObjectList>(pathOf(type, { namespace: pod.metadata.namespace })).catch((): ObjectList => ({
    items: [],
  }));
  const labels = new Map(Object.entries(pod.metadata.labels ?? {}));
  return list.items
    .filter(({ spec }) => {
      const selector = Object.entries((spec?.['selector'] ?? {}) as Record<string, string>);
      return selector.length > 0 && selector.every(([key, value]) => labels.get(key) === value);
    })
    .map(({ metadata }) => ({
      relation: 'selected by',
      type,
      name: metadata.name,
      namespace: metadata.namespace ?? '',
    }));
}

interface IngressBackend {
  readonly service?: { readonly name?: string };
}

function servicesOfIngress({ spec }: ApiObject): Set<string> {
  const rules = (spec?.['rules'] ?? []) as readonly {
    readonly http?: { readonly paths?: readonly { readonly backend?: IngressBackend }[] };
  }[];
  const backends = [
    spec?.['defaultBackend'] as IngressBackend | undefined,
    ...rules.flatMap(({ http }) => http?.paths?.map(({ backend }) => backend) ?? []),
  ];
  return new Set(backends.flatMap((backend) => backend?.service?.name ?? []));
}

async function podsBy(
  selector: Readonly<Record<string, string>>,
  relation: string,
  namespace: string,
): Promise<RelatedObject[]> {
  const type = findType('pods')!;
  const query = new URLSearchParams({ ...selector, limit: '200' });
  const list = await api<PartialList>(`${pathOf(type, { namespace })}?${query.toString()}`, { accept: ACCEPT }).catch(
    (): PartialList => ({ items: [] }),
  );
  return list.items.map(({ metadata }) => ({
    relation,
    type,
    name: metadata.name,
    namespace: metadata.namespace ?? '',
  }));
}

export function Related({ type, object }: TabProps) {
  const [related, setRelated] = useState<readonly RelatedObject[]>();
  useEffect(() => {
    relatedTo(type, object).then(setRelated, () => setRelated([]));
  }, [object.metadata.uid, object.metadata.resourceVersion]);
  const { name, namespace = '' } = object.metadata;
  return (
    <Card title={T.object.related} wide>
      {related === undefined && <p class="dim">{T.state.loading}</p>}
      {related?.length === 0 && <p class="dim">{T.object.noRelated}</p>}
      {related && related.length > 0 && <RelatedGraph self={{ type, name, namespace }} related={related} />}
    </Card>
  );
}
