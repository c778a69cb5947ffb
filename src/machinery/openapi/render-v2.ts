/** Renders paths for OpenAPI version 2. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../base/index.ts';
import { consumedTypes, producedTypes, RESPONSE_DESCRIPTIONS } from './media-types.ts';
import type { Operation, PathItem } from './operations.ts';
import type { Parameter } from './parameters.ts';
import { refTo } from './references.ts';

/**
 * Stay in the operation, as upstream has them: kubectl before 1.22 looks for dryRun there, and resolves no references. Its
 * `diff` refuses a server where it does not find the parameter. The description of a name tells the kind.
 */
const INLINE: ReadonlySet<string> = new Set(['dryRun', 'fieldValidation', 'name']);
/** Bodies of these kinds are shared: DeleteOptions, Patch. */
const GENERIC_BODY = /^#\/definitions\/io\.k8s\.apimachinery/;

/** Parameters that operations share by reference. */
export class SharedParameters {
  readonly #keys = new Map<Parameter, string>();
  readonly #parameters: JsonObject = {};

  ref(parameter: Parameter): JsonObject {
    if (INLINE.has(parameter.name)) return renderParameter(parameter);
    let key = this.#keys.get(parameter);
    if (key === undefined) {
      key = this.#share(parameter.name, renderParameter(parameter));
      this.#keys.set(parameter, key);
    }
    return { $ref: `#/parameters/${key}` };
  }

  body({ definition, required }: NonNullable<Operation['body']>): JsonObject {
    const schema = refTo(definition, 'v2');
    const rendered = { in: 'body', name: 'body', ...(required ? { required: true } : {}), schema };
    if (!GENERIC_BODY.test(String(schema['$ref']))) return rendered;
    return { $ref: `#/parameters/${this.#share('body', rendered)}` };
  }

  #share(name: string, rendered: JsonObject): string {
    const hash = createHash('sha256').update(JSON.stringify(rendered)).digest('base64url');
    const key = `${name}-${hash.slice(0, 8)}`;
    this.#parameters[key] = rendered;
    return key;
  }

  all(): JsonObject {
    return Object.fromEntries(Object.entries(this.#parameters).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const renderParameter = ({ name, in: place, type, description }: Parameter): JsonObject => ({
  ...(description === '' ? {} : { description }),
  in: place,
  name,
  ...(place === 'path' ? { required: true } : {}),
  type,
  uniqueItems: true,
});

export function renderPathV2(item: PathItem, shared: SharedParameters): JsonObject {
  const rendered: JsonObject = {};
  for (const operation of item.operations) rendered[operation.method] = renderOperation(operation, shared);
  if (item.parameters.length > 0) rendered['parameters'] = item.parameters.map((parameter) => shared.ref(parameter));
  return rendered;
}

function renderOperation(operation: Operation, shared: SharedParameters): JsonObject {
  const { body, gvk } = operation;
  const parameters: JsonObject[] = operation.parameters.map((parameter) => shared.ref(parameter));
  if (body) parameters.unshift(shared.body(body));
  const responses: JsonObject = {};
  for (const [code, definition] of Object.entries(operation.responses)) {
    const schema = definition === undefined ? { type: 'string' } : refTo(definition, 'v2');
    responses[code] = { description: RESPONSE_DESCRIPTIONS[code] ?? '', schema };
  }
  responses['401'] = { description: 'Unauthorized' };
  const consumes = consumedTypes(operation);
  return {
    ...(consumes.length > 0 ? { consumes } : {}),
    description: operation.deprecated
      ? `${operation.description}; deprecated: ${operation.deprecated}`
      : operation.description,
    operationId: operation.operationId,
    ...(parameters.length > 0 ? { parameters } : {}),
    produces: producedTypes(operation),
    responses,
    schemes: ['https'],
    tags: [operation.tag],
    ...(operation.action ? { 'x-kubernetes-action': operation.action } : {}),
    ...(gvk ? { 'x-kubernetes-group-version-kind': { group: gvk.group, kind: gvk.kind, version: gvk.version } } : {}),
  };
}
