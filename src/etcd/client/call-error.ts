/** How a gRPC call ends when it does not succeed. */
import type { ClientStream } from '../../net/http2/index.ts';
import { GrpcCode, GrpcError } from '../wire/status.ts';

/** A member that refuses a call for this reason has not begun it. */
const NO_LEADER = 'etcdserver: no leader';

/** A failed call; `neverSent` when no member has seen it, so that even a write can be sent again. */
export class CallError extends GrpcError {
  override name = 'CallError';
  constructor(
    code: number,
    message: string,
    readonly neverSent = false,
  ) {
    super(code, message);
  }
}

/** The outcome of a stream that has ended: undefined when the status in its trailers is OK. */
export function statusOf(stream: ClientStream): CallError | undefined {
  const code = stream.trailer('grpc-status');
  if (code === '0') return undefined;
  if (code !== undefined) {
    const message = decodeMessage(stream.trailer('grpc-message') ?? '');
    return new CallError(Number(code), message, message === NO_LEADER);
  }
  if (stream.response.length === 0)
    return new CallError(GrpcCode.UNAVAILABLE, 'the connection was closed', stream.refused);
  // A proxy or another server answers without gRPC's trailers.
  return new CallError(GrpcCode.UNAVAILABLE, `HTTP status ${stream.status ?? 'missing'} without a gRPC status`);
}

/** gRPC percent-encodes its messages. */
function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
