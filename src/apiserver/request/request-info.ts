/**
 * What a request is for: GET `/apis/apps/v1/namespaces/default/deployments/web/scale` gets the subresource scale of the
 * deployment web. Authorization, audit and flow control use these terms, before routing.
 */
export interface RequestInfo {
  readonly path: string;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly apiPrefix: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path's segments from the resource on. */
  readonly parts: readonly string[];
}

const METHOD_VERBS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    POST: 'create',
    GET: 'get',
    HEAD: 'get',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: 'delete',
  }),
);

/** Subresources of a namespace: `/namespaces/a/status` is not a resource "status" in the namespace a. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const nonResource = (): RequestInfo => ({
    path,
    verb: method.toLowerCase(),
    isResourceRequest: false,
    apiPrefix: '',
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
  });

  const segments = splitPath(path.includes('//') ? path.replace(EMPTY_NAMESPACE, '/') : path);
  if (segments.length < 3) return nonResource();
  const apiPrefix = segments[0]!;
  if (apiPrefix !== 'api' && apiPrefix !== 'apis') return nonResource();
  let at = 1;
  let apiGroup = '';
  if (apiPrefix === 'apis') {
    if (segments.length < 4) return nonResource();
    apiGroup = segments[at++]!;
  }
  const apiVersion = segments[at++]!;

  let verb = METHOD_VERBS.get(method) ?? '';
  const first = segments[at];
  if (first === 'watch' || first === 'proxy') {
    verb = first;
    at++;
  }
  let namespace = '';
  if (segments[at] === 'namespaces' && segments.length > at + 1) {
    namespace = segments[at + 1]!;
    if (segments.length > at + 2 && !NAMESPACE_SUBRESOURCES.has(segments[at + 2]!)) at += 2;
  }
  const parts = segments.slice(at);
  const [resource = '', name = '', subresource = ''] = parts;
  if (name === '' && verb === 'get') verb = isTrue(query.get('watch')) ? 'watch' : 'list';
  if (name === '' && verb === 'delete') verb = 'deletecollection';
  const selected = verb === 'list' || verb === 'watch' ? nameInFieldSelector(query) : '';
  return {
    path,
    verb,
    isResourceRequest: true,
    apiPrefix,
    apiGroup,
    apiVersion,
    namespace,
    resource,
    subresource,
    name: name === '' ? selected : name,
    parts,
  };
}

const LONG_RUNNING_VERBS = new Set(['watch', 'proxy']);
const LONG_RUNNING_SUBRESOURCES = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** The request may take as long as its client likes: it has no timeout. */
export const isLongRunning = ({ isResourceRequest, verb, subresource }: RequestInfo): boolean =>
  isResourceRequest &&
  (LONG_RUNNING_VERBS.has(verb) || (subresource !== '' && LONG_RUNNING_SUBRESOURCES.has(subresource)));

/** Web services take a path with any number of slashes after it. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** An empty namespace in a path: no namespace is meant. */
export const EMPTY_NAMESPACE = /\/namespaces\/\/(?=(?!status\b|finalize\b)[^/]+(?:\/[^/]+)?\/*$)/;

export function splitPath(path: string): string[] {
  let parts = path.split('/');
  // Nearly all paths begin with a slash and have no other empty segment.
  if (parts[0] === '') parts.shift();
  if (parts.includes('')) parts = parts.filter((part) => part !== '');
  return path.includes('%') ? parts.map(unescaped) : parts;
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** As Go's query decoding of a bool pointer: present and neither "0" nor "false". */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/** Authorization treats a list with `fieldSelector=metadata.name=x` as a request for that name. */
function nameInFieldSelector(query: URLSearchParams): string {
  const selector = query.get('fieldSelector');
  if (!selector) return '';
  for (const term of selector.split(',')) {
    const match = /^metadata\.name==?([^=]*)$/.exec(term.trim());
    if (match && /^[^/%]+$/.test(match[1]!)) return match[1]!;
  }
  return '';
}

/** As upstream counts requests: all but reads of objects are mutating. */
export type RequestKind = 'readOnly' | 'mutating';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

export const requestKind = ({ verb }: RequestInfo): RequestKind => (READS.has(verb) ? 'readOnly' : 'mutating');
