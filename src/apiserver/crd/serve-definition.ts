/** Builds the served resources of a CustomResourceDefinition: one per version, all with the same stored objects. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '../../api/generated/apiextensions-v1.ts';
import { apiVersionOf, type Message } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { compileSchemaRules } from '../../cel/index.ts';
import type { OtherVersions } from '../../machinery/apply/index.ts';
import { forbidden, type StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { customResourcePrinter } from '../../machinery/table/index.ts';
import type { Schema } from '../../machinery/validation/index.ts';
import { compareVersions } from '../discovery/index.ts';
import { selectableFieldReader, type ServedResource, type StoredKind } from '../registry/served-resource.ts';
import { customResourcePrefix } from '../storage/keys.ts';
import type { ResourceCache } from '../storage/resource-cache.ts';
import type { ConversionWebhook } from './conversion-webhook.ts';
import { CustomDecoder } from './custom-decode.ts';
import { customStrategy } from './custom-strategy.ts';
import { customMessage } from './custom-type.ts';
import { customValidation } from './custom-validation.ts';
import { lazy } from './lazy.ts';
import { versionSchema, versionViews, webhookViews, type VersionSchema } from './version-views.ts';

export type Definition = CustomResourceDefinition & KubeObject;

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** The storage of a definition's objects, which all versions share. */
export function storedKindOf({ spec }: Definition): StoredKind {
  const storage = spec.versions.find((version) => version.storage)!;
  const namespaced = spec.scope === 'Namespaced';
  return {
    prefix: customResourcePrefix(spec.group, spec.names.plural),
    namespaced,
    apiVersion: apiVersionOf({ group: spec.group, version: storage.name }),
    kind: spec.names.kind,
    fieldsOf: selectableFieldReader({
      selectableFields: {},
      namespaced,
      message: customMessage(spec.names.kind, undefined),
    }),
  };
}

/** Includes versions that are not served: objects must be deletable when no version is served. */
export function versionResources(
  definition: Definition,
  cache: ResourceCache,
  webhook?: ConversionWebhook,
): ServedResource[] {
  const { spec } = definition;
  const stored = storedKindOf(definition);
  const schemas = new Map<string, VersionSchema>();
  for (const version of spec.versions) {
    const apiVersion = apiVersionOf({ group: spec.group, version: version.name });
    schemas.set(apiVersion, versionSchema(apiVersion, schemaOf(definition, version)));
  }
  const messages = new Map(
    spec.versions.map((version) => [
      version.name,
      lazy(() => customMessage(spec.names.kind, schemaOf(definition, version))),
    ]),
  );
  // The field changes of a conversion webhook are unknown, so managers of other versions keep their fields.
  const anything = lazy(() => customMessage(spec.names.kind, undefined));
  const versions: OtherVersions = (apiVersion) => {
    const known = schemas.has(apiVersion);
    const message = webhook ? anything : messages.get(apiVersion.slice(apiVersion.indexOf('/') + 1));
    return known && message ? { message: message(), convert: (object) => ({ ...object, apiVersion }) } : undefined;
  };
  return spec.versions.map((version) =>
    versionResource(definition, version, { cache, stored, schemas, messages, versions, webhook }),
  );
}

/** Undefined with preserveUnknownFields: nothing is pruned. */
const schemaOf = ({ spec }: Definition, { schema }: CustomResourceDefinitionVersion): Schema | undefined =>
  spec.preserveUnknownFields ? undefined : (schema?.openAPIV3Schema ?? { type: 'object' });

interface VersionParts {
  readonly cache: ResourceCache;
  readonly stored: StoredKind;
  readonly schemas: ReadonlyMap<string, VersionSchema>;
  readonly messages: ReadonlyMap<string, () => Message>;
  readonly versions: OtherVersions;
  readonly webhook: ConversionWebhook | undefined;
}

