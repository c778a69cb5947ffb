/** One request and one response. */
import type { Clock } from '../../kernel/index.ts';
import { HTTP2_ERROR, type ClientStream } from '../../net/http2/index.ts';
import { frame, FRAME_HEADER_BYTES, FrameReader } from '../wire/frames.ts';
import type { Message } from '../wire/message.ts';
import { GrpcCode, GrpcError } from '../wire/status.ts';
import { CallError, statusOf } from './call-error.ts';
import type { Channel } from './channel.ts';
import { ownBytes } from './own-bytes.ts';

export interface Call<Q extends object, R extends object> {
  readonly path: string;
  readonly request: Message<Q>;
  readonly response: Message<R>;
}

export const frameOf = <Q extends object>(message: Message<Q>, value: Partial<Q>): Buffer =>
  frame(message.encode(value, { reserve: FRAME_HEADER_BYTES }));

/** What etcd answers has no limit: ranges of a large cluster are hundreds of megabytes. */
export const messageReader = (): FrameReader => new FrameReader({ maxMessageBytes: Infinity, encoding: 'identity' });

export function callUnary<Q extends object, R extends object>(
  { channel, clock, timeoutMs }: { readonly channel: Channel; readonly clock: Clock; readonly timeoutMs: number },
  call: Call<Q, R>,
  request: Partial<Q>,
): Promise<R> {
  const body = frameOf(call.request, request);
  return new Promise((resolve, reject) => {
    let stream: ClientStream | undefined;
    let settled = false;
    const fail = (error: Error): void => {
      if (settled) return;
      settled = true;
      timer.cancel();
      reject(error);
    };
    // gRPC deadlines are wall-clock times, whatever clock the store runs on.
    const timer = clock.after(timeoutMs, () => {
      fail(new CallError(GrpcCode.DEADLINE_EXCEEDED, 'no answer in time', stream === undefined));
      stream?.reset(HTTP2_ERROR.cancel);
    });
    const finish = (bytes: Buffer | undefined): void => {
      if (settled) return;
      const error = statusOf(stream!);
      if (error) return fail(error);
      if (bytes === undefined) return fail(new CallError(GrpcCode.INTERNAL, 'the response has no message'));
      settled = true;
      timer.cancel();
      try {
        resolve(call.response.decode(ownBytes(bytes)));
      } catch (decodeError) {
        reject(decodeError);
      }
    };
    channel.open((opened) => {
      if (settled) return opened.reset(HTTP2_ERROR.cancel);
      stream = opened;
      const reader = messageReader();
      opened.onClose(() => finish(undefined));
      opened.readPieces({
        data: (bytes) => reader.push(bytes),
        end: () => {
          try {
            finish(reader.next());
          } catch (error) {
            fail(error instanceof GrpcError ? new CallError(error.code, error.message) : (error as Error));
          }
        },
      });
      opened.send(channel.head(call.path), body, true);
    }, fail);
  });
}
