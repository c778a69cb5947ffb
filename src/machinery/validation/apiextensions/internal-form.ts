/**
 * A definition in upstream's internal form, which validation and its error paths use: fields that all versions share
 * (schema, subresources, columns, selectable fields) appear once, under the names of v1beta1.
 */
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
  WebhookClientConfig,
} from '../../../api/generated/apiextensions-v1.ts';
import { semanticEqual } from '../equality.ts';

export interface InternalConversion {
  readonly strategy: string;
  readonly webhookClientConfig: WebhookClientConfig | undefined;
  readonly conversionReviewVersions: readonly string[];
}

export interface InternalSpec {
  readonly spec: CustomResourceDefinitionSpec;
  readonly version: string;
  readonly versions: readonly CustomResourceDefinitionVersion[];
  readonly validation: CustomResourceValidation | undefined;
  readonly subresources: CustomResourceSubresources | undefined;
  readonly additionalPrinterColumns: readonly CustomResourceColumnDefinition[];
  readonly selectableFields: readonly SelectableField[];
  readonly conversion: InternalConversion | undefined;
}

const SHARED = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

export function internalSpec(spec: CustomResourceDefinitionSpec): InternalSpec {
  const versions = spec.versions ?? [];
  const [first] = versions;
  const shared = new Set(
    SHARED.filter((name) => first && versions.every((version) => semanticEqual(version[name], first[name]))),
  );
  const own = versions.map((version) => {
    const copy = { ...version };
    for (const name of shared) delete copy[name];
    return copy;
  });
  const { strategy = '', webhook } = spec.conversion ?? {};
  return {
    spec,
    version: first?.name ?? '',
    versions: own,
    validation: shared.has('schema') ? first?.schema : undefined,
    subresources: shared.has('subresources') ? first?.subresources : undefined,
    additionalPrinterColumns: (shared.has('additionalPrinterColumns') && first?.additionalPrinterColumns) || [],
    selectableFields: (shared.has('selectableFields') && first?.selectableFields) || [],
    conversion: spec.conversion && {
      strategy,
      webhookClientConfig: webhook?.clientConfig,
      conversionReviewVersions: webhook?.conversionReviewVersions ?? [],
    },
  };
}
