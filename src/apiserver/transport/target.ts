/** A request target's path and query. */
export function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: NO_QUERY };
  return { path: target.slice(0, mark), query: new URLSearchParams(validPairs(target.slice(mark + 1))) };
}

const NO_QUERY = new URLSearchParams();

/** As Go reads a query: a pair with a semicolon or a broken escape is as good as not there. */
function validPairs(query: string): string {
  if (!/;|%(?![0-9a-fA-F]{2})/.test(query)) return query;
  return query.split('&').filter((pair) => !/;|%(?![0-9a-fA-F]{2})/.test(pair)).join('&');
}
