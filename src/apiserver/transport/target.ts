/** A request target's path and query. */
export function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: NO_QUERY };
  return { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}

const NO_QUERY = new URLSearchParams();
