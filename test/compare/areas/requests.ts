/** Requests that are broken before they reach a kind: bodies, paths, methods, headers. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { keptSamplesOf, type KindSample } from '../kinds.ts';
import { Random } from '../random.ts';

const BODIES = [
  ...[
    '',
    '{',
    '}',
    '[]',
    'null',
    '"x"',
    '1',
    'true',
    '{}',
    '{"a":}',
    '{"a":1,}',
    "{'a':1}",
    '{"metadata":[]}',
    '{"metadata":{"name":1}}',
    '{"metadata":{"name":"x","name":"y"}}',
    '\u0000',
    '{} {}',
    '{"kind":1}',
    '{"apiVersion":1}',
  ],
  ...[
    '{"metadata":{"labels":[]}}',
    '{"metadata":{"labels":{"a":1}}}',
    '{"metadata":{"name":"x","nope":1},"nope":{"deeper":2}}',
    '{"Metadata":{"Name":"x"}}',
    '{"metadata":{"creationTimestamp":"x"}}',
    '{"metadata":{"name":"\\ud800"}}',
    '{"metadata":null,"spec":null}',
  ],
  ...[
    '{"metadata":{"generateName":"UPPER"}}',
    '{"metadata":{"generateName":"g-","name":""}}',
    '{"metadata":{"ownerReferences":[{}]}}',
    '{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u","controller":true},' +
      '{"apiVersion":"v1","kind":"Pod","name":"b","uid":"v","controller":true}]}}',
  ],
  ...[
    '{"metadata":{"finalizers":["x"]}}',
    '{"metadata":{"finalizers":[""]}}',
    '{"metadata":{"finalizers":["a/b/c"]}}',
    '{"metadata":{"namespace":"other"}}',
    '{"metadata":{"uid":"x","resourceVersion":"5","selfLink":"x"}}',
    '{"metadata":{"managedFields":[{"operation":"x"}]}}',
    `{"metadata":{"annotations":{"a":"${'z'.repeat(262_145)}"}}}`,
  ],
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'];

export const requests: Area = { weight: 4, conversations };

function* conversations(options: AreaOptions): Generator<Conversation> {
  for (let round = 0; ; round++) {
    const random = new Random(`${options.seed}/${round}`);
    for (const sample of random.shuffled(keptSamplesOf(options))) yield conversation(sample, random);
  }
}

function conversation({ resource, collection, path, object, topic }: KindSample, random: Random): Conversation {
  const prefix = collection.slice(0, collection.indexOf(resource.namespaced ? '/namespaces/' : `/${resource.plural}`));
  const elsewhere = resource.namespaced
    ? [
        `${prefix}/${resource.plural}`,
        `${prefix}/${resource.plural}/sample`,
        `${prefix}/namespaces/absent/${resource.plural}`,
        `${prefix}/namespaces/BAD_NAME/${resource.plural}`,
        `${prefix}/namespaces//${resource.plural}`,
      ]
    : [`${prefix}/namespaces/$NS/${resource.plural}`, `${prefix}/namespaces/$NS/${resource.plural}/sample`];
  const odd = [
    `${collection}/`,
    `${collection}/a/b/c`,
    `${path}/nope`,
    `${collection}/UPPER`,
    `${collection}/a%2Fb`,
    `${collection}/%20`,
    `${collection}/..`,
    `${collection}//`,
    `${prefix}/${resource.plural}s`,
    `${collection}/${'n'.repeat(254)}`,
    `${path}/status/more`,
    `${path}/scale`,
    `${path}/log`,
  ];
  const merged = (raw: string): string => (raw.startsWith('{"') && random.chance(0.5) ? mergedText(object, raw) : raw);
  const steps: Step[] = [
    ...random
      .some(BODIES, 0.3)
      .map((raw): Step => ({ method: 'POST', path: `${collection}?dryRun=All`, raw: merged(raw), about: 'body' })),
    ...random.some(BODIES, 0.1).map((raw): Step => ({
      method: 'POST',
      path: `${collection}?dryRun=All&fieldValidation=Strict`,
      raw: merged(raw),
      about: 'strict body',
    })),
    ...random
      .some(BODIES, 0.1)
      .map((raw): Step => ({ method: 'PUT', path: `${path}?dryRun=All`, raw: merged(raw), about: 'body' })),
    ...random
      .some(METHODS, 0.3)
      .filter((method) => method !== 'GET' && method !== 'HEAD')
      .map((method): Step => ({
        method,
        path: `${collection.replace('$NS', 'absent')}?dryRun=All&labelSelector=own%3D$RUN`,
        about: 'method',
      })),
    ...random.some(METHODS, 0.3).map((method): Step => ({ method, path: `${path}-absent`, about: 'method' })),
    ...random.some([...elsewhere, ...odd], 0.3).map((at): Step => ({
      method: random.pick(['GET', 'POST', 'PUT', 'DELETE']),
      path: `${at}?dryRun=All`,
      about: 'path',
      body: random.chance(0.7) ? object : undefined,
      only: listsLeftOut,
    })),
    {
      method: 'POST',
      path: `${collection}?dryRun=All`,
      raw: '{"metadata":{"name":"x"}}',
      headers: { 'x-http-method-override': 'DELETE', 'content-encoding': random.pick(['gzip', 'nope', 'identity']) },
      about: 'headers',
    },
  ];
  return { topic, namespace: true, steps };
}

function mergedText(object: Record<string, unknown>, raw: string): string {
  const inner = JSON.stringify(object);
  return `${inner.slice(0, -1)},${raw.slice(1)}`;
}

/** What lists outside of the namespace have is not of this conversation. */
function listsLeftOut(body: unknown): unknown {
  const { kind, apiVersion, items } = (body ?? {}) as { kind?: string; apiVersion?: string; items?: unknown };
  return Array.isArray(items) ? { kind, apiVersion } : body;
}