function versionResource(
  definition: Definition,
  version: CustomResourceDefinitionVersion,
  { cache, stored, schemas, messages, versions, webhook }: VersionParts,
): ServedResource {
  const { spec, status } = definition;
  const { group } = spec;
  const { kind, plural } = spec.names;
  const gvk = { group, version: version.name, kind };
  const schema = schemaOf(definition, version);
  const rootSchema = version.schema?.openAPIV3Schema;
  const namespaced = spec.scope === 'Namespaced';
  const scale = version.subresources?.scale;
  const hasStatus = version.subresources?.status != null;
  const served = schemas.get(apiVersionOf(gvk))!;
  const decoder = new CustomDecoder(gvk, schema, served.isNormalized);
  const storage = spec.versions.find((one) => one.storage)!;
  const terminating = (status?.conditions ?? []).some(
    ({ type, status: state }) => type === 'Terminating' && state === 'True',
  );
  const base = resourceDeclaration(definition, version);
  const views = { schemas, served, storage: schemas.get(stored.apiVersion)!, kind };
  const rules = lazy(() =>
    rootSchema && !spec.preserveUnknownFields ? compileSchemaRules(rootSchema, true) : undefined,
  );
  return {
    ...base,
    get message(): Message {
      return messages.get(version.name)!();
    },
    groupResource: { group, resource: plural },
    strategy: customStrategy(
      version.deprecated ? (version.deprecationWarning ?? deprecationOf(definition, version.name)) : undefined,
    ),
    stored,
    cache,
    ...(webhook ? webhookViews(webhook, views) : versionViews(views)),
    versions,
    ...(terminating ? { createRefusal: (name) => terminatingError(base, name), listedVerbs: TERMINATING_VERBS } : {}),
    decode: (request) => decoder.decode(request),
    conform: (_message, value) => decoder.conform(value),
    // As upstream, only what is decoded loses its nulls.
    conformApplied: (_message, value) => decoder.conform(value, { keepNulls: true }),
    openapi: {
      resource: base,
      ...(rootSchema ? { schema: rootSchema as unknown as JsonObject } : {}),
      preserveUnknownFields: spec.preserveUnknownFields === true,
    },
    custom: true,
    validation: customValidation({ ...gvk, namespaced, schema: rootSchema, hasStatus, scale, rules }),
    printer: customResourcePrinter(version.additionalPrinterColumns),
    storage: { group, version: storage.name, kind },
    ...(scale ? { scale } : {}),
  };
}

/** The declaration of a version's resource, as built-in resources have it. */
function resourceDeclaration({ spec, status }: Definition, version: CustomResourceDefinitionVersion) {
  const names = status?.acceptedNames ?? spec.names;
  const { kind, plural } = spec.names;
  const { scale, status: statusSubresource } = version.subresources ?? {};
  return {
    group: spec.group,
    version: version.name,
    kind,
    plural,
    singular: names.singular ?? kind.toLowerCase(),
    namespaced: spec.scope === 'Namespaced',
    verbs: VERBS,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: {
      ...(statusSubresource == null ? {} : { status: { verbs: SUBRESOURCE_VERBS } }),
      ...(scale ? { scale: { verbs: SUBRESOURCE_VERBS, kind: 'autoscaling/v1.Scale' } } : {}),
    },
    selectableFields: Object.fromEntries(
      (version.selectableFields ?? []).map(({ jsonPath }) => [jsonPath.slice(1), jsonPath.slice(1)]),
    ),
    columns: [],
    listKind: names.listKind ?? `${kind}List`,
  };
}

/** What discovery lists; changes are still served. */
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'];

const terminatingError = ({ group, plural }: { group: string; plural: string }, name: string): StatusError =>
  forbidden({ group, resource: plural }, name, 'create not allowed while custom resource definition is terminating');

/** Recommends the newest version that is not deprecated. */
function deprecationOf({ spec }: Definition, deprecated: string): string {
  const { group, names, versions } = spec;
  const newer = versions
    .filter((one) => one.served && !one.deprecated && compareVersions(one.name, deprecated) < 0)
    .map(({ name }) => name);
  const best = newer.sort(compareVersions)[0];
  const what = `${group}/${deprecated} ${names.kind} is deprecated`;
  return best === undefined ? what : `${what}; use ${group}/${best} ${names.kind}`;
}
