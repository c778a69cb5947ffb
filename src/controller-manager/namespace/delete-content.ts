/** Deletes the content of a namespace: pods first, then all other namespaced resources. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import {
  apiVersionOf,
  discover,
  isNotFound,
  type ApiObject,
  type Client,
  type DiscoveredResource,
} from '../../client/index.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import { preferredResources } from '../discovered-resources.ts';
import type { DeletionProgress } from './deletion-conditions.ts';

/** The estimate for objects with finalizers, in seconds. */
const FINALIZER_ESTIMATE_SECONDS = 15;

interface ContentDeletion {
  readonly progress: DeletionProgress;
  /** The estimated time until the content is gone, in seconds; 0 when it is. */
  readonly estimateSeconds: number;
  readonly errors: readonly unknown[];
}

interface Remaining {
  readonly objects: readonly ApiObject[];
  readonly estimateSeconds: number;
  readonly error?: unknown;
}

const NOTHING: Remaining = { objects: [], estimateSeconds: 0 };

interface DeleteContentOptions {
  readonly client: Client;
  readonly namespace: string;
  /** How long ago the namespace was deleted. */
  readonly sinceSeconds: number;
  readonly signal: AbortSignal;
}

export async function deleteContent(options: DeleteContentOptions): Promise<ContentDeletion> {
  const { resources, unavailable } = await discover(options.client, options.signal);
  const deletable = preferredResources(resources).filter(
    (resource) => resource.namespaced && resource.verbs.includes('delete'),
  );
  const discoveryFailure =
    unavailable.length === 0
      ? undefined
      : `Discovery failed for some groups, ${unavailable.length} failing: unable to retrieve the complete list of server APIs: ${unavailable.map((v) => `${v}: stale GroupVersion discovery: ${v}`).join(', ')}`;

  const pods = deletable.find(isPods);
  const first = pods ? await emptyResource(options, pods) : NOTHING;
  if (first.objects.length > 0 || first.error !== undefined) {
    // As upstream, other resources are deleted when the pods are gone.
    const contentFailures = first.error === undefined ? [] : [errorMessage(first.error)];
    const progress = {
      discoveryFailure,
      contentFailures,
      remaining: new Map<string, number>(),
      finalizers: new Map<string, number>(),
    };
    return { progress, estimateSeconds: first.estimateSeconds, errors: first.error === undefined ? [] : [first.error] };
  }

  const others = deletable.filter((resource) => !isPods(resource));
  const left = await Promise.all(others.map((resource) => emptyResource(options, resource)));
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const [index, { objects }] of left.entries()) {
    const { plural, group } = others[index]!;
    if (objects.length > 0) remaining.set(`${plural}.${group}`, objects.length);
    for (const finalizer of objects.flatMap((object) => object.metadata.finalizers ?? []))
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  }
  const errors = left.flatMap((result) => (result.error === undefined ? [] : [result.error]));
  if (discoveryFailure !== undefined) errors.push(new Error(discoveryFailure));
  const contentFailures = left.flatMap((result) => (result.error === undefined ? [] : [errorMessage(result.error)]));
  return {
    progress: { discoveryFailure, contentFailures, remaining, finalizers },
    estimateSeconds: Math.max(0, ...left.map((r) => r.estimateSeconds)),
    errors,
  };
}

/** Deletes all objects of a resource, and returns those that remain. */
async function emptyResource(options: DeleteContentOptions, resource: DiscoveredResource): Promise<Remaining> {
  try {
    const before = await listObjects(options, resource);
    if (before.length === 0) return NOTHING;
    const grace = isPods(resource) ? graceOf(before as Pod[]) : 0;
    const estimate = options.sinceSeconds >= grace ? 0 : grace;
    await deleteObjects(options, resource, before);
    const objects = await listObjects(options, resource);
    if (objects.length === 0) return NOTHING;
    if (estimate > 0) return { objects, estimateSeconds: estimate };
    if (objects.some((object) => (object.metadata.finalizers ?? []).length > 0))
      return { objects, estimateSeconds: FINALIZER_ESTIMATE_SECONDS };
    const gvr = `${resource.group}/${resource.version}, Resource=${resource.plural}`;
    return {
      objects,
      estimateSeconds: 0,
      error: new Error(`unexpected items still remain in namespace: ${options.namespace} for gvr: ${gvr}`),
    };
  } catch (error) {
    // The resource was removed meanwhile, with its objects.
    return isNotFound(error) ? NOTHING : { objects: [], estimateSeconds: 0, error };
  }
}

async function listObjects(
  { client, namespace, signal }: DeleteContentOptions,
  resource: DiscoveredResource,
): Promise<ApiObject[]> {
  if (!resource.verbs.includes('list')) return [];
  // Pods are listed whole for their grace periods; metadata is enough for others.
  const objects = isPods(resource) ? client.resource<ApiObject>(resource) : client.metadata(resource);
  return (await objects.list({ namespace, signal })).items;
}

async function deleteObjects(
  { client, namespace, signal }: DeleteContentOptions,
  resource: DiscoveredResource,
  objects: readonly ApiObject[],
): Promise<void> {
  const collection = client.metadata(resource);
  if (resource.verbs.includes('deletecollection')) {
    try {
      await collection.deleteCollection({ namespace, signal, deleteOptions: { propagationPolicy: 'Background' } });
      return;
    } catch (error) {
      if (!isNotFound(error) && !isStatusError(error, 'MethodNotAllowed')) throw error;
    }
  }
  for (const { metadata } of objects) {
    await collection
      .delete({ namespace, name: metadata.name ?? '' }, { propagationPolicy: 'Background', signal })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}

const isPods = (resource: DiscoveredResource): boolean => apiVersionOf(resource) === 'v1' && resource.plural === 'pods';

/** The longest grace period of the remaining pods. */
function graceOf(pods: readonly Pod[]): number {
  const running = pods.filter((pod) => !isPodTerminal(pod));
  return Math.max(0, ...running.map((pod) => pod.spec?.terminationGracePeriodSeconds ?? 0));
}
