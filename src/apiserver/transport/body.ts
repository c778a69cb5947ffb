/** Reads a request's body once. The limit applies to the decompressed size of a gzip body as well. */
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { badRequest, requestEntityTooLarge, type StatusError } from '../../machinery/errors/index.ts';

const gunzipAsync = promisify(gunzip);
const NOTHING = Buffer.alloc(0);

interface BodyOptions {
  readonly encoding: string | readonly string[] | undefined;
  readonly maxBytes: number;
}

export function readWhole(stream: Readable, { encoding, maxBytes }: BodyOptions): Promise<Buffer> {
  return decompressed(gather(stream, maxBytes), { encoding, maxBytes });
}

/** Decompresses a body that has a content-encoding. */
export const decompressed = (body: Promise<Buffer>, { encoding, maxBytes }: BodyOptions): Promise<Buffer> =>
  encoding === 'gzip' ? gunzipped(body, maxBytes) : body;

export const tooLarge = (maxBytes: number): StatusError => requestEntityTooLarge(`limit is ${maxBytes}`);

export const cutOff = (): StatusError => badRequest('the request was cut off');

const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b;

async function gunzipped(packed: Promise<Buffer>, maxBytes: number): Promise<Buffer> {
  const body = await packed;
  // Clients that send the header with a plain body are served, too.
  if (!isGzip(body)) return body;
  try {
    return await gunzipAsync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(maxBytes)
      : badRequest('gzip: invalid header');
  }
}

function gather(stream: Readable, maxBytes: number): Promise<Buffer> {
  // An empty body may have ended before it is read, and then emits no events.
  if (stream.readableEnded) return Promise.resolve(NOTHING);
  if (stream.destroyed) return Promise.reject(cutOff());
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    let complete = false;
    stream.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > maxBytes) {
        complete = true;
        stream.removeAllListeners('data');
        stream.resume();
        reject(tooLarge(maxBytes));
        return;
      }
      pieces.push(piece);
    });
    const finish = (): void => {
      complete = true;
      resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
    };
    stream.on('end', finish);
    // All other failures end here too. The error is created only for a body that was cut off, because stack traces are
    // expensive.
    stream.on('close', () => {
      if (!complete) reject(cutOff());
    });
  });
}
