/**
 * What a CustomResourceDefinition says of its objects, by version: how they are decoded, pruned, defaulted and validated, and
 * which fields apply merges. It depends on the definition alone, so the server and its thread of large requests both have it.
 */
import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '../../api/generated/apiextensions-v1.ts';
import { apiVersionOf, type Message } from '../../api/index.ts';
import { compileSchemaRules, type SchemaRules } from '../../cel/index.ts';
import type { OtherVersions } from '../../machinery/apply/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { KindValidation, Schema } from '../../machinery/validation/index.ts';
import { CustomDecoder } from './custom-decode.ts';
import { customMessage } from './custom-type.ts';
import { customValidation } from './custom-validation.ts';
import { lazy } from './lazy.ts';
import { versionSchema, type VersionSchema } from './version-schema.ts';

export interface CustomKind {
  /** The fields of the kind, for apply and managed fields. */
  message(): Message;
  readonly decoder: CustomDecoder;
  readonly validation: KindValidation<KubeObject>;
  /** For field managers that wrote in other versions. */
  readonly versions: OtherVersions;
}

export interface CustomKinds {
  /** By apiVersion. */
  readonly schemas: ReadonlyMap<string, VersionSchema>;
  /** By the name of the version. */
  readonly byVersion: ReadonlyMap<string, CustomKind>;
}

/** Compiles the rules of a schema; the server measures it. */
export type CompileRules = (compile: () => SchemaRules | undefined) => SchemaRules | undefined;

export function customKinds(
  spec: CustomResourceDefinitionSpec,
  compileRules: CompileRules = (compile) => compile(),
): CustomKinds {
  const { group, names } = spec;
  const schemas = new Map<string, VersionSchema>();
  for (const version of spec.versions) {
    const apiVersion = apiVersionOf({ group, version: version.name });
    schemas.set(apiVersion, versionSchema(apiVersion, schemaOf(spec, version)));
  }
  const messages = new Map(
    spec.versions.map((version) => [version.name, lazy(() => customMessage(names.kind, schemaOf(spec, version)))]),
  );
  // The field changes of a conversion webhook are unknown, so managers of other versions keep their fields.
  const anything = lazy(() => customMessage(names.kind, undefined));
  const versions: OtherVersions = (apiVersion) => {
    const known = schemas.has(apiVersion);
    const message = convertsByWebhook(spec) ? anything : messages.get(apiVersion.slice(apiVersion.indexOf('/') + 1));
    return known && message ? { message: message(), convert: (object) => ({ ...object, apiVersion }) } : undefined;
  };
  const kindOf = (version: CustomResourceDefinitionVersion): CustomKind => {
    const gvk = { group, version: version.name, kind: names.kind };
    const { isNormalized } = schemas.get(apiVersionOf(gvk))!;
    return {
      message: messages.get(version.name)!,
      decoder: new CustomDecoder(gvk, schemaOf(spec, version), isNormalized),
      validation: validationOf(spec, version, compileRules),
      versions,
    };
  };
  return { schemas, byVersion: new Map(spec.versions.map((version) => [version.name, kindOf(version)])) };
}

/** Whether objects are converted between versions by a webhook. */
export const convertsByWebhook = ({ conversion }: CustomResourceDefinitionSpec): boolean =>
  conversion?.strategy === 'Webhook' && conversion.webhook?.clientConfig !== undefined;

/** Undefined with preserveUnknownFields: nothing is pruned. */
const schemaOf = (
  { preserveUnknownFields }: CustomResourceDefinitionSpec,
  { schema }: CustomResourceDefinitionVersion,
): Schema | undefined => (preserveUnknownFields ? undefined : (schema?.openAPIV3Schema ?? { type: 'object' }));

function validationOf(
  spec: CustomResourceDefinitionSpec,
  version: CustomResourceDefinitionVersion,
  compileRules: CompileRules,
): KindValidation<KubeObject> {
  const rootSchema = version.schema?.openAPIV3Schema;
  return customValidation({
    group: spec.group,
    version: version.name,
    kind: spec.names.kind,
    namespaced: spec.scope === 'Namespaced',
    schema: rootSchema,
    hasStatus: version.subresources?.status != null,
    scale: version.subresources?.scale,
    rules: lazy(() =>
      rootSchema && !spec.preserveUnknownFields ? compileRules(() => compileSchemaRules(rootSchema, true)) : undefined,
    ),
  });
}
