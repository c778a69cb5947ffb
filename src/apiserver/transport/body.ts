/** Reads a request's body once, within a limit that holds for what a gzip body unpacks to as well. */
import type { Readable } from 'node:stream';
import { gunzip } from 'node:zlib';
import { promisify } from 'node:util';
import { badRequest, type StatusError } from '../../machinery/status.ts';

const gunzipAsync = promisify(gunzip);
const NOTHING = Buffer.alloc(0);

export function bodyReader(
  stream: Readable,
  encoding: string | undefined,
  maxBytes: number,
  tooLarge: (message: string) => StatusError,
): () => Promise<Buffer> {
  let read: Promise<Buffer> | undefined;
  const limit = (): StatusError => tooLarge(`limit is ${maxBytes}`);
  const start = async (): Promise<Buffer> => {
    const body = await gather(stream, maxBytes, limit);
    if (encoding !== 'gzip') return body;
    try {
      return await gunzipAsync(body, { maxOutputLength: maxBytes });
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? limit() : badRequest('gzip: invalid header');
    }
  };
  return () => (read ??= start());
}

function gather(stream: Readable, maxBytes: number, tooLarge: () => StatusError): Promise<Buffer> {
  // An empty body may have ended before anybody asked for it, and then says nothing more.
  if (stream.readableEnded) return Promise.resolve(NOTHING);
  if (stream.destroyed) return Promise.reject(badRequest('the request was cut off'));
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    let complete = false;
    // An error costs its stack trace: it is made only for a body that really was cut off.
    const cutOff = (): void => {
      if (!complete) reject(badRequest('the request was cut off'));
    };
    stream.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > maxBytes) {
        complete = true;
        stream.removeAllListeners('data');
        stream.resume();
        reject(tooLarge());
      } else pieces.push(piece);
    });
    stream.once('end', () => {
      complete = true;
      resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
    });
    stream.once('error', reject);
    stream.once('aborted', cutOff);
    stream.once('close', cutOff);
  });
}
