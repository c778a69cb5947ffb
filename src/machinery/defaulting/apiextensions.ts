import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import { inOrderOf } from './declared-order.ts';

export function defaultCustomResourceDefinition(draft: CustomResourceDefinition): void {
  const spec = { ...draft.spec };
  const { kind } = spec.names;
  const names = { ...spec.names };
  if (!names.singular && kind) names.singular = kind.toLowerCase();
  if (!names.listKind && kind) names.listKind = `${kind}List`;
  spec.names = inOrderOf('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames', names);
  spec.conversion ??= { strategy: 'None' };
  draft.spec = spec;

  const stored = spec.versions?.find((version) => version.storage);
  if (stored && !draft.status?.storedVersions?.length) draft.status = { ...draft.status!, storedVersions: [stored.name] };
}
