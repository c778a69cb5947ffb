import { createHash } from 'node:crypto';
import { schema, type Resource } from '../../api/index.ts';
import type { JsonObject } from '../object.ts';
import { customDefinitions, customOpenApiResource, type CustomResourceApi } from './custom-resource.ts';
import { DefinitionTexts } from './definition-texts.ts';
import { encodeGnosticDocument } from './gnostic.ts';
import { corePath, groupPath, groupsPath, groupVersionPath, versionPath } from './information-paths.ts';
import { resourcePaths, type OpenApiResource, type PathItem } from './operations.ts';
import { renderPathV2, SharedParameters } from './render-v2.ts';
import { renderPathV3 } from './render-v3.ts';

/** A document as it is served. */
export interface OpenApiDocument {
  readonly bytes: Buffer;
  /** Changes with the content; the value of `?hash=` and, quoted, the entity tag. */
  readonly hash: string;
}

export interface OpenApiOptions {
  /** The version of the server, such as v1.36.4. */
  readonly version: string;
  /** Custom resources to be described beside the built-in ones. */
  readonly custom?: readonly CustomResourceApi[];
}

const SECURITY_SCHEMES: JsonObject = {
  BearerToken: { description: 'Bearer Token authentication', in: 'header', name: 'authorization', type: 'apiKey' },
};

/**
 * Every OpenAPI document of a server, built when it is first asked for. When custom resources change, make another: what
 * the built-in kinds contribute is shared by all.
 */
export class OpenApiDocuments {
  private readonly made = new Map<string, OpenApiDocument>();
  private readonly custom: readonly CustomResourceApi[];

  constructor(private readonly options: OpenApiOptions) {
    this.custom = options.custom ?? [];
  }

  /** /openapi/v2 as JSON. */
  v2(): OpenApiDocument {
    return this.once('v2', () => Buffer.from(this.v2Text()));
  }

  /** /openapi/v2 in its protobuf form. */
  v2Protobuf(): OpenApiDocument {
    return this.once('v2 protobuf', () => encodeGnosticDocument(JSON.parse(this.v2Text()) as JsonObject));
  }

