/**
 * OpenAPI: what the server serves, described for clients (kubectl explain, apply and diff, generators). Made from the
 * schema: `definitions.ts` turns messages into definitions, `operations.ts` resources into paths, `render-v2.ts` and
 * `render-v3.ts` write them in either version; `builtin-part.ts` and `custom-part.ts` keep the bytes of both, and `documents.ts`
 * joins them when somebody asks, in steps (`steps.ts`): a server has others to serve meanwhile. Custom resources are given as
 * data (`custom-resource.ts`); `gnostic.ts` is the protobuf form of version 2.
 */
import { KUBERNETES_VERSION } from '../../api/kubernetes-version.ts';
import type { JsonObject } from '../../base/index.ts';
import { OpenApiDocuments } from './documents.ts';
import { finish } from './steps.ts';

export { OpenApiDocuments, type OpenApiDocument, type OpenApiOptions } from './documents.ts';
export { member, partOf, valueOf, type Member, type Part } from './part.ts';
export { finish, type Steps } from './steps.ts';
export { customDefinitionName, type CustomResourceApi } from './custom-resource.ts';

/** What clients ask for to get the protobuf form; the first is what it is answered as. */
export const OPENAPI_V2_PROTOBUF_TYPES = [
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
] as const;

const documents = new OpenApiDocuments({ version: KUBERNETES_VERSION });

/** The built-in API's document of version 2, as an object. */
export const openapiV2 = (): JsonObject => JSON.parse(finish(documents.v2()).bytes.toString('utf8')) as JsonObject;

/** The built-in API's document of version 3 of a group's version, as an object. */
export function openapiV3(group: string, version: string): JsonObject | undefined {
  const document = finish(documents.v3(group === '' ? `api/${version}` : `apis/${group}/${version}`));
  return document && (JSON.parse(document.bytes.toString('utf8')) as JsonObject);
}
