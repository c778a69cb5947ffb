/** What the server says that it serves: the lists of groups, versions and resources, in each of their forms. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { kindSamples } from '../kinds.ts';
import { Random } from '../random.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const FORMS = [
  'application/json',
  AGGREGATED,
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList',
  `${AGGREGATED},application/json`,
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  '*/*',
  'text/html',
];
const AGGREGATED_FORMS = [
  AGGREGATED,
  `${AGGREGATED};profile=nopeer`,
  'application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
];

export const discovery: Area = { weight: 3, conversations };

/** Groups of custom resources come and go with other conversations, and some are written there only by name. */
const ownGroupsOnly = (body: unknown): unknown => {
  const isOwn = (name: string | undefined): boolean => !/example\.(?:com|org)$/.test(name ?? '');
  const { groups, items } = (body ?? {}) as {
    groups?: { name?: string }[];
    items?: { metadata?: { name?: string } }[];
  };
  if (Array.isArray(groups)) return { ...(body as object), groups: groups.filter(({ name }) => isOwn(name)) };
  if (Array.isArray(items))
    return { ...(body as object), items: items.filter(({ metadata }) => isOwn(metadata?.name)) };
  return Array.isArray(body) || (body !== null && typeof body === 'object' && 'protobuf' in body) ? typeof body : body;
};

function* conversations({ seed }: AreaOptions): Generator<Conversation> {
  const random = new Random(seed);
  const get = (path: string, accept = 'application/json'): Step => ({
    method: 'GET',
    path,
    headers: { accept },
    about: accept,
    only: ownGroupsOnly,
  });
  const versions = [
    ...new Set(
      kindSamples.map(({ collection }) =>
        collection
          .split('/')
          .slice(0, collection.startsWith('/api/') ? 3 : 4)
          .join('/'),
      ),
    ),
  ];
  yield {
    topic: 'roots',
    namespace: false,
    steps: ['/api', '/apis'].flatMap((path) =>
      [...new Set([...FORMS, ...AGGREGATED_FORMS])].map((form) => get(path, form)),
    ),
  };
  for (const path of random.shuffled(versions)) {
    const group = path.split('/').slice(0, -1).join('/');
    yield {
      topic: path,
      namespace: false,
      steps: [
        get(path),
        get(`${path}/`),
        get(group),
        ...random.some(FORMS, 0.4).map((form) => get(path, form)),
        get(`${path}x`),
        get(`${group}/v9`),
      ],
    };
  }
  yield {
    topic: 'version',
    namespace: false,
    steps: ['/version', '/version/', '/version/x'].map((path) => ({ ...get(path), only: gitLeftOut })),
  };
  yield {
    topic: 'errors',
    namespace: false,
    steps: [
      '/apis/nope',
      '/apis/nope/v1',
      '/api/v2',
      '/apis/apps/v1beta1',
      '/apis/',
      '/api/',
      '/apisx',
      '/nope',
    ].flatMap((path) => ['GET', 'POST', 'OPTIONS', 'HEAD'].map((method) => ({ ...get(path), method }))),
  };
}

/** Who built the server, and when. */
function gitLeftOut(body: unknown): unknown {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  const hidden = ['gitVersion', 'gitCommit', 'buildDate', 'goVersion', 'compiler', 'platform'];
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key, hidden.includes(key) ? '<build>' : (value as unknown)]),
  );
}
