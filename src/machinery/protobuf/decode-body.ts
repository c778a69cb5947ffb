/** Decodes a request body in protobuf into the object that the endpoint takes, with the errors that JSON gets, too. */
import { apiVersionOf, type GroupVersionKind, type Schema } from '../../api/index.ts';
import { cannotBeHandledAs, notRegistered, orElse, unknownConversion, unrecognizedBody } from '../decode/index.ts';
import { badRequest } from '../errors/index.ts';
import type { KubeObject } from '../index.ts';
import { decodeMessage } from './decode-message.ts';
import { decodeProtobuf, messageOfKind } from './envelope.ts';

export function decodeProtobufBody(schema: Schema, body: Buffer, expected: GroupVersionKind): KubeObject {
  const envelope = orElse(() => decodeProtobuf(body), unrecognizedBody(body, expected));
  const kind = envelope.kind || expected.kind;
  const apiVersion = envelope.apiVersion || apiVersionOf(expected);
  const slash = apiVersion.indexOf('/');
  const given = { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind };
  const cannotBeHandled = cannotBeHandledAs(given, expected);
  const message = messageOfKind(schema, { apiVersion, kind });
  if (!message) throw cannotBeHandled(notRegistered(given));
  const fields = orElse(() => decodeMessage(message, envelope.raw), cannotBeHandled);
  if (kind !== expected.kind) throw cannotBeHandled(unknownConversion(message.goType, expected));
  if (apiVersion !== apiVersionOf(expected))
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(expected)})`,
    );
  return { kind, apiVersion, ...fields } as KubeObject;
}
