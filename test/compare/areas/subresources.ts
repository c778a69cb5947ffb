/** The subresources that are not status: scale, token, approval, finalize, and those of pods. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { sampleOf } from '../kinds.ts';
import { Random } from '../random.ts';
import { varied } from '../values.ts';
import { binding, ephemeral, eviction, podStatus, resize, streams } from './pod-subresources.ts';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
const SOME_INTEGERS = [0, 1, -1, 5, 2 ** 31, 'x', null, 1.5];

type Maker = (random: Random) => Conversation;

const topics: Readonly<Record<string, Maker>> = {
  scale,
  eviction,
  binding,
  token,
  approval,
  ephemeral,
  resize,
  finalize,
  streams,
  podStatus,
};

export const subresources: Area = { weight: 4, conversations };

function* conversations({ seed, kinds }: AreaOptions): Generator<Conversation> {
  if (kinds.length > 0) return;
  for (let round = 0; ; round++) {
    const random = new Random(`${seed}/${round}`);
    for (const maker of random.shuffled(Object.values(topics))) yield maker(random);
  }
}

function scale(random: Random): Conversation {
  const { path, collection, object, topic } = sampleOf(
    random.pick(['deployments', 'replicasets', 'statefulsets', 'replicationcontrollers']),
  );
  const body = (): object => ({
    ...varied(
      random,
      { apiVersion: 'autoscaling/v1', kind: 'Scale' },
      { kind: ['Scale', 'Nope'], apiVersion: ['autoscaling/v2', 'v1', ''] },
    ),
    metadata: varied(
      random,
      { name: 'sample', namespace: '$NS' },
      { name: ['other', ''], resourceVersion: ['1', 'x'], uid: ['u'], labels: [{ a: 'b' }] },
    ),
    spec: varied(random, { replicas: 2 }, { replicas: SOME_INTEGERS }),
  });
  const steps = Array.from({ length: 6 }, (): Step => ({
    method: 'PUT',
    path: `${path}/scale${random.pick(['', '?dryRun=All'])}`,
    body: body(),
    about: 'scale',
  }));
  const patches = SOME_INTEGERS.slice(0, 5).map((replicas): Step => ({
    method: 'PATCH',
    path: `${path}/scale?dryRun=All`,
    body: { spec: { replicas } },
    headers: random.pick([MERGE, STRATEGIC]),
    about: 'scale',
  }));
  const applied: Step = {
    method: 'PATCH',
    path: `${path}/scale?fieldManager=m&force=true`,
    body: { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 0 } },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    about: 'apply',
  };
  return {
    topic: `${topic}/scale`,
    namespace: true,
    steps: [
      { method: 'POST', path: collection, body: object, setup: true },
      { method: 'GET', path: `${path}/scale`, only: specOnly },
      ...steps.map(specs),
      ...patches.map(specs),
      specs(applied),
      { method: 'GET', path: `${path}-absent/scale` },
      { method: 'DELETE', path: `${path}/scale` },
    ],
  };
}

/** The status is what the controller of the kind has seen by now. */
function specOnly(body: unknown): unknown {
  const { status, ...rest } = (body ?? {}) as { status?: unknown };
  return (rest as { kind?: string }).kind === 'Status' ? body : rest;
}

function specs(step: Step): Step {
  return { ...step, only: specOnly };
}

function token(random: Random): Conversation {
  const path = '/api/v1/namespaces/$NS/serviceaccounts/default/token';
  const bound = [
    { kind: 'Pod', apiVersion: 'v1', name: 'absent' },
    { kind: 'Secret', apiVersion: 'v1', name: 'absent' },
    { kind: 'Node', apiVersion: 'v1', name: 'absent' },
    { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' },
    { kind: 'Pod', name: 'x' },
    {},
  ];
  const steps = Array.from({ length: 8 }, (): Step => {
    const spec = varied(
      random,
      {},
      {
        audiences: [['a'], [], ['a', 'b'], 'x', [1]],
        expirationSeconds: [600, 599, 0, -1, 2 ** 32, 2 ** 33, 'x', 3600, 100_000],
        boundObjectRef: bound,
      },
    );
    return {
      method: 'POST',
      path,
      body: varied(
        random,
        { spec },
        {
          kind: ['TokenRequest', 'Nope'],
          apiVersion: ['authentication.k8s.io/v1', 'v1'],
          metadata: [{ name: 'other' }, { name: 'default' }, { namespace: 'other' }],
        },
      ),
      about: 'token',
    };
  });
  return {
    topic: 'serviceaccounts/token',
    namespace: true,
    steps: [...steps, { method: 'POST', path: path.replace('default', 'absent'), body: {} }, { method: 'GET', path }],
  };
}

function approval(random: Random): Conversation {
  const { path, collection, object } = sampleOf('certificatesigningrequests');
  const conditions = Array.from({ length: 5 }, () => [
    varied(
      random,
      { type: random.pick(['Approved', 'Denied', 'Failed', 'Nope', '']), status: 'True', reason: 'R', message: 'm' },
      { status: ['True', 'False', 'Unknown', 'Nope', ''], reason: ['', 'r r'] },
    ),
  ]);
  const put = (sub: string, status: object): Step => ({
    method: 'PUT',
    path: `${path}/${sub}?dryRun=All`,
    body: { ...object, status },
    about: sub,
  });
  const certificates = ['aGk=', '', 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo='];
  const steps = conditions.flatMap((list) => [
    put('approval', { conditions: list }),
    put('status', { conditions: list, ...(random.chance(0.5) ? { certificate: random.pick(certificates) } : {}) }),
  ]);
  return {
    topic: 'certificatesigningrequests/approval',
    namespace: false,
    steps: [
      { method: 'POST', path: collection, body: object },
      ...steps,
      {
        method: 'PUT',
        path: `${path}/approval`,
        body: { ...object, status: { conditions: [{ type: 'Approved', status: 'True' }] } },
      },
      put('approval', { conditions: [{ type: 'Denied', status: 'True' }] }),
      put('approval', {}),
      { method: 'GET', path: `${path}/approval` },
    ],
    cleanup: [{ method: 'DELETE', path }],
  };
}

function finalize(random: Random): Conversation {
  const path = '/api/v1/namespaces/x-$RUN';
  const bodies = [
    { spec: { finalizers: ['example.com/x'] } },
    { spec: { finalizers: ['nope'] } },
    { spec: {} },
    { spec: { finalizers: ['kubernetes', 'kubernetes'] } },
    {},
    { spec: { finalizers: 'x' } },
  ];
  const steps = random.shuffled(bodies).map((body): Step => ({
    method: 'PUT',
    path: `${path}/finalize?dryRun=All`,
    body: { metadata: { name: random.pick(['x-$RUN', 'x-$RUN', 'other']) }, ...body },
    about: 'finalize',
  }));
  return {
    topic: 'namespaces/finalize',
    namespace: false,
    steps: [
      { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'x-$RUN' } }, setup: true },
      ...steps,
      { method: 'GET', path: `${path}/finalize` },
      { method: 'DELETE', path: `${path}?dryRun=All` },
    ],
    cleanup: [{ method: 'DELETE', path }],
  };
}
