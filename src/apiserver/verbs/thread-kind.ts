/** The kind of a resource as the thread of large requests knows it. */
import type { CustomResourceDefinitionSpec } from '../../api/generated/apiextensions-v1.ts';
import { type GroupVersionKind, schema } from '../../api/index.ts';
import type { ServedResource } from '../registry/served-resource.ts';

interface ThreadKind {
  readonly kind: GroupVersionKind;
  /** The definition of a custom resource. */
  readonly custom?: { readonly definition: CustomResourceDefinitionSpec; readonly version: string };
}

/** undefined for views of a resource, such as its Scale: the thread knows kinds only. */
export function threadKind(served: ServedResource): ThreadKind | undefined {
  const { group, version, kind, definition } = served;
  const gvk = { group, version, kind };
  if (definition) {
    const isOwn = definition.group === group && definition.names.kind === kind;
    return isOwn ? { kind: gvk, custom: { definition, version } } : undefined;
  }
  return !served.custom && schema.kind(served) === served.message ? { kind: gvk } : undefined;
}
