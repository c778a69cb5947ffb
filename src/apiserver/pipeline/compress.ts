/**
 * Compresses responses with gzip for clients that accept it. A long response is compressed while it is sent, no faster
 * than the client reads.
 */
import { promisify } from 'node:util';
import { createGzip, gzip, type Gzip } from 'node:zlib';
import { headerOf, type ApiRequest, type ApiResponse, type LargeBody, type ResponseSink } from '../request/request.ts';
import { bodyLength, LARGE_BYTES } from '../request/responses.ts';

const gzipAsync = promisify(gzip);
const LEVEL = 1;
const PIECE_BYTES = 128 * 1024;

export function compress(request: ApiRequest, response: ApiResponse): Promise<ApiResponse> | ApiResponse {
  const { large, headers } = response;
  if ((!large && bodyLength(response) < LARGE_BYTES) || headers['content-encoding']) return response;
  // A range counts the bytes of the document as it is.
  if (headers['content-range']) return response;
  if (!/\bgzip\b/.test(headerOf(request, 'accept-encoding') ?? '')) return response;
  headers['content-encoding'] = 'gzip';
  headers['vary'] = varyWith(headers['vary'], 'Accept-Encoding');
  const { status } = response;
  if (large) return { status, headers, stream: (sink) => sendCompressed(large, sink) };
  return gzipAsync(response.body!, { level: LEVEL }).then((body) => ({ status, headers, body }));
}

function varyWith(present: string | string[] | undefined, name: string): string | string[] {
  if (present === undefined) return name;
  const names = [present].flat();
  return names.includes(name) ? names : [name, ...names];
}

async function sendCompressed(body: LargeBody, sink: ResponseSink): Promise<void> {
  const compressor = createGzip({ level: LEVEL });
  const ended = (): void => void compressor.destroy();
  sink.signal.addEventListener('abort', ended, { once: true });
  if (sink.signal.aborted) ended();
  void feed(body, compressor);
  try {
    for await (const piece of compressor) if (!sink.write(piece as Buffer)) await sink.drained();
  } finally {
    sink.signal.removeEventListener('abort', ended);
    compressor.destroy();
  }
}

/** The compressor calls back once it has consumed a piece, which it does not do while its output is not read. */
async function feed(body: LargeBody, compressor: Gzip): Promise<void> {
  try {
    const fill = body.reader();
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    while (!compressor.destroyed) {
      if (body.turn) await body.turn();
      const length = fill(buffer);
      if (length === 0) return void compressor.end();
      await new Promise<void>((resolve) => compressor.write(buffer.subarray(0, length), () => resolve()));
    }
  } catch (error) {
    compressor.destroy(error as Error);
  }
}
