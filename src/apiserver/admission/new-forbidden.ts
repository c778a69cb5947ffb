/** NewForbidden: the 403 Status of a plugin that rejects a request. */
import { aggregateMessage, forbidden, type StatusError } from '../../machinery/errors/index.ts';
import type { AdmissionAttributes } from './admission.ts';

export function newForbidden(attributes: AdmissionAttributes, ...reasons: readonly string[]): StatusError {
  return forbidden(attributes.groupResource, nameOf(attributes), aggregateMessage(reasons));
}

/** An object without a name yet is shown with its generateName. */
function nameOf({ name, object }: AdmissionAttributes): string {
  return name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
}
