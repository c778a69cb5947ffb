/** The error that an answer with a failing status code stands for when its body is no Status. */
import { quote } from '../../base/index.ts';
import { failure, type StatusError } from '../../machinery/errors/index.ts';

const KNOWN: Readonly<Record<number, readonly [reason: string, message: string]>> = {
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

/** Statuses whose own text tells most. */
const IN_THEIR_WORDS: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  406: 'NotAcceptable',
  415: 'UnsupportedMediaType',
};

export function genericServerError(code: number, body: string): StatusError {
  const text = body.trim() === '' ? 'unknown' : body.trim();
  const known = KNOWN[code];
  if (known) return failure(code, ...known);
  const reason = IN_THEIR_WORDS[code];
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
