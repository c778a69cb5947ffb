/** The generic StatusError for a failing status code, if the body is not a Status. */
import { quote } from '../../base/index.ts';
import { failure, type StatusError } from '../../machinery/errors/index.ts';

const REASONS: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  409: ['AlreadyExists', 'the server reported a conflict'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

/** Status codes for which the body is the message. */
const REASONS_WITH_BODY: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  406: 'NotAcceptable',
  415: 'UnsupportedMediaType',
};

const MAX_TEXT_BYTES = 2048;

/** `body` is undefined if it is not text. */
export function genericServerError(code: number, body: string | undefined): StatusError {
  const text = body === undefined ? 'unknown' : body.slice(0, MAX_TEXT_BYTES).trim();
  const known = REASONS[code];
  if (known) return failure(code, ...known);
  const reason = REASONS_WITH_BODY[code];
  if (reason) return failure(code, reason, text);
  if (code >= 500)
    return failure(
      code,
      'InternalError',
      `an error on the server (${quote(text)}) has prevented the request from succeeding`,
    );
  return failure(
    code,
    'Unknown',
    `the server responded with the status code ${code} but did not return more information`,
  );
}
