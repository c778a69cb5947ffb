/** Which requests a fault matches. */
import type { ApiRequest } from '../../apiserver/index.ts';

export interface RequestMatch {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`; `write` for all writing verbs. */
  readonly verb?: string | readonly string[];
  /** The plural name, optionally with a subresource: `pods`, `pods/status`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Part of the user's name or of the user agent: `kube-scheduler`. */
  readonly client?: string;
}

export interface RequestFacts {
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

const PATH =
  /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/[^/]))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?/;
const VERBS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }),
);
const WRITES = new Set([...VERBS.values()]);

export function requestFacts(request: ApiRequest): RequestFacts | undefined {
  const parts = PATH.exec(request.path);
  if (!parts) return undefined;
  const [, namespace = '', resource = '', name = '', subresource = ''] = parts;
  const watch = request.query.get('watch');
  const reading = watch === 'true' || watch === '1' ? 'watch' : name === '' ? 'list' : 'get';
  return {
    verb: VERBS.get(request.method) ?? reading,
    resource,
    subresource,
    namespace: decodeURIComponent(namespace),
    name: decodeURIComponent(name),
  };
}

export function matches(match: RequestMatch, request: ApiRequest, facts: RequestFacts): boolean {
  const { verb, resource, namespace, name, client } = match;
  if (
    verb !== undefined &&
    ![verb].flat().some((wanted) => wanted === facts.verb || (wanted === 'write' && WRITES.has(facts.verb)))
  )
    return false;
  if (resource !== undefined) {
    const [plural, subresource] = resource.split('/');
    if (plural !== facts.resource || (subresource !== undefined && subresource !== facts.subresource)) return false;
  }
  if (namespace !== undefined && namespace !== facts.namespace) return false;
  if (name !== undefined && name !== facts.name) return false;
  return (
    client === undefined ||
    `${request.user?.name ?? ''} ${String(request.headers['user-agent'] ?? '')}`.includes(client)
  );
}