  /** /openapi/v3: where the documents are. */
  v3Root(): OpenApiDocument {
    return this.once('v3', () => {
      const paths = this.v3Names().map((name) => [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${this.v3(name)!.hash}` }]);
      return Buffer.from(JSON.stringify({ paths: Object.fromEntries(paths) as JsonObject }));
    });
  }

  /** /openapi/v3/NAME: `api/v1`, `apis/apps/v1`, `apis/apps`, `version`; undefined for what is not served. */
  v3(name: string): OpenApiDocument | undefined {
    const builtin = builtinPaths().get(name);
    if (builtin) return builtinV3(name, builtin, this.options.version);
    const custom = this.custom.filter(({ resource }) => `apis/${resource.group}/${resource.version}` === name);
    return custom.length === 0 ? undefined : this.once(`v3 ${name}`, () => customV3(custom));
  }

  v3Names(): string[] {
    const custom = this.custom.map(({ resource }) => `apis/${resource.group}/${resource.version}`);
    return [...new Set([...builtinPaths().keys(), ...custom])].sort();
  }

  private v2Text(): string {
    const builtin = builtinV2();
    const custom = renderV2(customPaths(this.custom));
    const definitions = this.custom.flatMap((api) => customDefinitions(api, 'v2')).map(([name, definition]) => [name, JSON.stringify(definition)] as const);
    const head = {
      swagger: '2.0',
      info: { title: 'Kubernetes', version: this.options.version },
      parameters: { ...builtin.parameters, ...custom.parameters },
      securityDefinitions: SECURITY_SCHEMES,
      security: [{ BearerToken: [] }],
    };
    const paths = objectText([...builtin.paths, ...custom.paths]);
    return `${JSON.stringify(head).slice(0, -1)},"paths":${paths},"definitions":${objectText([...builtin.definitions, ...definitions])}}`;
  }

  private once(name: string, build: () => Buffer): OpenApiDocument {
    let document = this.made.get(name);
    if (!document) this.made.set(name, (document = documentOf(build())));
    return document;
  }
}

const documentOf = (bytes: Buffer): OpenApiDocument => ({ bytes, hash: createHash('sha512').update(bytes).digest('hex').toUpperCase() });

const objectText = (entries: Texts): string =>
  `{${[...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;

const openApiResource = (resource: Resource): OpenApiResource => ({
  ...resource,
  definition: resource.message.fullName,
  listDefinition: `${resource.message.fullName.slice(0, -resource.message.name.length)}${resource.listKind}`,
});

let builtin: ReadonlyMap<string, PathItem[]> | undefined;

/** The paths of the built-in API by the name of their document. */
function builtinPaths(): ReadonlyMap<string, PathItem[]> {
  if (builtin) return builtin;
  const documents = new Map<string, PathItem[]>([
    ['api', [corePath]],
    ['apis', [groupsPath]],
    ['version', [versionPath]],
  ]);
  for (const resource of schema.resources) {
    const { group, version } = resource;
    const name = group === '' ? `api/${version}` : `apis/${group}/${version}`;
    if (group !== '') documents.set(`apis/${group}`, [groupPath(group)]);
    let items = documents.get(name);
    if (!items) documents.set(name, (items = [groupVersionPath(resource)]));
    items.push(...resourcePaths(openApiResource(resource)));
  }
  return (builtin = documents);
}

function customPaths(custom: readonly CustomResourceApi[]): PathItem[] {
  const items = new Map<string, PathItem>();
  for (const api of custom) {
    const { group } = api.resource;
    for (const item of [groupPath(group), groupVersionPath(api.resource), ...resourcePaths(customOpenApiResource(api))]) items.set(item.path, item);
  }
  return [...items.values()];
}

const texts = { v2: new DefinitionTexts('v2'), v3: new DefinitionTexts('v3') };

type Texts = readonly (readonly [string, string])[];

function renderV2(items: readonly PathItem[]): { readonly paths: Texts; readonly parameters: JsonObject } {
  const shared = new SharedParameters();
  const paths = items.map((item) => [item.path, JSON.stringify(renderPathV2(item, shared))] as const);
  return { paths, parameters: shared.all() };
}

let builtinSwagger: { readonly paths: Texts; readonly parameters: JsonObject; readonly definitions: Texts } | undefined;

/** Custom resources add references only to the metadata and the scale that built-in kinds have too. */
function builtinV2(): { readonly paths: Texts; readonly parameters: JsonObject; readonly definitions: Texts } {
  if (!builtinSwagger) {
    const rendered = renderV2([...builtinPaths().values()].flat());
    builtinSwagger = { ...rendered, definitions: texts.v2.reachableFrom(rendered.paths.map(([, text]) => text)) };
  }
  return builtinSwagger;
}

const builtinDocuments = new Map<string, OpenApiDocument>();

function builtinV3(name: string, items: readonly PathItem[], version: string): OpenApiDocument {
  const key = `${version} ${name}`;
  let document = builtinDocuments.get(key);
  if (!document) {
    document = documentOf(v3Document({ title: 'Kubernetes', version }, items, []));
    builtinDocuments.set(key, document);
  }
  return document;
}

function customV3(custom: readonly CustomResourceApi[]): Buffer {
  const items = [...custom.flatMap((api) => resourcePaths(customOpenApiResource(api)))];
  const own = custom.flatMap((api) => customDefinitions(api, 'v3'));
  return v3Document({ title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }, items, own);
}

function v3Document(info: JsonObject, items: readonly PathItem[], own: readonly (readonly [string, JsonObject])[]): Buffer {
  const paths = items.map((item): [string, string] => [item.path, JSON.stringify(renderPathV3(item))]);
  const ownTexts = own.map(([name, definition]): [string, string] => [name, JSON.stringify(definition)]);
  const reachable = texts.v3.reachableFrom([...paths, ...ownTexts].map(([, text]) => text));
  const schemas = objectText([...reachable, ...ownTexts]);
  const components = `{"schemas":${schemas},"securitySchemes":${JSON.stringify(SECURITY_SCHEMES)}}`;
  const head = JSON.stringify({ openapi: '3.0.0', info });
  return Buffer.from(`${head.slice(0, -1)},"paths":${objectText(paths)},"components":${components}}`);
}
