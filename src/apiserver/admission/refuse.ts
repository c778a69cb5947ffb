import { forbidden, type StatusError } from '../../machinery/errors/index.ts';
import type { AdmissionAttributes } from './admission.ts';
/** The 403 that a plugin answers with, named after what the request would have written. */
import { aggregateMessageOf } from './aggregate-message.ts';

export function refuse(attributes: AdmissionAttributes, ...reasons: readonly string[]): StatusError {
  return forbidden(attributes.groupResource, nameOf(attributes), aggregateMessageOf(reasons));
}

/** Names that are still to be generated are shown as their prefix. */
function nameOf({ name, object }: AdmissionAttributes): string {
  return name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
}
