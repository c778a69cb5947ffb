/** A request target's path and query. Never throws: `//`, `http://[` and the like are targets that a client may send. */
export function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const origin = target.startsWith('/') ? target : withoutOrigin(target);
  const mark = origin.indexOf('?');
  if (mark < 0) return { path: origin, query: NO_QUERY };
  return { path: origin.slice(0, mark), query: new URLSearchParams(validPairs(origin.slice(mark + 1))) };
}

const NO_QUERY = new URLSearchParams();

/** Requests to proxies have the form `http://host/path`; a server uses the path. */
function withoutOrigin(target: string): string {
  const scheme = /^[a-z][a-z0-9+.-]{0,30}:\/\//i.exec(target)?.[0];
  if (scheme === undefined) return target;
  const end = target.slice(scheme.length).search(/[/?]/);
  return end < 0 ? '' : target.slice(scheme.length + end);
}

/** As Go parses a query: a pair with a semicolon or a broken escape is ignored. */
function validPairs(query: string): string {
  if (!/;|%(?![0-9a-fA-F]{2})/.test(query)) return query;
  return query
    .split('&')
    .filter((pair) => !/;|%(?![0-9a-fA-F]{2})/.test(pair))
    .join('&');
}
