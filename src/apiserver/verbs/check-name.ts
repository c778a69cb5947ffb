import { quote } from '../../base/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import { pathSegmentName } from '../../machinery/names/index.ts';

/** A name becomes a part of a key in the store. */
export function checkName(name: string): void {
  const problems = pathSegmentName(name);
  if (problems.length > 0) throw badRequest(`Name parameter invalid: ${quote(name)}: ${problems.join(';')}`);
}
