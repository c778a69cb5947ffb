/**
 * A CustomResourceDefinition of v1beta1, which is how upstream stores every definition, as one of v1. In v1beta1 the
 * schema, subresources, printer columns and selectable fields stand once for all versions when they do not differ.
 */
import type {
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  WebhookClientConfig,
} from '../../../api/generated/apiextensions-v1.ts';
import type { KubeObject } from '../../../machinery/index.ts';

interface ColumnV1beta1 extends Omit<CustomResourceColumnDefinition, 'jsonPath'> {
  readonly JSONPath: string;
}

interface VersionV1beta1 extends Omit<CustomResourceDefinitionVersion, 'additionalPrinterColumns'> {
  readonly additionalPrinterColumns?: readonly ColumnV1beta1[];
}

/** What stands once for all versions. */
interface SharedParts {
  readonly validation?: CustomResourceDefinitionVersion['schema'];
  readonly subresources?: CustomResourceDefinitionVersion['subresources'];
  readonly additionalPrinterColumns?: readonly ColumnV1beta1[];
  readonly selectableFields?: CustomResourceDefinitionVersion['selectableFields'];
}

interface ConversionV1beta1 {
  readonly strategy: string;
  readonly webhookClientConfig?: WebhookClientConfig;
  readonly conversionReviewVersions?: string[];
}

interface SpecV1beta1 extends SharedParts {
  readonly version?: string;
  readonly versions?: readonly VersionV1beta1[];
  readonly conversion?: ConversionV1beta1;
  readonly preserveUnknownFields?: boolean;
}

export function definitionFromV1beta1(definition: KubeObject): KubeObject {
  const { spec, ...rest } = definition;
  return { ...rest, spec: specToV1(spec as SpecV1beta1) } as KubeObject;
}

function specToV1(spec: SpecV1beta1): Partial<CustomResourceDefinitionSpec> {
  const { version, versions, conversion, preserveUnknownFields = true, ...rest } = spec;
  const { validation, subresources, additionalPrinterColumns, selectableFields, ...named } = rest;
  const shared: SharedParts = { validation, subresources, additionalPrinterColumns, selectableFields };
  const listed = versions?.length ? versions : [{ name: version ?? '', served: true, storage: true }];
  return {
    ...named,
    versions: listed.map((one) => versionToV1(one, shared)),
    conversion: conversionToV1(conversion),
    ...(preserveUnknownFields ? { preserveUnknownFields } : {}),
  };
}

function versionToV1(version: VersionV1beta1, shared: SharedParts): CustomResourceDefinitionVersion {
  const { schema = shared.validation, subresources = shared.subresources, ...rest } = version;
  const { additionalPrinterColumns = shared.additionalPrinterColumns, ...flags } = rest;
  const { selectableFields = shared.selectableFields, ...named } = flags;
  return {
    ...named,
    ...(schema ? { schema } : {}),
    ...(subresources ? { subresources } : {}),
    ...(additionalPrinterColumns ? { additionalPrinterColumns: additionalPrinterColumns.map(columnToV1) } : {}),
    ...(selectableFields ? { selectableFields } : {}),
  };
}

const columnToV1 = ({ JSONPath, ...column }: ColumnV1beta1): CustomResourceColumnDefinition => ({
  ...column,
  jsonPath: JSONPath,
});

function conversionToV1(conversion: ConversionV1beta1 | undefined): CustomResourceConversion {
  const { strategy = 'None', webhookClientConfig, conversionReviewVersions } = conversion ?? {};
  if (strategy !== 'Webhook') return { strategy };
  return {
    strategy,
    webhook: {
      ...(webhookClientConfig ? { clientConfig: webhookClientConfig } : {}),
      conversionReviewVersions: conversionReviewVersions ?? ['v1beta1'],
    },
  };
}
