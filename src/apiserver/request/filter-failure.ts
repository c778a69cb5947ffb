import { quote } from '../../base/index.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import { respondText } from './responses.ts';

/** A failure of a step before the request is routed: its response is text, as those of upstream's filters. */
export class FilterFailure extends Error {
  readonly code = 'filter-failure';
}

export function respondFilterFailure(
  { path, query }: Pick<ApiRequest, 'path' | 'query'>,
  message: string,
): ApiResponse {
  const search = query.toString();
  const text = `Internal Server Error: ${quote(search === '' ? path : `${path}?${search}`)}: ${message}`;
  return respondText(500, `${withoutMarkup(text)}\n`);
}

/** Escapes what the client sent: a browser must not read it as markup. */
export const withoutMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
