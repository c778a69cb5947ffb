/** Headers that name a user, a group or an extra: clients send UTF-8, HTTP gives each byte as a character. */
import { headersOf, type ApiRequest } from '../request/request.ts';

const ASCII = /^[\0-\x7f]*$/;
const BEYOND_BYTES = /[^\0-\xff]/;

export const identityHeaders = (request: ApiRequest, name: string): readonly string[] =>
  headersOf(request, name).map(decoded);

export const identityHeader = (request: ApiRequest, name: string): string | undefined =>
  identityHeaders(request, name)[0];

/** Clients in this process send text, not bytes. */
function decoded(value: string): string {
  if (ASCII.test(value) || BEYOND_BYTES.test(value)) return value;
  return Buffer.from(value, 'latin1').toString('utf8');
}
