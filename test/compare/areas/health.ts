/** Health endpoints, all and by name, the index, and the other paths that are no resources. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { Random } from '../random.ts';

const CHECKS = [
  ...[
    'ping',
    'log',
    'etcd',
    'etcd-readiness',
    'informer-sync',
    'shutdown',
    'poststarthook/start-apiserver-admission-initializer',
    'poststarthook/generic-apiserver-start-informers',
    'poststarthook/rbac/bootstrap-roles',
  ],
  ...[
    'poststarthook/priority-and-fairness-config-producer',
    'poststarthook/scheduling/bootstrap-system-priority-classes',
    'poststarthook/crd-informer-synced',
    'poststarthook/apiservice-registration-controller',
    'autoregister-completion',
    'nope',
    'poststarthook/nope',
  ],
];

export const health: Area = { weight: 2, conversations };

function* conversations({ seed }: AreaOptions): Generator<Conversation> {
  const random = new Random(seed);
  const get = (path: string, more: Partial<Step> = {}): Step => ({
    method: 'GET',
    path,
    headers: { accept: '*/*' },
    ...more,
  });
  for (const root of ['/livez', '/readyz', '/healthz']) {
    const named = random.some(CHECKS, 0.7);
    yield {
      topic: root,
      namespace: false,
      steps: [
        ...[
          '',
          '?verbose',
          '?verbose=true',
          '/',
          '?verbose&exclude=etcd',
          '?exclude=etcd&exclude=nope',
          '?verbose&exclude=nope',
          '?exclude=',
        ].map((end) => get(`${root}${end}`)),
        ...named.flatMap((check) => [get(`${root}/${check}`), get(`${root}/${check}?verbose`)]),
        ...['HEAD', 'POST', 'OPTIONS', 'DELETE'].map((method) => get(root, { method })),
        get(root, { headers: { accept: 'application/json' } }),
      ],
    };
  }
  const paths = [
    '/',
    '/index.html',
    '//',
    '/metrics/slis',
    '/metrics/cadvisor',
    '/logs',
    '/logs/',
    '/debug/pprof/',
    '/debug/flags/v',
    '/statusz',
    '/flagz',
    '/configz',
    '/nope',
    '/favicon.ico',
    '/ui',
  ];
  const wellKnown = ['/.well-known/openid-configuration', '/openid/v1/jwks', '/.well-known/nope'];
  yield {
    topic: 'index',
    namespace: false,
    steps: [
      get('/', { headers: { accept: 'application/json' }, only: builtInPaths }),
      get('/', { only: builtInPaths }),
    ],
  };
  yield {
    topic: 'paths',
    namespace: false,
    steps: random
      .shuffled(paths.slice(1))
      .map((path) =>
        get(
          path,
          path.includes('slis') || path.includes('pprof') || path.endsWith('z') ? { only: (body) => typeof body } : {},
        ),
      ),
  };
  yield {
    topic: 'componentstatuses',
    namespace: false,
    steps: ['/api/v1/componentstatuses', '/api/v1/componentstatuses/etcd-0', '/api/v1/componentstatuses/nope'].map(
      (path) => get(path, { only: namesOnly }),
    ),
  };
  yield { topic: 'openid', namespace: false, steps: wellKnown.map((path) => get(path, { only: keysLeftOut })) };
}

function builtInPaths(body: unknown): unknown {
  const { paths } = (body ?? {}) as { paths?: string[] };
  return Array.isArray(paths) ? { paths: paths.filter((path) => !/example\.(?:com|org)/.test(path)) } : body;
}

/** Which components a cluster has, and whether they answer, is its own. */
function namesOnly(body: unknown): unknown {
  const { kind, items } = (body ?? {}) as { kind?: string; items?: unknown[] };
  return { kind, items: Array.isArray(items) };
}

function keysLeftOut(body: unknown): unknown {
  const { keys, jwks_uri, ...rest } = (body ?? {}) as { keys?: unknown[]; jwks_uri?: string };
  return {
    ...rest,
    ...(Array.isArray(keys) ? { keys: keys.map((key) => Object.keys(key as object).includes('kid')) } : {}),
    jwks: typeof jwks_uri,
  };
}
