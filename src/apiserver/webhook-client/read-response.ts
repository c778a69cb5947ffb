/** Reads the response of a webhook as upstream's client does: JSON or YAML, a failure Status, and the kind that was expected. */
import { isRecord, quote } from '../../base/index.ts';
import { parseJson, parseYaml } from '../../machinery/decode/index.ts';
import { StatusError } from '../../machinery/errors/index.ts';
import { genericServerError } from './generic-server-error.ts';

export interface WebhookResponse {
  readonly status: number;
  /** '' if the webhook sent none. */
  readonly contentType: string;
  readonly text: string;
}

/** The review that the webhook was sent, and the versions of it that its clients know. */
export interface ExpectedReview {
  readonly group: string;
  readonly versions: readonly string[];
  readonly kind: string;
}

export function readResponse({ status, contentType, text }: WebhookResponse, expected: ExpectedReview): unknown {
  if (status < 200 || status > 206)
    throw failureStatus(text) ?? genericServerError(status, isText(contentType) ? text : undefined);
  if (text === '') throw new Error(`0-length response with status code: ${status} and content type: ${contentType}`);
  const value = parsed(text);
  if (value === null) return {};
  const { apiVersion, kind } = typeOf(value);
  if (kind === 'Status') {
    const refused = failureStatus(text);
    if (refused) throw refused;
  }
  checkKind(apiVersion, kind, expected);
  return value;
}

const isText = (contentType: string): boolean => contentType === '' || /^\s*text\//i.test(contentType);

function failureStatus(text: string): StatusError | undefined {
  let value: unknown;
  try {
    value = parsed(text);
  } catch {
    // The status code has more information than an unreadable body.
    return undefined;
  }
  const isFailure = isRecord(value) && value['kind'] === 'Status' && value['status'] === 'Failure';
  return isFailure ? new StatusError(value as unknown as StatusError['status']) : undefined;
}

/** What begins like a JSON object is JSON, everything else is YAML, whatever the content type says. */
function parsed(text: string): unknown {
  if (!/^\s*\{/.test(text)) return parseYaml(text).value;
  try {
    return parseJson(text).value;
  } catch (error) {
    throw notReadable((error as Error).message);
  }
}

const notReadable = (why: string): Error => new Error(`couldn't get version/kind; json parse error: ${why}`);

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function typeOf(value: unknown): { apiVersion: string; kind: string } {
  if (!isRecord(value))
    throw notReadable(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${TYPE_META}`);
  const text = (field: 'apiVersion' | 'kind'): string => {
    const given = value[field] ?? '';
    if (typeof given !== 'string')
      throw notReadable(`json: cannot unmarshal ${jsonKind(given)} into Go struct field .${field} of type string`);
    return given;
  };
  return { apiVersion: text('apiVersion'), kind: text('kind') };
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** A review without a kind or a version is accepted as the expected one; the caller checks the others. */
function checkKind(apiVersion: string, kind: string, expected: ExpectedReview): void {
  const isVersion =
    apiVersion === '' || expected.versions.some((version) => apiVersion === `${expected.group}/${version}`);
  if (isVersion && (kind === '' || kind === expected.kind)) return;
  throw new Error(
    `no kind ${quote(kind || expected.kind)} is registered for version ${quote(apiVersion || `${expected.group}/${expected.versions[0]}`)} in scheme "pkg/util/webhook/client.go:71"`,
  );
}
