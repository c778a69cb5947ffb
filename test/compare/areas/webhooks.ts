/** Admission webhooks on loopback: what each server sends them, and what it makes of every kind of answer. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { Random } from '../random.ts';
import { BEHAVIOUR_NAMES } from '../webhook-server.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const OWN = { matchLabels: { 'kubernetes.io/metadata.name': '$NS' } };
const COLLECTION = '/api/v1/namespaces/$NS/configmaps';

const HARMLESS = ['allow', 'warn', 'audit-annotations'];
/** Mutating webhooks are seen by another part of the server than the canary. */
const SEEN_AFTER_MS = 200;

export const webhooks: Area = { weight: 4, conversations };

function* conversations({ seed, kinds }: AreaOptions): Generator<Conversation> {
  if (kinds.length > 0 && !kinds.includes('mutatingwebhookconfigurations')) return;
  for (let round = 0; ; round++) yield conversation(new Random(`${seed}/${round}`));
}

function hook(random: Random, name: string, behaviour: string): object {
  const maybe = (value: object, probability = 0.2): object => (random.chance(probability) ? value : {});
  return {
    ...{
      name: `${name}.example.com`,
      clientConfig: { url: `$WEBHOOK/$RUN/${behaviour}`, caBundle: '$CA' },
      namespaceSelector: OWN,
      sideEffects: random.pick(['None', 'None', 'NoneOnDryRun']),
    },
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: random.pick([['CREATE', 'UPDATE', 'DELETE'], ['*']]),
        resources: random.pick([['configmaps'], ['configmaps', 'secrets'], ['*']]),
        // A selector of namespaces holds for no cluster-scoped object: those of other conversations would come too.
        scope: 'Namespaced',
      },
    ],
    ...{ admissionReviewVersions: ['v1'], timeoutSeconds: 5, failurePolicy: random.pick(['Fail', 'Ignore']) },
    ...maybe({ matchPolicy: random.pick(['Exact', 'Equivalent']) }),
    ...maybe({ objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] } }),
    ...maybe({
      matchConditions: [
        {
          name: 'c',
          expression: random.pick([
            'object.metadata.name != "c1"',
            'request.operation == "CREATE"',
            'object.nope == 1',
            'has(object.data)',
          ]),
        },
      ],
    }),
  };
}

function conversation(random: Random): Conversation {
  const mutating = random.chance(0.5);
  const plural = mutating ? 'mutatingwebhookconfigurations' : 'validatingwebhookconfigurations';
  // Of two that fail at the same time, chance says which one is told of.
  const names = [random.pick(BEHAVIOUR_NAMES), ...(random.chance(0.4) ? [random.pick(HARMLESS)] : [])];
  const hooks = names.map((behaviour, i) => ({
    ...hook(random, `h${i}`, behaviour),
    ...(mutating && random.chance(0.3) ? { reinvocationPolicy: 'IfNeeded' } : {}),
  }));
  // Seen last, because it is made last: then the others are in force.
  const canary = {
    ...hook(random, 'canary', 'deny'),
    rules: [{ apiGroups: ['coordination.k8s.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['leases'] }],
    matchConditions: [],
    objectSelector: {},
    failurePolicy: 'Fail',
  };
  const about = names.join(', ');
  const labelled = (name: string, more: object = {}): object => ({ metadata: { name, ...more }, data: { a: 'b' } });
  const steps: Step[] = [
    { method: 'POST', path: COLLECTION, body: labelled('before'), setup: true },
    { method: 'POST', path: `${GROUP}/${plural}`, body: { metadata: { name: 'w-$RUN' }, webhooks: hooks } },
    {
      method: 'POST',
      path: `${GROUP}/validatingwebhookconfigurations`,
      body: { metadata: { name: 'canary-$RUN' }, webhooks: [canary] },
      setup: true,
    },
    {
      method: 'POST',
      path: '/apis/coordination.k8s.io/v1/namespaces/$NS/leases',
      body: { metadata: { name: 'l' } },
      until: 403,
      setup: true,
      pauseMs: SEEN_AFTER_MS,
    },
    ...['c0', 'c1'].map((name): Step => ({
      method: 'POST',
      path: COLLECTION,
      body: labelled(name),
      about,
      reviews: true,
    })),
    { method: 'POST', path: `${COLLECTION}?dryRun=All&fieldManager=m`, body: labelled('dry'), about, reviews: true },
    { method: 'POST', path: COLLECTION, body: labelled('skipped', { labels: { skip: 'yes' } }), about, reviews: true },
    { method: 'POST', path: COLLECTION, body: { metadata: { generateName: 'g-' } }, about, reviews: true },
    {
      method: 'PATCH',
      path: `${COLLECTION}/before`,
      body: { data: { x: 'y' } },
      headers: { 'content-type': 'application/merge-patch+json' },
      about,
      reviews: true,
    },
    {
      method: 'PUT',
      path: `${COLLECTION}/before`,
      body: labelled('before', { labels: { a: 'b' } }),
      about,
      reviews: true,
    },
    {
      method: 'PATCH',
      path: `${COLLECTION}/applied?fieldManager=m`,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' } },
      headers: { 'content-type': 'application/apply-patch+yaml' },
      about,
      reviews: true,
    },
    {
      method: 'DELETE',
      path: `${COLLECTION}/before`,
      body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' },
      about,
      reviews: true,
    },
    {
      method: 'DELETE',
      path: COLLECTION,
      about: `deletecollection ${about}`,
      reviews: true,
      headers: { accept: 'application/json' },
      only: () => undefined,
    },
  ];
  return {
    topic: plural,
    namespace: true,
    steps,
    cleanup: [`${plural}/w-$RUN`, 'validatingwebhookconfigurations/canary-$RUN'].map((path) => ({
      method: 'DELETE',
      path: `${GROUP}/${path}`,
    })),
  };
}
