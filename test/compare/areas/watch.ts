/** Watch streams: what happens to objects, as each watcher sees it. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { keptSamplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const META = 'g=meta.k8s.io;v=v1';
const ACCEPTS = [
  'application/json',
  `application/json;as=Table;${META}`,
  `application/json;as=PartialObjectMetadata;${META}`,
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];
const PARAMETERS = [
  '',
  '&resourceVersion=0',
  '&resourceVersion=$VERSION',
  '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
  '&allowWatchBookmarks=true',
  '&sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
];
/** Controllers write to these whenever they like. */
const CONTROLLED = [
  'daemonsets',
  'deployments',
  'replicasets',
  'statefulsets',
  'replicationcontrollers',
  'jobs',
  'cronjobs',
  'namespaces',
  'horizontalpodautoscalers',
  'poddisruptionbudgets',
  'resourcequotas',
  'persistentvolumeclaims',
  'persistentvolumes',
  'services',
  'endpoints',
  'nodes',
  'customresourcedefinitions',
  'apiservices',
  'validatingadmissionpolicies',
  'flowschemas',
  'prioritylevelconfigurations',
];

export const watch: Area = { weight: 2, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  const samples = keptSamplesOf(options).filter(({ resource }) => !CONTROLLED.includes(resource.plural));
  for (let round = 0; samples.length > 0; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const sample of random.shuffled(samples)) yield conversation(sample, random);
  }
}

function conversation({ resource, collection, path, object, name, topic }: KindSample, random: Random): Conversation {
  const withMetadata = (metadata: object): unknown => ({
    ...object,
    metadata: { ...(object['metadata'] as object), ...metadata },
  });
  const selector = random.pick([
    'labelSelector=own%3D$RUN',
    'labelSelector=own%3D$RUN,late',
    `fieldSelector=metadata.name%3D${name}`,
  ]);
  const opened: Step[] = random
    .shuffled(ACCEPTS)
    .slice(0, 2)
    .map((accept) => {
      const parameters = random.pick(PARAMETERS);
      return {
        method: 'GET',
        path: `${collection}?watch=true&timeoutSeconds=2&${selector}${parameters}`,
        headers: { accept },
        watch: true,
        about: `${accept} ${parameters}`,
      };
    });
  const steps: Step[] = [
    {
      method: 'POST',
      path: collection,
      body: withMetadata({ labels: { own: '$RUN', before: 'yes' } }),
      save: { VERSION: 'metadata.resourceVersion' },
    },
    ...opened,
    { method: 'PATCH', path, body: { metadata: { labels: { late: 'yes' } } }, headers: MERGE },
    { method: 'PATCH', path, body: { metadata: { annotations: { a: 'b' } } }, headers: MERGE },
    { method: 'PATCH', path, body: { metadata: { labels: { late: null } } }, headers: MERGE },
    { method: 'PATCH', path, body: { metadata: { labels: { own: 'another' } } }, headers: MERGE },
    { method: 'DELETE', path },
    {
      method: 'GET',
      path: `${path.replace(/\/(api|apis\/[^/]+)\/([^/]+)\//, '/$1/$2/watch/')}?timeoutSeconds=1`,
      watch: true,
      about: 'the old path of watches',
    },
  ];
  return {
    topic,
    namespace: resource.namespaced,
    steps,
    cleanup: resource.namespaced ? [] : [{ method: 'DELETE', path }],
  };
}
