/** Decodes a request body, JSON or YAML, into the object that the endpoint takes. */
import { apiVersionOf, type GroupVersionKind, type Message, type Schema } from '../../api/index.ts';
import { quote } from '../../base/index.ts';
import { badRequest, isBadInput, isTooLarge, StatusError } from '../errors/index.ts';
import type { KubeObject } from '../index.ts';
import { conformDocument, tryConform, type Conformed } from './conform-value.ts';
import { readDocument } from './document.ts';
import { interpretKind } from './interpret-kind.ts';
import { parseText, type ParsedText } from './parse-json.ts';
import { yamlToJson } from './parse-yaml.ts';
import { isAcceptedVersion, registeredMessage } from './registered-kinds.ts';

export interface DecodeRequest {
  readonly body: Buffer;
  readonly contentType: 'json' | 'yaml';
  /** The kind of the endpoint, also for a body without kind and apiVersion. */
  readonly expected: GroupVersionKind;
  readonly schema?: Schema;
  /**
   * The body is a DeleteOptions or the like. It may have any group and version, and its error messages have no
   * prefix.
   */
  readonly options?: boolean;
  /** The name of upstream's scheme in the error for unregistered kinds. */
  readonly scheme?: string;
}

export interface DecodedObject {
  readonly object: KubeObject;
  /** In upstream's order: `unknown field "spec.foo"`, `duplicate field "metadata.name"`, YAML's duplicate keys. */
  readonly strictErrors: readonly string[];
}

const LEGACY_SCHEME = 'pkg/api/legacyscheme/scheme.go:30';

/** The error for a body whose kind cannot be read. */
export const unrecognizedBody =
  (body: Buffer, expected: GroupVersionKind) =>
  (why: string): StatusError =>
    badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${summarize(body)})`);

/** The error for a body of a known kind. */
export const cannotBeHandledAs =
  (given: GroupVersionKind, expected: GroupVersionKind) =>
  (why: string): StatusError =>
    badRequest(`${given.kind} in version ${quote(given.version)} cannot be handled as a ${expected.kind}: ${why}`);

export const notRegistered = (given: GroupVersionKind, scheme: string = LEGACY_SCHEME): string =>
  `no kind ${quote(given.kind)} is registered for version ${quote(apiVersionOf(given))} in scheme ${quote(scheme)}`;

export function unknownConversion(goType: string, expected: GroupVersionKind): string {
  const internal = expected.group === '' ? 'core' : expected.group.split('.')[0]!;
  return `converting (${goType}) to (${internal}.${expected.kind}): unknown conversion`;
}

/** Returns the object in canonical form, without defaults. Throws a StatusError. */
export function decodeObject(request: DecodeRequest): DecodedObject {
  const { body, expected } = request;
  const unrecognized = request.options ? badRequest : unrecognizedBody(body, expected);

  const { parsed, yamlErrors } = orElse(() => readBody(request), unrecognized);
  const given = orElse(() => interpretKind(parsed), unrecognized);
  const gvk = withDefaults(given, expected);
  const cannotBeHandled = request.options ? badRequest : cannotBeHandledAs(gvk, expected);
  const otherKind = (goType: string): StatusError => cannotBeHandled(unknownConversion(goType, expected));

  if (gvk.version === '') throw cannotBeHandled(`Object 'apiVersion' is missing in '${body.toString('utf8')}'`);
  const message = request.options && gvk.kind !== expected.kind ? undefined : registeredMessage(gvk, request.schema);
  if (!message) {
    if (!request.options && gvk.kind === 'List' && apiVersionOf(gvk) === 'v1') throw otherKind('v1.List');
    throw cannotBeHandled(notRegistered(gvk, request.scheme));
  }
  const { object, strictErrors } = orElse(() => conformBody(message, parsed), cannotBeHandled);
  if (gvk.kind !== expected.kind) throw otherKind(message.goType);
  if (!request.options && !isAcceptedVersion(gvk, expected)) {
    throw badRequest(
      `the API version in the data (${apiVersionOf(gvk)}) does not match the expected API version (${apiVersionOf(expected)})`,
    );
  }
  // Upstream converts YAML to JSON, with sorted keys, and decodes that.
  return {
    object: withTypeMeta(object, expected),
    strictErrors: [...yamlErrors, ...(request.contentType === 'yaml' ? strictErrors.toSorted() : strictErrors)],
  };
}

function readBody({ body, contentType }: DecodeRequest): { parsed: ParsedText; yamlErrors: readonly string[] } {
  if (contentType === 'json') {
    const parsed = orElse(
      () => parseText(body),
      (why) => badRequest(`couldn't get version/kind; json parse error: ${why}`),
    );
    return { parsed, yamlErrors: [] };
  }
  const { json, duplicateKeys } = yamlToJson(body.toString('utf8'));
  return { parsed: parseText(json), yamlErrors: duplicateKeys === undefined ? [] : [duplicateKeys] };
}

function conformBody(message: Message, { text, value, scan }: ParsedText): Conformed {
  const fast = scan.unusual ? undefined : tryConform(message, value, scan.keys);
  return fast ? { object: fast, strictErrors: [] } : conformDocument(message, readDocument(text));
}

function withDefaults(given: GroupVersionKind, expected: GroupVersionKind): GroupVersionKind {
  if (given.kind !== '' && given.version !== '') return given;
  const kind = given.kind === '' ? expected.kind : given.kind;
  if (given.version === '' && (given.group === '' || given.group === expected.group)) return { ...expected, kind };
  return { ...given, kind };
}

function withTypeMeta(object: Record<string, unknown>, gvk: GroupVersionKind): KubeObject {
  const apiVersion = apiVersionOf(gvk);
  if (object['kind'] === gvk.kind && object['apiVersion'] === apiVersion) return object as KubeObject;
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = object;
  return { kind: gvk.kind, apiVersion, ...fields } as KubeObject;
}

/** Runs a step of decoding; `wrap` makes the error of bad input. */
export function orElse<T>(run: () => T, wrap: (why: string) => StatusError): T {
  try {
    return run();
  } catch (error) {
    if (isBadInput(error) && !isTooLarge(error)) throw wrap(error.message);
    throw error;
  }
}

const YAML_ERRORS = 'yaml: unmarshal errors:\n';

/** Strict errors as warnings, for fieldValidation=Warn. YAML's duplicate keys become one warning each. */
export function strictErrorWarnings(errors: readonly string[]): string[] {
  return errors.flatMap((error) =>
    error.startsWith(YAML_ERRORS)
      ? error
          .slice(YAML_ERRORS.length)
          .split('\n')
          .map((line) => line.trim())
      : [error],
  );
}

const SUMMARY_LENGTH = 30;

/** The beginning of a body for an error message: an object as text, anything else in hexadecimal. */
function summarize(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const more = body.length > SUMMARY_LENGTH ? ' ...' : '';
  return body.subarray(0, SUMMARY_LENGTH).toString(body[0] === 0x7b ? 'utf8' : 'hex') + more;
}
