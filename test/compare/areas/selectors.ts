/** Label and field selectors: grammar, matching, what each kind may be selected by. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { keptSamplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';

const LABELS = [
  ...[
    'own=$RUN',
    'own==$RUN',
    'own!=$RUN,own',
    'own',
    '!own,zone',
    'own in ($RUN)',
    'own in ($RUN,b)',
    'own notin (b),own',
    'own in ()',
    'own=$RUN,zone=a',
    'own=$RUN,num>1',
    'own=$RUN,num<1',
    'own=$RUN,num>x',
    'own=$RUN,num>5',
  ],
  ...[
    'own=$RUN,',
    ',own',
    '=',
    'own=',
    '!',
    'own in',
    'own in (',
    'own in a',
    'own=$RUN;x',
    'a b',
    'own=a b',
    'bad!key',
    'a/b/c=x',
    '/x',
    'own=-x',
    `own=${'x'.repeat(64)}`,
    'own = $RUN',
    ' own ',
    'in in (in)',
    'own in (a,,b)',
    'own in (a)(b)',
  ],
  ...[
    'own=$RUN,zone in (a,b),!nope',
    'own notin ()',
    'own===x',
    'own=!x',
    'own>>1',
    'ÿ=x',
    '"own"=x',
    'own in($RUN)',
    'own=$RUN,zone',
    'x.io/a=b',
  ],
];
const FIELDS = [
  ...[
    'metadata.name=sample',
    'metadata.name!=sample',
    'metadata.name==sample',
    'metadata.name=',
    'metadata.name',
    'metadata.namespace=$NS',
    'metadata.namespace=other',
    'metadata.name=sample,metadata.namespace=$NS',
    'metadata.uid=x',
    'spec.nope=x',
  ],
  ...[
    '=',
    'a=b=c',
    'metadata.name=a\\,b',
    'metadata.name=a\\',
    'metadata.name in (a)',
    ',',
    'metadata.labels.a=b',
    'Metadata.name=x',
    ' metadata.name=sample',
    'metadata.name=sample,',
    'metadata.name>a',
    'status.phase=x',
    'type=x',
    'metadata.name=sample,metadata.name=other',
  ],
];

export const selectors: Area = { weight: 4, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  for (let round = 0; ; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const sample of random.shuffled(keptSamplesOf(options))) yield conversation(sample, random);
  }
}

function conversation({ resource, collection, path, object, topic }: KindSample, random: Random): Conversation {
  const labelled = {
    ...object,
    metadata: { ...(object['metadata'] as object), labels: { own: '$RUN', zone: 'a', num: '3' } },
  };
  const selectable = Object.keys(resource.selectableFields).flatMap((name) => [
    `${name}=x`,
    `${name}!=x`,
    `${name}=`,
    `${name}=sample`,
  ]);
  const ask = (kind: string, text: string): Step => ({
    method: 'GET',
    path: `${collection}?${kind}=${encode(text)}`,
    about: `${kind} ${text}`,
  });
  // Without a label, a cluster-scoped list has what other conversations make.
  const fields = random.some([...FIELDS, ...selectable], 0.35).map((text) => ask('fieldSelector', text));
  const own = fields.map((step) =>
    resource.namespaced ? step : { ...step, path: `${step.path}&labelSelector=own%3D$RUN` },
  );
  const labels = random.some(LABELS, 0.35).filter((text) => resource.namespaced || text.includes('$RUN'));
  const everywhere: Step[] = resource.namespaced
    ? [
        {
          method: 'GET',
          path: `${collection.replace('/namespaces/$NS', '')}?labelSelector=own%3D$RUN`,
          about: 'all namespaces',
        },
      ]
    : [];
  return {
    topic,
    namespace: resource.namespaced,
    steps: [
      { method: 'POST', path: collection, body: labelled, setup: true },
      ...labels.map((text) => ask('labelSelector', text)),
      ...own,
      ...everywhere,
    ],
    cleanup: resource.namespaced ? [] : [{ method: 'DELETE', path }],
  };
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%24', '$');
}
