/** Every query parameter of every verb, with good and bad values. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { keptSamplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';

const OF_READS = [
  ...[
    'pretty=true',
    'pretty=false',
    'pretty=1',
    'pretty',
    'pretty=maybe',
    'resourceVersion=0',
    'resourceVersion=1',
    'resourceVersion=x',
    'resourceVersion=-1',
    'resourceVersion=99999999',
    'resourceVersion=',
  ],
  ...[
    'nope=1',
    'Pretty=true',
    'timeout=10s',
    'timeout=x',
    'timeout=-1s',
    'timeout=1h',
    'exact=true',
    'export=true',
    '%',
    '%zz=1',
    'a=b;c=d',
    '&&',
    '=',
  ],
];
const OF_LISTS = [
  ...[
    'pretty=true',
    'limit=1',
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=99999999999999999999',
    'limit=1.5',
    'continue=x',
    'continue=e30',
    'continue=e30&resourceVersion=1',
    'limit=1&continue=',
  ],
  ...[
    'resourceVersionMatch=Exact',
    'resourceVersionMatch=NotOlderThan',
    'resourceVersionMatch=Nope',
    'resourceVersionMatch=Exact&resourceVersion=0',
    'resourceVersionMatch=NotOlderThan&resourceVersion=0',
  ],
  ...[
    'resourceVersionMatch=Exact&resourceVersion=$VERSION',
    'resourceVersion=$VERSION&limit=1',
    'resourceVersionMatch=NotOlderThan&resourceVersion=$VERSION&limit=1',
  ],
  ...[
    'timeoutSeconds=x',
    'timeoutSeconds=5',
    'timeoutSeconds=-1',
    'allowWatchBookmarks=maybe',
    'sendInitialEvents=true',
    'sendInitialEvents=maybe',
    'watch=false',
    'watch=maybe&timeoutSeconds=1',
    'watch=0',
    'shardSelector=x',
  ],
  ...[
    'includeObject=None',
    'fieldSelector=metadata.name%3Dsample',
    'labelSelector=own',
    'labelSelector=own%3D%3D$RUN&limit=1',
    'includeUninitialized=true',
  ],
];
const OF_WATCHES = [
  ...[
    'resourceVersion=x',
    'resourceVersion=1',
    'resourceVersionMatch=Exact',
    'resourceVersionMatch=NotOlderThan',
    'sendInitialEvents=true',
    'sendInitialEvents=true&resourceVersionMatch=Exact',
  ],
  ...[
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    'sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=$VERSION',
    'limit=1',
    'continue=x',
    'resourceVersion=$VERSION',
  ],
  ...[
    'allowWatchBookmarks=true&resourceVersion=0',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    'labelSelector=a!b',
    'fieldSelector=spec.nope%3D1',
    'fieldSelector=metadata.name%3Dsample',
    'resourceVersion=99999999',
  ],
];
const OF_WRITES = [
  ...[
    'dryRun=All',
    'dryRun=Nope&dryRun=All',
    'dryRun=',
    'fieldManager=m&dryRun=All',
    `fieldManager=${'x'.repeat(129)}`,
    'fieldManager=a%00b',
    'fieldValidation=Nope',
    'fieldValidation=Strict&dryRun=All',
    'fieldValidation=&dryRun=All',
  ],
  ...[
    'fieldValidation=strict',
    'pretty=true&dryRun=All',
    'nope=1&dryRun=All',
    'timeout=5s&dryRun=All',
    'force=true&dryRun=All',
    'dryRun=all',
  ],
];

export const query: Area = { weight: 5, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  for (let round = 0; ; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const sample of random.shuffled(keptSamplesOf(options))) yield conversation(sample, random);
  }
}

function conversation({ resource, collection, path, object, topic }: KindSample, random: Random): Conversation {
  const labelled = { ...object, metadata: { ...(object['metadata'] as object), labels: { own: '$RUN' } } };
  // Cluster-scoped lists have what other conversations make.
  const own = resource.namespaced ? '' : '&labelSelector=own%3D$RUN';
  const steps: Step[] = [
    { method: 'POST', path: collection, body: labelled, setup: true, save: { VERSION: 'metadata.resourceVersion' } },
    ...random.some(OF_READS, 0.3).map((text): Step => ({ method: 'GET', path: `${path}?${text}`, about: text })),
    ...random.some(OF_LISTS, 0.3).map((text): Step => ({
      method: 'GET',
      path: `${collection}?${text}${text.includes('labelSelector') ? '' : own}`,
      about: text,
    })),
    ...random.some(OF_WATCHES, 0.1).map((text): Step => ({
      method: 'GET',
      path: `${collection}?watch=true&timeoutSeconds=1&${text}${text.includes('labelSelector') ? '' : own}`,
      watch: true,
      about: text,
    })),
    ...random
      .some(OF_WRITES, 0.25)
      .map((text): Step => ({ method: 'PUT', path: `${path}?${text}`, body: labelled, about: text })),
    ...random
      .some(OF_WRITES, 0.25)
      .map((text): Step => ({ method: 'POST', path: `${collection}?${text}`, body: labelled, about: text })),
  ];
  return {
    topic,
    namespace: resource.namespaced,
    steps,
    cleanup: resource.namespaced ? [] : [{ method: 'DELETE', path }],
  };
}
