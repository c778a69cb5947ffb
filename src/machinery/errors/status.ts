/**
 * StatusError: the errors of the API. It carries the Status object that the client gets; the functions below create
 * each kind with upstream's code, reason and message.
 */
import type { Status, StatusCause, StatusDetails } from '../../api/generated/meta-v1.ts';
import { ParseError, quote } from '../../base/index.ts';
import { aggregateMessage, reportableErrors, type FieldError } from './field-error.ts';

export class StatusError extends Error {
  constructor(readonly status: Status) {
    super(status.message ?? '');
    this.name = 'StatusError';
  }
  get code(): number {
    return this.status.code ?? 500;
  }
  get reason(): string {
    return this.status.reason ?? '';
  }
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** `deployments.apps`, or `pods` in the core group. */
const qualifiedResource = (gr: GroupResource): string => (gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`);

const qualifiedKind = (gk: GroupKind): string => (gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`);

export function failure(code: number, reason: string, message: string, details?: StatusDetails): StatusError {
  const status: Status = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', message, code };
  if (reason !== '') status.reason = reason;
  if (details) status.details = details;
  return new StatusError(status);
}

function detailsOf(gr: GroupResource, name: string, more: Partial<StatusDetails> = {}): StatusDetails {
  return {
    ...(name !== '' ? { name } : {}),
    ...(gr.group !== '' ? { group: gr.group } : {}),
    ...(gr.resource !== '' ? { kind: gr.resource } : {}),
    ...more,
  };
}

export const notFound = (gr: GroupResource, name: string): StatusError =>
  failure(404, 'NotFound', `${qualifiedResource(gr)} ${quote(name)} not found`, detailsOf(gr, name));

export const alreadyExists = (gr: GroupResource, name: string): StatusError =>
  failure(409, 'AlreadyExists', `${qualifiedResource(gr)} ${quote(name)} already exists`, detailsOf(gr, name));

/** Every generated name exists already. */
export const generateNameConflict = (gr: GroupResource, name: string, retryAfterSeconds: number): StatusError =>
  failure(
    409,
    'AlreadyExists',
    `${qualifiedResource(gr)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`,
    detailsOf(gr, name, { retryAfterSeconds }),
  );

export const unauthorized = (message = 'Unauthorized'): StatusError => failure(401, 'Unauthorized', message);

export function forbidden(gr: GroupResource, name: string, why: string): StatusError {
  const message =
    gr.resource === ''
      ? `forbidden: ${why}`
      : name === ''
        ? `${qualifiedResource(gr)} is forbidden: ${why}`
        : `${qualifiedResource(gr)} ${quote(name)} is forbidden: ${why}`;
  return failure(403, 'Forbidden', message, detailsOf(gr, name));
}

export const conflict = (gr: GroupResource, name: string, why: string): StatusError =>
  failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualifiedResource(gr)} ${quote(name)}: ${why}`,
    detailsOf(gr, name),
  );

export const applyConflict = (causes: StatusCause[], message: string): StatusError =>
  failure(409, 'Conflict', message, { causes });

export const resourceExpired = (message: string): StatusError => failure(410, 'Expired', message);

export function invalid(gk: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const causes = reportableErrors(errors).map((e): StatusCause => ({
    reason: e.type,
    message: e.body(),
    field: e.field,
  }));
  const subject = `${qualifiedKind(gk)} ${quote(name)} is invalid`;
  const details = detailsOf({ group: gk.group, resource: gk.kind }, name, causes.length > 0 ? { causes } : {});
  return failure(422, 'Invalid', errors.length > 0 ? `${subject}: ${aggregateMessage(errors)}` : subject, details);
}

export const badRequest = (message: string): StatusError => failure(400, 'BadRequest', message);

export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, 'TooManyRequests', message, { retryAfterSeconds });

export const serviceUnavailable = (message: string): StatusError => failure(503, 'ServiceUnavailable', message);

export const methodNotSupported = (gr: GroupResource, verb: string): StatusError =>
  failure(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind ${quote(qualifiedResource(gr))}`,
    detailsOf(gr, ''),
  );

export const notAcceptable = (message: string): StatusError => failure(406, 'NotAcceptable', message);

export const unsupportedMediaType = (message: string): StatusError => failure(415, 'UnsupportedMediaType', message);

export const requestEntityTooLarge = (message: string): StatusError =>
  failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);

export const timeout = (message: string, retryAfterSeconds: number): StatusError =>
  failure(504, 'Timeout', `Timeout: ${message}`, retryAfterSeconds > 0 ? { retryAfterSeconds } : {});

export const internalError = (message: string): StatusError =>
  failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

/** Whether the input was refused, by a StatusError or by the parser of a value. */
export function isBadInput(error: unknown): error is StatusError | ParseError {
  return error instanceof StatusError || error instanceof ParseError;
}

export function isStatusError(error: unknown, reason?: string): error is StatusError {
  return error instanceof StatusError && (reason === undefined || error.reason === reason);
}

/** Whether the object or the patch is too large, whatever it holds. */
export const isTooLarge = (error: unknown): boolean => isStatusError(error, 'RequestEntityTooLarge');
