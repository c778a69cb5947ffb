/** Builds the served resources of a CustomResourceDefinition: one per version, all with the same stored objects. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '../../api/generated/apiextensions-v1.ts';
import { apiVersionOf, type Message } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { forbidden, type StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { compareVersions } from '../../machinery/index.ts';
import { customResourcePrinter } from '../../machinery/table/index.ts';
import { customKinds, type CompileRules, type CustomKinds } from '../custom-kind/custom-kinds.ts';
import { customMessage } from '../custom-kind/custom-type.ts';
import { selectableFieldReader, type ServedResource, type StoredKind } from '../registry/served-resource.ts';
import { customResourcePrefix } from '../storage/keys.ts';
import type { ResourceCache } from '../storage/resource-cache.ts';
import type { ConversionWebhook } from './conversion-webhook.ts';
import { customStrategy } from './custom-strategy.ts';
import { versionViews, webhookViews } from './version-views.ts';

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

interface ServingParts {
  readonly cache: ResourceCache;
  readonly webhook: ConversionWebhook | undefined;
  readonly compileRules: CompileRules;
}

/** Includes versions that are not served: objects must be deletable when no version is served. */
export function versionResources(
  definition: Definition,
  { cache, webhook, compileRules }: ServingParts,
): ServedResource[] {
  const stored = storedKindOf(definition);
  const kinds = customKinds(definition.spec, compileRules);
  return definition.spec.versions.map((version) =>
    versionResource(definition, version, { cache, stored, kinds, webhook }),
  );
}

interface VersionParts {
  readonly cache: ResourceCache;
  readonly stored: StoredKind;
  readonly kinds: CustomKinds;
  readonly webhook: ConversionWebhook | undefined;
}

function versionResource(
  definition: Definition,
  version: CustomResourceDefinitionVersion,
  { cache, stored, kinds: { schemas, byVersion }, webhook }: VersionParts,
): ServedResource {
  const { spec, status } = definition;
  const { group } = spec;
  const { kind, plural } = spec.names;
  const rootSchema = version.schema?.openAPIV3Schema;
  const { message, decoder, validation, versions } = byVersion.get(version.name)!;
  const served = schemas.get(apiVersionOf({ group, version: version.name }))!;
  const storage = spec.versions.find((one) => one.storage)!;
  const terminating = (status?.conditions ?? []).some(
    ({ type, status: state }) => type === 'Terminating' && state === 'True',
  );
  const base = resourceDeclaration(definition, version);
  const views = { schemas, served, storage: schemas.get(stored.apiVersion)!, kind };
  return {
    ...base,
    get message(): Message {
      return message();
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
    decode: (request, growth) => decoder.decode(request, growth),
    conform: (_message, value, growth) => decoder.conform(value, growth),
    // As upstream, only what is decoded loses its nulls.
    conformApplied: (_message, value, growth) => decoder.conform(value, growth, { keepNulls: true }),
    openapi: {
      resource: base,
      ...(rootSchema ? { schema: rootSchema as unknown as JsonObject } : {}),
      preserveUnknownFields: spec.preserveUnknownFields === true,
    },
    custom: true,
    validation,
    definition: spec,
    printer: customResourcePrinter(version.additionalPrinterColumns),
    storage: { group, version: storage.name, kind },
    ...(version.subresources?.scale ? { scale: version.subresources.scale } : {}),
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
