/** Applies manifests as `kubectl apply --server-side` does, sorted so that dependencies come first. */
import { parseAllDocuments } from 'yaml';
import type { ApiObject, Client, ResourceFinder, UntypedObject } from '../client/index.ts';

export interface ApplyOptions {
  /** The namespace of objects that name none; default `default`. */
  readonly namespace?: string;
  readonly fieldManager?: string;
}

/** A typed object, or any plain one of a built-in or custom kind. */
export type Manifest = ApiObject | UntypedObject;

/** YAML documents or objects. */
export type Manifests = string | Manifest | readonly (string | Manifest)[];

/** Kinds that others depend on come first. */
const FIRST = [
  'Namespace',
  'CustomResourceDefinition',
  'StorageClass',
  'PriorityClass',
  'ServiceAccount',
  'Secret',
  'ConfigMap',
];

export async function applyManifests(
  client: Client,
  finder: ResourceFinder,
  manifests: Manifests,
  options: ApplyOptions = {},
): Promise<ApiObject[]> {
  const objects = (Array.isArray(manifests) ? manifests : [manifests]).flatMap((manifest: string | Manifest) =>
    typeof manifest === 'string' ? parseManifests(manifest) : [checked(manifest)],
  );
  const rank = ({ kind = '' }: ApiObject): number => (FIRST.includes(kind) ? FIRST.indexOf(kind) : FIRST.length);
  const applied: ApiObject[] = [];
  for (const object of objects.toSorted((a, b) => rank(a) - rank(b))) {
    const resource = await finder.byManifest(object);
    const namespace = resource.namespaced ? (object.metadata?.namespace ?? options.namespace ?? 'default') : undefined;
    const complete = { ...object, metadata: { ...object.metadata, ...(namespace === undefined ? {} : { namespace }) } };
    const result = await client
      .resource(resource)
      .apply(complete, { fieldManager: options.fieldManager ?? 'k8ts', force: true });
    if (result.kind === 'CustomResourceDefinition') await established(client, finder, result);
    applied.push(result);
  }
  return applied;
}

function checked(manifest: Manifest): ApiObject {
  if (typeof manifest['kind' as keyof Manifest] === 'string') return manifest as ApiObject;
  throw new Error('a manifest must be an object with apiVersion, kind and metadata');
}

function parseManifests(text: string): ApiObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw error;
    const value: unknown = document.toJS();
    if (value === null || value === undefined) return [];
    if (typeof value !== 'object' || !('kind' in value))
      throw new Error('a manifest must be an object with apiVersion, kind and metadata');
    return value.kind === 'List' && 'items' in value ? (value.items as ApiObject[]) : [value as ApiObject];
  });
}

const LOOKS = 500;
const BETWEEN_MS = 10;

/** Waits until a CRD is established, so that its objects can follow. */
async function established(client: Client, finder: ResourceFinder, definition: ApiObject): Promise<void> {
  const resource = await finder.byManifest(definition);
  for (let look = 0; look < LOOKS; look++) {
    const { status } = (await client.resource(resource).get({ name: definition.metadata.name ?? '' })) as ApiObject & {
      status?: { conditions?: { type: string; status: string }[] };
    };
    if (status?.conditions?.some(({ type, status: holds }) => type === 'Established' && holds === 'True')) return;
    await client.clock.sleep(BETWEEN_MS);
  }
  throw new Error(`the definition ${definition.metadata.name ?? ''} was not established`);
}
