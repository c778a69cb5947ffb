/** Routing of custom resources: upstream has a separate handler for them, with different errors for invalid requests. */
import { ownValue } from '../../base/index.ts';
import { badRequest, methodNotSupported, notFound } from '../../machinery/errors/index.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Exchange } from '../request/exchange.ts';

/** Whether the path fits the scope of the resource; other paths are a 404 as for an unknown resource. */
export function isCustomPath(served: ServedResource, { info }: Exchange): boolean {
  const inNamespace = info.namespace !== '';
  if (served.namespaced === inNamespace) return true;
  return served.namespaced && (info.verb === 'list' || info.verb === 'watch');
}

const OBJECT_VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** The verb that serves a request for objects themselves. */
export function customVerb(served: ServedResource, { info }: Exchange): string {
  if (!OBJECT_VERBS.includes(info.verb)) throw methodNotSupported(served.groupResource, info.verb);
  const named = info.parts.length > 1;
  if (!named && (info.verb === 'update' || info.verb === 'patch')) throw badRequest('name must be provided');
  return info.verb;
}

export function customSubresourceVerb(served: ServedResource, { info }: Exchange): string {
  const declared = ownValue(served.subresources, info.subresource);
  if (!declared || info.parts.length > 3) throw notFound(served.groupResource, info.parts[1] ?? '');
  if (!declared.verbs.includes(info.verb)) throw methodNotSupported(served.groupResource, info.verb);
  return info.verb;
}
