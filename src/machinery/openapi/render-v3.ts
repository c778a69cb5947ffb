/** Renders paths for OpenAPI version 3. */
import type { JsonObject } from '../../base/index.ts';
import { consumedTypes, producedTypes, RESPONSE_DESCRIPTIONS } from './media-types.ts';
import type { Operation, PathItem } from './operations.ts';
import type { Parameter } from './parameters.ts';
import { refTo } from './references.ts';

export function renderPathV3(item: PathItem): JsonObject {
  const rendered: JsonObject = {};
  for (const operation of item.operations) rendered[operation.method] = renderOperation(operation);
  if (item.parameters.length > 0) rendered['parameters'] = item.parameters.map(renderParameter);
  return rendered;
}

const renderParameter = ({ name, in: place, type, description }: Parameter): JsonObject => ({
  ...(description === '' ? {} : { description }),
  in: place,
  name,
  ...(place === 'path' ? { required: true } : {}),
  schema: { type, uniqueItems: true },
});

function renderOperation(operation: Operation): JsonObject {
  const { body, gvk } = operation;
  const content = (types: readonly string[], schema: JsonObject): JsonObject =>
    Object.fromEntries(types.map((type) => [type, { schema }]));
  const responses: JsonObject = {};
  for (const [code, definition] of Object.entries(operation.responses)) {
    const schema = definition === undefined ? { type: 'string' } : refTo(definition, 'v3');
    responses[code] = {
      content: content(producedTypes(operation), schema),
      description: RESPONSE_DESCRIPTIONS[code] ?? '',
    };
  }
  responses['401'] = { description: 'Unauthorized' };
  return {
    description: operation.deprecated
      ? `${operation.description}; deprecated: ${operation.deprecated}`
      : operation.description,
    operationId: operation.operationId,
    ...(operation.parameters.length > 0 ? { parameters: operation.parameters.map(renderParameter) } : {}),
    ...(body
      ? {
          requestBody: {
            content: content(consumedTypes(operation), refTo(body.definition, 'v3')),
            ...(body.required ? { required: true } : {}),
          },
        }
      : {}),
    responses,
    tags: [operation.tag],
    ...(operation.action ? { 'x-kubernetes-action': operation.action } : {}),
    ...(gvk ? { 'x-kubernetes-group-version-kind': { group: gvk.group, kind: gvk.kind, version: gvk.version } } : {}),
  };
}
