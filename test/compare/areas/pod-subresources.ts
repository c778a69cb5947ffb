/** The subresources of pods. */
import type { Conversation, Step } from '../conversation.ts';
import { sampleOf } from '../kinds.ts';
import type { Random } from '../random.ts';
import { varied } from '../values.ts';

const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };

export function eviction(random: Random): Conversation {
  const { path, collection, object } = sampleOf('pods');
  const options = [
    {},
    { dryRun: ['All'] },
    { gracePeriodSeconds: -1 },
    { preconditions: { uid: 'x' } },
    { preconditions: { resourceVersion: '1' } },
    { propagationPolicy: 'Nope' },
    'x',
    { dryRun: ['Nope'] },
  ];
  const labelled = { ...object, metadata: { ...(object['metadata'] as object), labels: { app: 'a' } } };
  const steps = Array.from({ length: 6 }, (): Step => {
    const body = {
      ...varied(
        random,
        { apiVersion: 'policy/v1', kind: 'Eviction' },
        { apiVersion: ['policy/v1beta1', 'v1'], kind: ['Nope'], deleteOptions: options },
      ),
      metadata: varied(random, { name: 'sample' }, { name: ['other', ''], namespace: ['$NS', 'other'] }),
    };
    return { method: 'POST', path: `${path}/eviction?dryRun=All`, body, about: 'eviction' };
  });
  return {
    topic: 'pods/eviction',
    namespace: true,
    steps: [
      { method: 'POST', path: collection, body: labelled, setup: true },
      ...steps,
      { method: 'POST', path: `${path}-absent/eviction`, body: { metadata: { name: 'sample-absent' } } },
      { method: 'GET', path: `${path}/eviction` },
      { method: 'POST', path: `${path}/eviction`, body: { metadata: { name: 'sample' } } },
    ],
  };
}

export function binding(random: Random): Conversation {
  const { path, collection, object } = sampleOf('pods');
  const targets = [
    { kind: 'Node', name: 'n' },
    { name: 'n' },
    { kind: 'Pod', name: 'n' },
    { kind: 'Node', name: '' },
    { kind: 'Node', name: 'BAD_' },
    {},
    null,
    'x',
    { kind: 'Node', name: 'n', apiVersion: 'v9' },
  ];
  const steps = random
    .shuffled(targets)
    .slice(0, 6)
    .map((target): Step => {
      const at = random.pick([`${path}/binding`, `${collection.replace('/pods', '/bindings')}`]);
      return {
        method: 'POST',
        path: `${at}?dryRun=All`,
        body: {
          ...varied(random, { apiVersion: 'v1', kind: 'Binding' }, { kind: ['Nope'] }),
          metadata: varied(random, { name: 'sample' }, { name: ['other', ''], uid: ['x'], annotations: [{ a: 'b' }] }),
          target,
        },
        about: 'binding',
      };
    });
  return {
    topic: 'pods/binding',
    namespace: true,
    steps: [
      { method: 'POST', path: collection, body: object, setup: true },
      ...steps,
      {
        method: 'POST',
        path: `${path}/binding`,
        body: { metadata: { name: 'sample', annotations: { x: 'y' } }, target: { name: 'n' } },
      },
      {
        method: 'POST',
        path: `${path}/binding`,
        body: { metadata: { name: 'sample' }, target: { name: 'm' } },
        about: 'bound already',
      },
      { method: 'GET', path },
    ],
  };
}

export function ephemeral(random: Random): Conversation {
  const { path, collection, object } = sampleOf('pods');
  const containers = Array.from({ length: 7 }, () =>
    varied(
      random,
      { name: 'debug', image: 'i' },
      {
        name: ['c', '', 'BAD', 'debug-2'],
        image: ['', ' x'],
        targetContainerName: ['c', 'nope', ''],
        ports: [[{ containerPort: 1 }]],
        resources: [{ limits: { cpu: '1' } }],
        livenessProbe: [{}],
        lifecycle: [{}],
        volumeMounts: [[{ name: 'x', mountPath: '/x', subPath: 'y' }]],
        stdin: [true],
        restartPolicy: ['Always'],
      },
    ),
  );
  const steps = containers.map((container): Step => {
    if (random.chance(0.5))
      return {
        method: 'PATCH',
        path: `${path}/ephemeralcontainers?dryRun=All`,
        body: { spec: { ephemeralContainers: [container] } },
        headers: STRATEGIC,
        about: 'ephemeralcontainers',
      };
    return {
      method: 'PUT',
      path: `${path}/ephemeralcontainers?dryRun=All`,
      body: { ...object, spec: { ...(object['spec'] as object), ephemeralContainers: [container] } },
      about: 'ephemeralcontainers',
    };
  });
  const first: Step = {
    method: 'PATCH',
    path: `${path}/ephemeralcontainers`,
    body: { spec: { ephemeralContainers: [{ name: 'debug', image: 'i' }] } },
    headers: STRATEGIC,
    about: 'ephemeralcontainers',
  };
  return {
    topic: 'pods/ephemeralcontainers',
    namespace: true,
    steps: [
      { method: 'POST', path: collection, body: object, setup: true },
      ...steps,
      first,
      { ...first, body: { spec: { ephemeralContainers: [{ name: 'debug', image: 'other' }] } } },
      { ...first, body: { spec: { ephemeralContainers: null } } },
      { method: 'GET', path: `${path}/ephemeralcontainers` },
    ],
  };
}

