/** Which kinds the cluster serves, from aggregated discovery. */
import { signal } from '@preact/signals';
import { api, messageOf } from './request.ts';

export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  readonly shortNames: readonly string[];
  readonly subresources: ReadonlySet<string>;
  /** `pods`, `deployments.apps` */
  readonly key: string;
}

interface DiscoveryList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind: string };
        readonly scope: string;
        readonly verbs: readonly string[];
        readonly shortNames?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

export const resourceTypes = signal<readonly ResourceType[]>([]);
export const discoveryError = signal<string | undefined>(undefined);

const ACCEPT =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,' +
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';

export async function loadResourceTypes(): Promise<void> {
  try {
    const lists = await Promise.all(['/api', '/apis'].map((path) => api<DiscoveryList>(path, { accept: ACCEPT })));
    const found = new Map<string, ResourceType>();
    for (const { metadata, versions } of lists.flatMap(({ items }) => items)) {
      const group = metadata.name ?? '';
      // The first version is the preferred one; later ones add what only they have.
      for (const { version, resources = [] } of versions) {
        for (const { resource, responseKind, scope, verbs, shortNames = [], subresources = [] } of resources) {
          const key = group === '' ? resource : `${resource}.${group}`;
          if (found.has(key)) continue;
          found.set(key, {
            group,
            version,
            resource,
            kind: responseKind?.kind ?? resource,
            namespaced: scope === 'Namespaced',
            verbs: new Set(verbs),
            shortNames,
            subresources: new Set(subresources.map(({ subresource }) => subresource)),
            key,
          });
        }
      }
    }
    resourceTypes.value = [...found.values()];
    discoveryError.value = undefined;
  } catch (error) {
    discoveryError.value = messageOf(error);
  }
}

export const findType = (key: string): ResourceType | undefined => resourceTypes.value.find((type) => type.key === key);

export function typeOfKind(kind: string, apiVersion = ''): ResourceType | undefined {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const ofKind = resourceTypes.value.filter((type) => type.kind === kind && type.verbs.has('get'));
  return ofKind.find((type) => type.group === group) ?? (apiVersion === '' ? ofKind[0] : undefined);
}

interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string;
}

export function pathOf(
  { group, version, resource, namespaced }: ResourceType,
  { namespace, name }: Place = {},
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${resource}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

export const apiVersionOf = ({ group, version }: ResourceType): string =>
  group === '' ? version : `${group}/${version}`;

/** Selects one object. Names of roles may have characters that mean something in a selector. */
export const nameSelector = (name: string): string => `metadata.name=${name.replaceAll(/[\\,=]/g, String.raw`\$&`)}`;
