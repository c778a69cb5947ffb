/** Finds the params of a policy binding. */
import type { ParamKind, ParamRef } from '../../../api/generated/admissionregistration-v1.ts';
import { apiVersionOf } from '../../../api/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import { labelSelectorAsSelector } from '../../../machinery/selectors/index.ts';
import type { Registry } from '../../registry/registry.ts';
import { viewOf, type ServedResource } from '../../registry/served-resource.ts';
import type { Entry } from '../../storage/entry.ts';

export function findParamKind(registry: Registry, { apiVersion = '', kind = '' }: ParamKind): ServedResource {
  const found = registry
    .all()
    .find((served) => served.kind === kind && apiVersionOf(served) === apiVersion && served.verbs.includes('list'));
  if (!found) throw new Error(`failed to find resource referenced by paramKind: '${kindText(apiVersion, kind)}'`);
  return found;
}

function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** The policy runs once for each result; undefined stands for null params. Throws for an invalid paramRef. */
export async function collectParams(
  params: ServedResource | undefined,
  ref: ParamRef | undefined,
  requestNamespace: string,
): Promise<readonly (KubeObject | undefined)[]> {
  if (!params || !ref) return [undefined];
  if (ref.namespace && !params.namespaced)
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const namespace = params.namespaced ? ref.namespace || requestNamespace : '';
  if (params.namespaced && namespace === '')
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  const found = await select(params, ref, namespace);
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny')
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}

async function select(params: ServedResource, { name, selector }: ParamRef, namespace: string): Promise<KubeObject[]> {
  if (name) {
    const entry = params.cache.get(namespace, name);
    return entry ? convertedObjects(params, [entry]) : [];
  }
  if (!selector) throw new Error('one of name or selector must be provided');
  const compiled = labelSelectorAsSelector(selector);
  const entries = params.cache.list(namespace).filter(({ object }) => compiled.matches(object.metadata.labels));
  return convertedObjects(params, entries);
}

/** In the version of paramKind; objects that are stored in another version may need a conversion webhook. */
async function convertedObjects(params: ServedResource, entries: readonly Entry[]): Promise<KubeObject[]> {
  await params.prepareViews?.(entries);
  return entries.map((entry) => viewOf(params, entry).object);
}
