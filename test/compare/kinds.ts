/** Every built-in kind that can be written, with a valid object of the conversation's own. */
import { isServedByDefault, type Resource } from '../../src/api/index.ts';
import { allSampleObjects } from '../attacks/sample-objects.ts';
import type { AreaOptions } from './conversation.ts';

export interface KindSample {
  readonly resource: Resource;
  readonly topic: string;
  /** `/api/v1/namespaces/$NS/pods` */
  readonly collection: string;
  readonly name: string;
  readonly path: string;
  readonly object: Record<string, unknown>;
}

/** Objects that would change what other conversations see; only these are about this conversation alone. */
const OWN_NAMESPACE = { matchLabels: { 'kubernetes.io/metadata.name': '$NS' } };
const CONTENT: Readonly<Record<string, object>> = {
  apiservices: { spec: { group: '$RUN.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 1 } },
  customresourcedefinitions: {
    spec: {
      ...{ group: '$RUN.example.org', scope: 'Namespaced', names: { plural: 'samples', kind: 'Sample' } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  },
  mutatingwebhookconfigurations: webhooks(),
  validatingwebhookconfigurations: webhooks(),
  // An event stands in the namespace of what it is about.
  '/events': { involvedObject: { kind: 'Pod', name: 'a', namespace: '$NS' } },
  'events.k8s.io/events': { regarding: { kind: 'Pod', name: 'a', namespace: '$NS' } },
  // No scheduler takes it.
  pods: { spec: { schedulerName: 'nobody', containers: [{ name: 'c', image: 'registry.test/c' }] } },
};
const NAMES: Readonly<Record<string, string>> = {
  apiservices: 'v1.$RUN.example.com',
  customresourcedefinitions: 'samples.$RUN.example.org',
  storageversions: '$RUN.example.com.samples',
};

function webhooks(): object {
  const hook = {
    name: 'hook.example.com',
    clientConfig: { url: 'https://hook.example.com/' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  return { webhooks: [{ ...hook, namespaceSelector: OWN_NAMESPACE }] };
}

const allKindSamples: readonly KindSample[] = allSampleObjects().map(({ resource, collection, object }) => {
  const name =
    NAMES[resource.plural] ??
    (/^sample\b/.test(object.metadata.name) && !resource.namespaced ? 'sample-$RUN' : object.metadata.name);
  const { namespace: _, ...metadata } = object.metadata;
  const own = collection.replace('/namespaces/default', '/namespaces/$NS');
  return {
    resource,
    topic:
      resource.group === 'autoscaling' || resource.group === 'events.k8s.io' || !isServedByDefault(resource.version)
        ? `${resource.plural}.${resource.version}.${resource.group}`
        : resource.plural,
    collection: own,
    name,
    path: `${own}/${name}`,
    object: {
      ...object,
      ...(CONTENT[resource.plural] ?? CONTENT[`${resource.group}/${resource.plural}`]),
      metadata: { ...metadata, name },
    },
  };
});

/** Of the versions that are served by default. */
export const kindSamples = allKindSamples.filter(({ resource }) => isServedByDefault(resource.version));

/** An address is one object for the whole cluster: conversations that keep objects leave these kinds out. */
const SHARED = ['ipaddresses', 'servicecidrs'];

type Chosen = Pick<AreaOptions, 'kinds' | 'everything'>;

export function samplesOf({ kinds, everything = false }: Chosen): KindSample[] {
  return allKindSamples.filter(
    ({ resource }) =>
      isServedByDefault(resource.version) !== everything && (kinds.length === 0 || kinds.includes(resource.plural)),
  );
}

/** Of the kinds whose objects can be kept. */
export function keptSamplesOf(options: Chosen): KindSample[] {
  return samplesOf(options).filter(({ resource }) => !SHARED.includes(resource.plural));
}

export function sampleOf(plural: string, group?: string): KindSample {
  const found = kindSamples.find(
    ({ resource }) => resource.plural === plural && (group === undefined || resource.group === group),
  );
  if (!found) throw new Error(`there is no sample of ${plural}`);
  return found;
}
