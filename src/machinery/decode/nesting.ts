/** Checks the nesting of values that were put together from parts, each of which was within the limit. */
import { badRequest } from '../errors/index.ts';
import { MAX_DEPTH } from './scan-json.ts';

/** Throws a StatusError for a value that nests deeper than a document may. Does not recurse. */
export function checkNesting(value: unknown): void {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= MAX_DEPTH) throw badRequest('exceeded max depth');
    const next: object[] = [];
    for (const container of level) {
      for (const key in container) {
        const element = (container as Record<string, unknown>)[key];
        if (isContainer(element)) next.push(element);
      }
    }
    level = next;
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
