/** Defaults of CustomResourceDefinitions. */
import type { CustomResourceConversion, CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import { inOrderOf } from './declared-order.ts';

export function defaultCustomResourceDefinition({
  spec: given,
  status,
}: CustomResourceDefinition): Partial<CustomResourceDefinition> {
  const names = { ...given.names };
  if (!names.singular && names.kind) names.singular = names.kind.toLowerCase();
  if (!names.listKind && names.kind) names.listKind = `${names.kind}List`;
  const spec = {
    ...given,
    names: inOrderOf('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames', names),
    conversion: conversionOf(given.conversion),
  };
  const stored = given.versions?.find((version) => version.storage);
  if (!stored || status?.storedVersions?.length) return { spec };
  return { spec, status: { ...status!, storedVersions: [stored.name] } };
}

/** A webhook without any field does not survive upstream's conversion. */
function conversionOf(given: CustomResourceConversion | undefined): CustomResourceConversion {
  const { webhook, ...rest } = given ?? { strategy: 'None' };
  return webhook?.clientConfig || webhook?.conversionReviewVersions?.length ? { ...rest, webhook } : rest;
}
