import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../request/request.ts';
import { serveContent } from './serve-content.ts';

const modified = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const content = { bytes: Buffer.from('0123456789'), contentType: 'text/plain', etag: '"a"', modified };
const ask = (headers: Record<string, string>) => serveContent({ headers } as unknown as ApiRequest, content);

describe('a document', () => {
  it('is served whole, with its validators', () => {
    expect(ask({})).toMatchObject({
      status: 200,
      headers: { 'accept-ranges': 'bytes', etag: '"a"', 'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT' },
    });
  });

  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ])('is served in part for %s', (range, text, contentRange) => {
    const { status, headers, body } = ask({ range });
    expect([status, headers['content-range'], String(body)]).toEqual([206, contentRange, text]);
  });

  it.each([
    ['bytes=10-', 'invalid range: failed to overlap\n', 'bytes */10'],
    ['bytes=-0', 'invalid range: failed to overlap\n', 'bytes */10'],
    ['bytes=3-2', 'invalid range\n', undefined],
    ['bytes=-', 'invalid range\n', undefined],
    ['lines=1-2', 'invalid range\n', undefined],
  ])('is not served for %s', (range, text, contentRange) => {
    const { status, headers, body } = ask({ range });
    expect([status, headers['content-range'], body]).toEqual([416, contentRange, text]);
  });

  it('is served whole for several ranges', () => {
    expect(ask({ range: 'bytes=0-1,3-4' }).status).toBe(200);
  });

  it.each([
    [{ 'if-none-match': '"a"' }, 304],
    [{ 'if-none-match': 'W/"a", "b"' }, 304],
    [{ 'if-none-match': '"b"', 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' }, 200],
    [{ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' }, 304],
    [{ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, 200],
    [{ 'if-modified-since': 'yesterday' }, 200],
  ])('is sent only if it changed: %o', (headers, status) => {
    expect(ask(headers as Record<string, string>).status).toBe(status);
  });

  it('may have changed after it was sent in the same second', () => {
    const headers = { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' };
    const statusAfter = (changed: number): number =>
      serveContent({ headers } as unknown as ApiRequest, { ...content, changed }).status;
    expect(statusAfter(modified - 100)).toBe(200);
    expect(statusAfter(modified - 1000)).toBe(304);
  });
});