export function resize(random: Random): Conversation {
  const { path, collection, object } = sampleOf('pods');
  const amounts = ['1', '2', '100m', '0', '-1', 'x', null];
  const withResources = (resources: object, more: object = {}): object => ({
    ...object,
    spec: { ...(object['spec'] as object), containers: [{ name: 'c', image: 'registry.test/c', resources, ...more }] },
  });
  const start = {
    requests: { cpu: '1', memory: '1Gi' },
    ...(random.chance(0.5) ? { limits: { cpu: '2', memory: '2Gi' } } : {}),
  };
  const steps = Array.from({ length: 8 }, (): Step => {
    const resources = varied(random, start, {
      requests: [
        { cpu: random.pick(amounts) },
        { memory: random.pick(amounts), cpu: '1' },
        {},
        { 'ephemeral-storage': '1' },
      ],
      limits: [{ cpu: random.pick(amounts) }, { memory: random.pick(amounts) }, {}],
    });
    const patched = { spec: { containers: [{ name: random.pick(['c', 'c', 'nope']), resources }] } };
    if (random.chance(0.5))
      return { method: 'PATCH', path: `${path}/resize?dryRun=All`, body: patched, headers: STRATEGIC, about: 'resize' };
    return {
      method: 'PUT',
      path: `${path}/resize?dryRun=All`,
      body: withResources(resources, random.chance(0.2) ? { image: 'other' } : {}),
      about: 'resize',
    };
  });
  return {
    topic: 'pods/resize',
    namespace: true,
    steps: [
      { method: 'POST', path: collection, body: withResources(start), setup: true },
      ...steps,
      { method: 'GET', path: `${path}/resize` },
    ],
  };
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function streams(random: Random): Conversation {
  const { path, collection, object } = sampleOf('pods');
  const queries = [
    '',
    '?container=c',
    '?container=nope',
    '?follow=maybe',
    '?tailLines=-1',
    '?tailLines=x',
    '?limitBytes=0',
    '?sinceSeconds=0',
    '?sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z',
    '?sinceTime=x',
    '?previous=true',
    '?stream=Nope',
    '?stream=Stdout&tailLines=1',
    '?timestamps=1',
  ];
  const logs = random
    .some(queries, 0.6)
    .map((query): Step => ({ method: 'GET', path: `${path}/log${query}`, about: 'log' }));
  const others = [
    'exec',
    'exec?command=ls',
    'exec?command=ls&container=nope',
    'exec?stdin=false&stdout=false&stderr=false&command=x',
    'attach',
    'attach?tty=true&stderr=true&stdout=true',
    'portforward',
    'portforward?ports=80',
    'portforward?ports=x',
    'proxy',
    'proxy/x',
  ].map((sub): Step => ({ method: random.pick(['GET', 'POST']), path: `${path}/${sub}`, about: sub }));
  const elsewhere = [
    '/api/v1/namespaces/$NS/services/absent/proxy',
    '/api/v1/namespaces/$NS/services/absent:80/proxy/x',
    '/api/v1/nodes/absent/proxy',
    '/api/v1/nodes/absent/proxy/metrics',
    '/api/v1/namespaces/$NS/pods/absent/proxy',
    '/api/v1/namespaces/$NS/pods/absent/log',
  ].map((at): Step => ({ method: random.pick(METHODS), path: at, about: 'proxy' }));
  return {
    topic: 'pods/streams',
    namespace: true,
    steps: [
      { method: 'POST', path: collection, body: object, setup: true },
      ...logs,
      ...random.some(others, 0.6),
      ...elsewhere,
    ],
  };
}

export function podStatus(random: Random): Conversation {
  const { path, collection, object } = sampleOf('pods');
  const states = [
    { running: {} },
    { terminated: { exitCode: 1 } },
    { waiting: { reason: 'R' } },
    { running: {}, waiting: {} },
    {},
  ];
  const steps = Array.from({ length: 8 }, (): Step => {
    const container = varied(
      random,
      { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state: random.pick(states) },
      { name: ['nope', ''], restartCount: [-1, 5], lastState: states, started: [true] },
    );
    const status = varied(
      random,
      { phase: 'Running', containerStatuses: [container] },
      {
        phase: ['Pending', 'Succeeded', 'Failed', 'Nope'],
        podIP: ['10.1.2.3', 'x', '010.1.2.3'],
        podIPs: [
          [{ ip: '10.1.2.3' }],
          [{ ip: '10.1.2.3' }, { ip: 'fd00::1' }],
          [{ ip: '10.1.2.3' }, { ip: '10.1.2.4' }],
        ],
        qosClass: ['Guaranteed', 'BestEffort', ''],
        hostIP: ['1.2.3.4', 'x'],
        conditions: [
          [{ type: 'Ready', status: 'True' }],
          [{ type: 'x y', status: 'True' }],
          [{ type: 'Ready', status: 'Nope' }],
        ],
        nominatedNodeName: ['n', 'BAD!'],
      },
    );
    return {
      method: 'PUT',
      path: `${path}/status${random.pick(['', '?dryRun=All'])}`,
      body: { ...object, status },
      about: 'status',
    };
  });
  return {
    topic: 'pods/status',
    namespace: true,
    steps: [
      { method: 'POST', path: collection, body: object, setup: true },
      ...steps,
      { method: 'GET', path, headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } },
      { method: 'GET', path },
    ],
  };
}
