/** The objects that a binding gives to its policy as parameters. */
import type { ParamKind, ParamRef } from '../../../api/generated/admissionregistration-v1.ts';
import { apiVersionOf } from '../../../api/schema.ts';
import type { KubeObject } from '../../../machinery/object.ts';
import { labelSelectorAsSelector } from '../../../machinery/selectors/index.ts';
import type { Registry } from '../../registry/registry.ts';
import { viewOf, type ServedResource } from '../../registry/served-resource.ts';

export function findParamKind(registry: Registry, { apiVersion = '', kind = '' }: ParamKind): ServedResource {
  const found = registry.all().find((served) => served.kind === kind && apiVersionOf(served) === apiVersion && served.verbs.includes('list'));
  if (!found) throw new Error(`failed to find resource referenced by paramKind: '${kindText(apiVersion, kind)}'`);
  return found;
}

function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** One run of the policy for each; an undefined one means a run with null. Fails with what is wrong with the reference. */
export function collectParams(params: ServedResource | undefined, ref: ParamRef | undefined, requestNamespace: string): readonly (KubeObject | undefined)[] {
  if (!params || !ref) return [undefined];
  if (ref.namespace && !params.namespaced) throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const namespace = params.namespaced ? ref.namespace || requestNamespace : '';
  if (params.namespaced && namespace === '') throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  const found = select(params, ref, namespace);
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}

function select(params: ServedResource, { name, selector }: ParamRef, namespace: string): KubeObject[] {
  if (name) {
    const entry = params.cache.get(namespace, name);
    return entry ? [viewOf(params, entry).object] : [];
  }
  if (!selector) throw new Error('one of name or selector must be provided');
  const compiled = labelSelectorAsSelector(selector);
  const objects = params.cache.list(namespace).map((entry) => viewOf(params, entry).object);
  return objects.filter(({ metadata }) => compiled.matches(metadata.labels));
}
