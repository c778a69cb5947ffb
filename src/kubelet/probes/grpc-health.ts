/** The gRPC health check (`grpc.health.v1.Health/Check`) of a gRPC probe. */
import http2 from 'node:http2';
import type net from 'node:net';
import { encodeVarint } from '../../base/index.ts';

const STATES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

interface HealthAnswer {
  /** The gRPC status code; 0 for OK. */
  readonly code: number;
  readonly message: string;
  readonly state: string;
}

export function checkHealth(
  socket: net.Socket,
  authority: string,
  service: string,
  signal: AbortSignal,
): Promise<HealthAnswer> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(`http://${authority}`, { createConnection: () => socket });
    const end = (): void => {
      signal.removeEventListener('abort', aborted);
      session.destroy();
      socket.destroy();
    };
    const failed = (error: Error): void => {
      end();
      reject(error);
    };
    const aborted = (): void => failed(signal.reason as Error);
    signal.addEventListener('abort', aborted, { once: true });
    session.once('error', failed);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'kube-probe/1.36',
    });
    const chunks: Buffer[] = [];
    let code = 2;
    let message = '';
    const note = (headers: http2.IncomingHttpHeaders): void => {
      if (headers['grpc-status'] !== undefined) code = Number(headers['grpc-status']);
      if (headers['grpc-message'] !== undefined) message = decoded(String(headers['grpc-message']));
    };
    stream.on('response', note);
    stream.on('trailers', note);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('error', failed);
    stream.once('close', () =>
      failed(new Error('rpc error: code = Unavailable desc = error reading from server: EOF')),
    );
    stream.once('end', () => {
      end();
      resolve({ code, message, state: STATES[statusOf(Buffer.concat(chunks))] ?? 'UNKNOWN' });
    });
    stream.end(frame(service));
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** HealthCheckRequest { string service = 1 } after the five bytes of the gRPC message header. */
function frame(service: string): Buffer {
  const name = Buffer.from(service);
  const message =
    name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, ...encodeVarint(name.length)]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** HealthCheckResponse { ServingStatus status = 1 }. */
const statusOf = (body: Buffer): number => (body.length >= 7 && body[5] === 0x08 ? (body[6] ?? 0) : 0);
