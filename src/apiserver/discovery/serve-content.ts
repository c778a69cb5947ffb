/**
 * Serves a document the way a file is served: validators (ETag, Last-Modified), conditional requests, and one byte range.
 * A request for several ranges gets the whole document.
 */
import { headerOf, type ApiRequest, type ApiResponse, type ResponseHeaders } from '../request/request.ts';

export interface Content {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** Quoted; absent for a document that has no hash of its own. */
  readonly etag?: string;
  /** In milliseconds since the epoch. */
  readonly modified: number;
  /** When it last changed, where `modified` is not that: what a client got in that very second may be older. */
  readonly changed?: number;
  readonly headers?: ResponseHeaders;
}

export function serveContent(request: ApiRequest, content: Content): ApiResponse {
  const { bytes, contentType, etag, modified } = content;
  const validators: ResponseHeaders = { ...content.headers, ...(etag === undefined ? {} : { etag }) };
  if (isUnchanged(request, content)) return { status: 304, headers: validators };
  const range = parseRange(headerOf(request, 'range'), bytes.length);
  if (typeof range === 'object' && 'refused' in range) return refusal(range.refused, content);
  const headers: ResponseHeaders = {
    'content-type': contentType,
    'accept-ranges': 'bytes',
    'last-modified': httpTime(modified),
    ...validators,
  };
  if (range === 'whole') return { status: 200, headers, body: bytes };
  const { from, to } = range;
  headers['content-range'] = `bytes ${from}-${to}/${bytes.length}`;
  return { status: 206, headers, body: bytes.subarray(from, to + 1) };
}

export const httpTime = (ms: number): string => new Date(ms).toUTCString();

/** Times of HTTP are whole seconds. */
const secondOf = (ms: number): number => Math.floor(ms / 1000) * 1000;

function isUnchanged(request: ApiRequest, { etag, modified, changed }: Content): boolean {
  const known = headerOf(request, 'if-none-match');
  if (known !== undefined) {
    const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    return etag !== undefined && (tags.includes(etag) || tags.includes('*'));
  }
  const since = Date.parse(headerOf(request, 'if-modified-since') ?? '');
  if (Number.isNaN(since) || secondOf(modified) > since) return false;
  return changed === undefined || secondOf(changed) < since;
}

type Range = 'whole' | { readonly from: number; readonly to: number } | { readonly refused: Refusal };
type Refusal = 'invalid range' | 'invalid range: failed to overlap';

const NO_OVERLAP = 'invalid range: failed to overlap';

function parseRange(text: string | undefined, size: number): Range {
  if (text === undefined) return 'whole';
  if (!text.startsWith('bytes=')) return { refused: 'invalid range' };
  const specs = text.slice('bytes='.length).split(',');
  if (specs.length > 1) return 'whole';
  const match = /^(\d*)-(\d*)$/.exec(specs[0]!.replaceAll(' ', ''));
  if (!match || (match[1] === '' && match[2] === '')) return { refused: 'invalid range' };
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? { refused: NO_OVERLAP } : { from: size - length, to: size - 1 };
  }
  const from = Number(match[1]);
  if (from >= size) return { refused: NO_OVERLAP };
  const to = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  return to < from ? { refused: 'invalid range' } : { from, to };
}

function refusal(refused: Refusal, { bytes, headers }: Content): ApiResponse {
  return {
    status: 416,
    headers: {
      ...headers,
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      ...(refused === NO_OVERLAP ? { 'content-range': `bytes */${bytes.length}` } : {}),
    },
    body: `${refused}\n`,
  };
}
