/** Responses that need no stored object: documents, Status errors, plain text. */
import { schema } from '../../api/index.ts';
import { stringifyIndented, stringifyJson } from '../../base/index.ts';
import { encodeYaml } from '../../machinery/decode/index.ts';
import { badRequest, failure, notAcceptable, type StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { encodeProtobuf, messageOfKind } from '../../machinery/protobuf/index.ts';
import type { Negotiated } from './negotiate.ts';
import type { ApiResponse, ResponseHeaders } from './request.ts';

/** Shorter bodies are neither compressed nor sent in pieces. */
export const LARGE_BYTES = 128 * 1024;

/** 0 for a body that is sent in pieces. */
export const bodyLength = (response: ApiResponse): number => (response.large ? 0 : (response.body?.length ?? 0));

export const methodNotAllowed = (): StatusError =>
  failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const namespaceRequired = (): StatusError => badRequest('Namespace parameter required.');

export const noSuchResource = (): StatusError =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {});

export const pageNotFound = (): ApiResponse => respondText(404, '404 page not found\n');

/** A discovery document. */
export function encodeDocument(negotiated: Negotiated, document: KubeObject): ApiResponse {
  return completeResponse(200, negotiated, encodeAs(negotiated, document));
}

/** `negotiated` is undefined for a client that accepts no media type of this server: it gets JSON. */
export function respondError(error: StatusError, negotiated: Negotiated | undefined): ApiResponse {
  const form = negotiated ?? { mediaType: 'application/json' as const, pretty: false };
  const body = encodeAs(form, error.status as unknown as KubeObject);
  const headers = headersFor(form);
  const retryAfter = error.status.details?.retryAfterSeconds;
  if (retryAfter) headers['retry-after'] = String(retryAfter);
  return { status: error.code, headers, body };
}

export function respondJson(status: number, object: unknown, headers: ResponseHeaders = {}): ApiResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(object) };
}

/** Tells browsers not to guess another media type: for text that may repeat what the client sent. */
export const NO_SNIFF: ResponseHeaders = { 'x-content-type-options': 'nosniff' };

/** JSON for people, whatever they accept. */
export const respondIndented = (object: unknown): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: stringifyIndented(object),
});

export function respondText(status: number, text: string, headers: ResponseHeaders = {}): ApiResponse {
  const own = status >= 400 ? NO_SNIFF : {};
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...own, ...headers }, body: text };
}

export function completeResponse(status: number, negotiated: Negotiated, body: Buffer): ApiResponse {
  return { status, headers: headersFor(negotiated), body };
}

export const headersFor = ({ mediaType }: Negotiated): ResponseHeaders => ({ 'content-type': mediaType });

/** `kindName` is what an error calls the object. As Go's encoder, JSON ends with a line feed unless it is indented. */
export function encodeAs(
  negotiated: Pick<Negotiated, 'mediaType' | 'pretty'>,
  object: KubeObject,
  kindName: string = object.kind,
): Buffer {
  switch (negotiated.mediaType) {
    case 'application/yaml':
      return encodeYaml(object);
    case 'application/vnd.kubernetes.protobuf':
      return encodeObjectProtobuf(object, kindName);
    case 'application/json':
      return Buffer.from(negotiated.pretty ? stringifyIndented(object) : `${stringifyJson(object)}\n`);
  }
}

export function encodeObjectProtobuf(object: KubeObject, kindName: string): Buffer {
  // APIVersions, the list of the core group's versions, has no apiVersion.
  const { kind, apiVersion = 'v1' } = object;
  const message = messageOfKind(schema, { kind, apiVersion });
  if (!message) throw notAcceptable(`${kindName} has no protobuf form`);
  return encodeProtobuf(message, object, { apiVersion: object.apiVersion ?? '', kind });
}
