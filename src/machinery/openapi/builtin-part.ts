/** The parts of the OpenAPI documents that describe the built-in kinds. */
import { isServedByDefault, schema, type Resource } from '../../api/index.ts';
import { runSteps, type Steps } from '../../base/index.ts';
import { DefinitionTexts, refsIn } from './definition-texts.ts';
import { definitionsOfVersion } from './definitions.ts';
import {
  corePath,
  groupPath,
  groupsPath,
  groupVersionPath,
  keySetPath,
  openIdConfigurationPath,
  versionPath,
} from './discovery-paths.ts';
import { type OpenApiResource, type PathItem } from './operations.ts';
import { member, partOf, type Member, type Part } from './part.ts';
import { renderPathV2, SharedParameters } from './render-v2.ts';
import { renderPathV3 } from './render-v3.ts';
import { resourcePaths } from './resource-paths.ts';

const definitionTexts = { v2: new DefinitionTexts('v2'), v3: new DefinitionTexts('v3') };

const openApiResource = (resource: Resource): OpenApiResource => ({
  ...resource,
  definition: resource.message.fullName,
  listDefinition: `${resource.message.fullName.slice(0, -resource.message.name.length)}${resource.listKind}`,
});

interface BuiltinDocument {
  /** Paths of discovery, independent of the resources. */
  readonly discovery: readonly PathItem[];
  readonly resources: readonly Resource[];
}

/** The documents of version 3 by name: `api/v1`, `apis/apps/v1`, `apis/apps`, `version`. */
function documentsOf(served: readonly Resource[]): ReadonlyMap<string, BuiltinDocument> {
  const byName = new Map<string, { discovery: PathItem[]; resources: Resource[] }>();
  const discovery = (name: string, item: PathItem): void => void byName.set(name, { discovery: [item], resources: [] });
  discovery('api', corePath);
  discovery('apis', groupsPath);
  discovery('version', versionPath);
  discovery('.well-known/openid-configuration', openIdConfigurationPath);
  discovery('openid/v1/jwks', keySetPath);
  for (const resource of served) {
    const { group, version } = resource;
    const name = group === '' ? `api/${version}` : `apis/${group}/${version}`;
    if (group !== '') discovery(`apis/${group}`, groupPath(group));
    if (!byName.has(name)) discovery(name, groupVersionPath(resource));
    byName.get(name)!.resources.push(resource);
  }
  return byName;
}

function* itemsOf({ discovery, resources }: BuiltinDocument): Steps<PathItem[]> {
  const items = [...discovery];
  for (const resource of resources) {
    items.push(...resourcePaths(openApiResource(resource)));
    yield;
  }
  return items;
}

/** Paths of version 2, their shared parameters, and the names of the definitions that they refer to. */
export function* pathsV2(
  items: readonly PathItem[],
): Steps<Pick<Part, 'paths' | 'parameters'> & { readonly refs: Set<string> }> {
  const shared = new SharedParameters();
  const paths: Member[] = [];
  const refs = new Set<string>();
  for (const item of items) {
    const text = JSON.stringify(renderPathV2(item, shared));
    for (const name of refsIn(text)) refs.add(name);
    paths.push(member(item.path, text));
    yield;
  }
  const parameters = shared.all();
  for (const name of refsIn(JSON.stringify(parameters))) refs.add(name);
  return { paths, parameters, refs };
}

export function* pathsV3(items: readonly PathItem[]): Steps<{ readonly paths: Member[]; readonly refs: Set<string> }> {
  const paths: Member[] = [];
  const refs = new Set<string>();
  for (const item of items) {
    const text = JSON.stringify(renderPathV3(item));
    for (const name of refsIn(text)) refs.add(name);
    paths.push(member(item.path, text));
    yield;
  }
  return { paths, refs };
}

/** What the documents say about the built-in resources that are served. */
export class BuiltinApi {
  readonly documents: ReadonlyMap<string, BuiltinDocument>;
  #swagger: Part | undefined;
  readonly #parts = new Map<string, Part>();

  constructor(served: readonly Resource[]) {
    this.documents = documentsOf(served);
  }

  *v2(): Steps<Part> {
    if (this.#swagger) return this.#swagger;
    const items: PathItem[] = [];
    for (const document of this.documents.values()) items.push(...(yield* itemsOf(document)));
    const { paths, parameters, refs } = yield* pathsV2(items);
    const definitions = yield* definitionTexts.v2.reachableFrom(refs);
    return (this.#swagger = partOf({ paths, parameters, definitions }));
  }

  *v3(name: string): Steps<Part | undefined> {
    const document = this.documents.get(name);
    if (!document) return undefined;
    let part = this.#parts.get(name);
    if (!part) {
      const { paths, refs } = yield* pathsV3(yield* itemsOf(document));
      const definitions = ofVersion(yield* definitionTexts.v3.reachableFrom(refs), document);
      part = partOf({ paths, parameters: {}, definitions });
      this.#parts.set(name, part);
    }
    return part;
  }
}

const apis = new Map<string, BuiltinApi>();

/** Servers of a process that serve the same resources share what is made of them. */
export function builtinApi(
  served: readonly Resource[] = schema.resources.filter(({ version }) => isServedByDefault(version)),
): BuiltinApi {
  const key = served.map(({ group, version, plural }) => `${group}/${version}/${plural}`).join();
  let api = apis.get(key);
  if (!api) apis.set(key, (api = new BuiltinApi(served)));
  return api;
}

/** The definitions of a document, with those that differ from version to version as this version has them. */
function ofVersion(definitions: Member[], { resources: [first] }: BuiltinDocument): Member[] {
  if (!first) return definitions;
  const own = new Map(definitionsOfVersion(first));
  return definitions.map((one) => (own.has(one.name) ? member(one.name, JSON.stringify(own.get(one.name))) : one));
}

/** Built-in definitions for another document: in version 3 every document contains those that it refers to. */
export const builtinDefinitionsV3 = (names: Iterable<string>): Member[] =>
  runSteps(definitionTexts.v3.reachableFrom(names));
