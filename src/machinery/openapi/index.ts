/**
 * OpenAPI documents, made from the schema: `definitions.ts` turns messages into definitions, `resource-paths.ts` resources
 * into paths, and `render-v2.ts` and `render-v3.ts` write them in either version. `builtin-part.ts` and `custom-part.ts` cache
 * the encoded parts, and `documents.ts` joins them in steps, so that the server can serve other requests in between.
 * `gnostic.ts` is the protobuf form of version 2.
 */
export type { CustomResourceApi } from './custom-resource.ts';
export { type OpenApiDocument, OpenApiDocuments } from './documents.ts';
export { member, type Part, partOf, valueOf } from './part.ts';

/** Media types of the protobuf form that clients request; responses have the first. */
export const OPENAPI_V2_PROTOBUF_TYPES = [
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
] as const;
