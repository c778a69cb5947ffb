/** OpenAPI v2 and v3: every path's parameters and every schema's shape. Descriptions are each server's own. */
import type { Area, Conversation, Step } from '../conversation.ts';
import { kindSamples } from '../kinds.ts';

export const openapi: Area = { weight: 2, conversations };

const PARAMETERS = '#/parameters/';

interface Document {
  readonly [section: string]: unknown;
  readonly paths?: Readonly<Record<string, unknown>>;
  readonly definitions?: Readonly<Record<string, unknown>>;
}

function* conversations(): Generator<Conversation> {
  const versions = [
    ...new Set(
      kindSamples.map(({ collection }) =>
        collection
          .split('/')
          .slice(1, collection.startsWith('/api/') ? 3 : 4)
          .join('/'),
      ),
    ),
  ];
  const groups = [...new Set(versions.map((version) => version.split('/').slice(0, -1).join('/')))];
  const get = (path: string, only = withoutDescriptions): Step => ({ method: 'GET', path, only });
  yield { topic: 'v3', namespace: false, steps: [get('/openapi/v3', builtInPaths)] };
  for (const path of [
    'api',
    'apis',
    'version',
    'logs',
    '.well-known/openid-configuration',
    'openid/v1/jwks',
    ...groups,
    ...versions,
  ]) {
    yield { topic: `v3 ${path}`, namespace: false, steps: [get(`/openapi/v3/${path}`)] };
  }
  yield {
    topic: 'v3 errors',
    namespace: false,
    steps: [
      '/openapi/v3/nope',
      '/openapi/v3/',
      '/openapi',
      '/openapi/v1',
      '/swagger.json',
      '/openapi/v3/apis/apps/v1?hash=nope',
    ].map((path) => get(path)),
  };
  yield { topic: 'v2', namespace: false, steps: [get('/openapi/v2', builtInDocument)] };
}

/** Paths of custom resources come and go with other conversations. */
function builtInPaths(body: unknown): unknown {
  // The index is JSON that is served as text: its lines.
  const { paths = {}, ...rest } = (Array.isArray(body) ? JSON.parse(body.join('\n')) : (body ?? {})) as Document;
  const own = Object.entries(paths).filter(([path]) => !/example\.(?:com|org)/.test(path));
  const versions = own.map(([path, entry]) => [
    path,
    {
      serverRelativeURL: (entry as { serverRelativeURL: string }).serverRelativeURL.replace(/hash=\w+/, 'hash=<hash>'),
    },
  ]);
  return { ...rest, paths: Object.fromEntries(versions) };
}

/** Shared parameters have names with a hash of their descriptions: they are put where they are used. */
function builtInDocument(body: unknown): unknown {
  const { parameters = {}, ...document } = (body ?? {}) as Document;
  const {
    paths = {},
    definitions = {},
    ...rest
  } = withoutDescriptions(resolved(document, parameters as Readonly<Record<string, unknown>>)) as Document;
  const builtIn = (entries: object): object =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => !/example|\.compare/.test(name)));
  return { ...rest, paths: builtIn(paths), definitions: builtIn(definitions) };
}

function resolved(value: unknown, parameters: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((element) => resolved(element, parameters));
  if (value === null || typeof value !== 'object') return value;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === 'string' && $ref.startsWith(PARAMETERS))
    return parameters[$ref.slice(PARAMETERS.length)] ?? value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolved(inner, parameters)]));
}

/** Parameters are told apart by their names; their order has no meaning. */
export function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) {
    const parameters = value.every(
      (element) => typeof element === 'object' && element !== null && 'in' in element && 'name' in element,
    );
    if (!parameters || value.length === 0) return value.map(withoutDescriptions);
    return Object.fromEntries(
      (value as { name: string }[]).map((parameter) => [parameter.name, withoutDescriptions(parameter)]),
    );
  }
  if (value === null || typeof value !== 'object') return value;
  // A reference stands in `allOf` only so that it can have a description.
  const { allOf, description, ...others } = value as Record<string, unknown>;
  if (Array.isArray(allOf) && allOf.length === 1 && typeof description === 'string' && Object.keys(others).length === 0)
    return withoutDescriptions(allOf[0]);
  return Object.fromEntries(
    Object.entries(value)
      // A property may be called description; only a text is one.
      .filter(([key, inner]) => !(key === 'description' && typeof inner === 'string'))
      .map(([key, inner]) => [key, withoutDescriptions(inner)]),
  );
}
