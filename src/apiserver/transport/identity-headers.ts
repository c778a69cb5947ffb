/** Headers that say whom a request is for. Node joins repeated ones with commas; groups are needed one by one. */
import type { ApiRequest } from '../request/request.ts';

const isIdentity = (name: string): boolean => name.startsWith('impersonate-') || name.startsWith('x-remote-');

/** In `raw`, where names have even places. */
const isIdentityName = (text: string, i: number): boolean => i % 2 === 0 && isIdentity(text.toLowerCase());

/** `raw` is names and values in turn, as they came. Most requests have no such headers and pay nothing. */
export function separateIdentityHeaders(headers: ApiRequest['headers'], raw: readonly string[]): ApiRequest['headers'] {
  if (!raw.some(isIdentityName)) return headers;
  const values: Record<string, string[]> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (isIdentity(name)) (values[name] ??= []).push(raw[i + 1]!);
  }
  return { ...headers, ...values };
}
