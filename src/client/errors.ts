import type { Status } from '../api/generated/meta-v1.ts';
import { isRecord } from '../base/index.ts';
import { failure, isStatusError, StatusError } from '../machinery/errors/index.ts';
import type { TransportResponse } from './transport.ts';

const REASON_BY_CODE: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

export const isNotFound = (error: unknown): boolean => isStatusError(error, 'NotFound');
export const isAlreadyExists = (error: unknown): boolean => isStatusError(error, 'AlreadyExists');
export const isConflict = (error: unknown): boolean => isStatusError(error, 'Conflict');
export const isInvalid = (error: unknown): boolean => isStatusError(error, 'Invalid');
export const isForbidden = (error: unknown): boolean => isStatusError(error, 'Forbidden');
export const isUnauthorized = (error: unknown): boolean => isStatusError(error, 'Unauthorized');
export const isTooManyRequests = (error: unknown): boolean => isStatusError(error) && error.code === 429;

/** The resourceVersion has expired (410): list again. */
export const isExpired = (error: unknown): boolean => isStatusError(error, 'Expired') || isStatusError(error, 'Gone');

/** The server has not reached the requested resourceVersion yet. */
export const isTooLargeResourceVersion = (error: unknown): boolean =>
  isStatusError(error) &&
  (error.status.details?.causes ?? []).some((cause) => cause.reason === 'ResourceVersionTooLarge');

/** A create was refused because its namespace is going away: pointless to retry. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  isStatusError(error, 'Forbidden') &&
  (error.status.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating');

function isStatus(value: unknown): value is Status {
  return (
    isRecord(value) && value['kind'] === 'Status' && (value['apiVersion'] === 'v1' || value['apiVersion'] === undefined)
  );
}

/** The StatusError of a failed response, also when its body is not a Status. */
export function errorFromResponse(response: Pick<TransportResponse, 'status' | 'body'>): StatusError {
  if (isStatus(response.body))
    return new StatusError({ ...response.body, code: response.body.code ?? response.status });
  const text = typeof response.body === 'string' ? response.body.trim().slice(0, 1000) : '';
  const message = text === '' ? `the server answered with status ${response.status}` : text;
  return failure(response.status, REASON_BY_CODE[response.status] ?? 'Unknown', message);
}

/** The error of an ERROR event in a watch. */
export function errorFromWatch(object: unknown): StatusError {
  if (isStatus(object)) return new StatusError({ ...object, code: object.code ?? 500 });
  return failure(500, 'InternalError', 'the watch ended with an error that is not a Status');
}
