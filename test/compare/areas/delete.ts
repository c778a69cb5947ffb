/** Deletion with every option, finalizers, preconditions and deletecollection. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { keptSamplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const BODIES: readonly unknown[] = [
  ...[
    {},
    { dryRun: ['All'] },
    { dryRun: ['Some'] },
    { dryRun: 'All' },
    { propagationPolicy: 'Nope' },
    { propagationPolicy: 'Orphan', orphanDependents: true },
    { orphanDependents: 'x' },
  ],
  ...[
    { gracePeriodSeconds: -1 },
    { gracePeriodSeconds: 'x' },
    { gracePeriodSeconds: 0, dryRun: ['All'] },
    { preconditions: { uid: 'another' } },
    { preconditions: { resourceVersion: '1' } },
  ],
  ...[
    { preconditions: 'x' },
    { kind: 'Other', apiVersion: 'v1' },
    { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] },
    { kind: 'DeleteOptions', apiVersion: 'nope/v9' },
    { nope: 1, dryRun: ['All'] },
  ],
  ...[
    { ignoreStoreReadErrorWithClusterBreakingPotential: true },
    { ignoreStoreReadErrorWithClusterBreakingPotential: true, dryRun: ['All'] },
  ],
];
const QUERIES = [
  ...[
    'dryRun=All',
    'dryRun=Some',
    'gracePeriodSeconds=x',
    'gracePeriodSeconds=-5&dryRun=All',
    'propagationPolicy=Nope',
    'propagationPolicy=Foreground&dryRun=All',
    'orphanDependents=maybe',
  ],
  ...[
    'orphanDependents=true&propagationPolicy=Orphan',
    'nope=1&dryRun=All',
    'pretty=true&dryRun=All',
    'dryRun=All&dryRun=All',
    'dryRun=',
    'ignoreStoreReadErrorWithClusterBreakingPotential=true',
  ],
];
const COLLECTED = [
  ...['', '&dryRun=All', '&propagationPolicy=Background', '&limit=1', '&resourceVersion=x', '&continue=x'],
  ...['&gracePeriodSeconds=0', '&gracePeriodSeconds=x', '&orphanDependents=true', '&pretty=true', '&timeoutSeconds=x'],
  ...['&fieldSelector=metadata.name%3Dsample', '&fieldSelector=nope%3D1', '&resourceVersionMatch=Exact'],
];
const RAW = ['{', 'null', '[]', '"x"', 'x: y'];

export const deletion: Area = { weight: 4, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  for (let round = 0; ; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const sample of random.shuffled(keptSamplesOf(options))) yield conversation(sample, random);
  }
}

function conversation({ resource, collection, path, object, topic }: KindSample, random: Random): Conversation {
  const labelled = {
    ...object,
    metadata: { ...(object['metadata'] as object), labels: { own: '$RUN' }, finalizers: ['example.com/held'] },
  };
  const policy = random.pick(['Foreground', 'Background', 'Orphan']);
  const collected = random.shuffled(COLLECTED).slice(0, 4);
  const steps: Step[] = [
    { method: 'POST', path: collection, body: labelled },
    ...random.some(BODIES, 0.25).map((body): Step => ({ method: 'DELETE', path, body, about: 'options' })),
    ...random.some(QUERIES, 0.3).map((query): Step => ({ method: 'DELETE', path: `${path}?${query}`, about: query })),
    ...random.some(RAW, 0.3).map((raw): Step => ({ method: 'DELETE', path, raw, about: 'a broken body' })),
    {
      method: 'DELETE',
      path,
      body: { propagationPolicy: policy, preconditions: { uid: '$UID' } },
      about: 'held by a finalizer',
    },
    { method: 'DELETE', path, about: 'once more' },
    {
      method: 'PATCH',
      path,
      body: { metadata: { finalizers: ['example.com/more', 'example.com/held'] } },
      headers: MERGE,
      about: 'finalizers of a deleted object',
    },
    {
      method: 'PATCH',
      path,
      body: { metadata: { labels: { late: 'yes' } } },
      headers: MERGE,
      about: 'labels of a deleted object',
    },
    { method: 'PATCH', path, body: { metadata: { finalizers: null } }, headers: MERGE, about: 'the last finalizer' },
    { method: 'GET', path, about: 'after it' },
    ...(resource.verbs.includes('deletecollection')
      ? collected.map((query) => ({
          method: 'DELETE',
          path: `${collection}?labelSelector=own%3D$RUN${query}`,
          about: 'deletecollection',
        }))
      : []),
    { method: 'DELETE', path: `${path}-absent`, about: 'an object that is not there' },
  ];
  steps.splice(1, 0, { method: 'GET', path, setup: true, save: { UID: 'metadata.uid' } });
  return {
    topic,
    namespace: resource.namespaced,
    steps,
    cleanup: resource.namespaced ? [] : [{ method: 'DELETE', path }],
  };
}
